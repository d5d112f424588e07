import { READ_URL_SECONDS } from '@vouchgraph/media';
import {
  decryptCapture,
  decryptResult,
  type ReviewRow,
  reviewReasonOf,
  toReview,
  type VerificationResult,
} from '@vouchgraph/verification';
import type { MediaService } from '../media/media-service.ts';
import { type AccountExport, type ExportedAccount, hexOf, orderBy } from '../model/account-export-store.ts';
import { decryptRedirect } from './redirect-url.ts';
import { COLUMNS, type VerificationRow } from './verification-store.ts';

/** Verifications with their images, faces and documents. */
export function verificationExports({
  media,
}: {
  media: Pick<MediaService, 'ofSession' | 'readUrl'>;
}): readonly AccountExport[] {
  return [
    {
      section: 'verifications',
      columns: ['verification_sessions.account_id', 'verification_sessions.bound_account_id'],
      select: `${COLUMNS}, (
          select json_agg(json_build_object('position', r.position, 'decision', r.decision, 'actor', r.actor,
            'at', r.created_at, 'encryptedReason', encode(r.encrypted_reason, 'base64')) order by r.position)
          from verification_reviews r where r.project_id = $1 and r.session_id = v.session_id
        ) as reviews`,
      from: `verification_sessions v where v.project_id = $1 and (v.bound_account_id = $2 or v.account_id = $3)`,
      values: ({ accountId }) => [accountId],
      order: [orderBy('v.created_at', 'timestamptz'), orderBy('v.session_id', 'uuid')],
      record: async (row, account) => ({
        ...verificationRecord(row as VerificationRow & { reviews: ReviewRow[] | null }, account),
        media: await mediaOf(media, account, row.session_id),
      }),
    },
    {
      section: 'face_templates',
      columns: ['face_templates.account_id'],
      select:
        't.template_id, t.session_id, t.is_enrolled, t.descriptor, t.created_at, t.expires_at, t.pipeline_version',
      from: 'face_templates t where t.project_id = $1 and t.account_id = $2',
      order: [orderBy('t.template_id', 'uuid')],
      record: (row, { project }) => ({
        templateId: row.template_id,
        sessionId: row.session_id,
        isEnrolled: row.is_enrolled,
        // 128 numbers of 32 bits, in base64.
        descriptor: project.cipher.decryptJson('face_templates', row.template_id, row.descriptor),
        pipelineVersion: row.pipeline_version,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }),
    },
    {
      section: 'documents',
      columns: ['document_sightings.account_id'],
      select: 'd.session_id, d.number_hash, d.name_hash, d.created_at, d.expires_at',
      from: 'document_sightings d where d.project_id = $1 and d.account_id = $2',
      order: [orderBy('d.session_id', 'uuid')],
      record: (row) => ({
        sessionId: row.session_id,
        keyedHashOfNumber: hexOf(row.number_hash),
        keyedHashOfName: hexOf(row.name_hash),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }),
    },
  ];
}

function verificationRecord(
  row: VerificationRow & { reviews: ReviewRow[] | null },
  { project }: ExportedAccount,
) {
  const { cipher } = project;
  return {
    sessionId: row.session_id,
    accountId: row.account_id,
    kind: row.kind,
    state: row.state,
    failure: row.failure || null,
    simulation: row.simulation,
    referringSessionId: row.referring_session_id,
    redirectUrl: decryptRedirect(cipher, row) || null,
    language: row.language || null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    submittedAt: row.submitted_at,
    completedAt: row.completed_at,
    consent: row.consent_at && { at: row.consent_at, textVersion: row.consent_version },
    capture: row.capture && decryptCapture(project, row),
    result: row.result && withoutOthers(decryptResult(cipher, row.session_id, row.result)),
    reviews: (row.reviews ?? []).map((each) => {
      const review = toReview(project.projectId, row.session_id, each);
      const { sessionId, position, decision, actor, createdAt: at } = review;
      return { sessionId, position, decision, reason: reviewReasonOf(cipher, review), actor, at };
    }),
  };
}

/** Without the sessions and accounts that its face was compared with. */
function withoutOthers({ basis: _, earlier = [], ...result }: VerificationResult) {
  return { ...result, earlier: earlier.map(({ basis: __, ...assessment }) => assessment) };
}

/** Stored images and videos, with URLs valid for 15 minutes. */
async function mediaOf(
  media: Pick<MediaService, 'ofSession' | 'readUrl'>,
  { project }: ExportedAccount,
  sessionId: string,
) {
  const objects = await media.ofSession(project, sessionId);
  return objects
    .filter(({ state }) => state === 'stored')
    .map(({ kind, objectId }) => ({ kind, url: media.readUrl(project, objectId, READ_URL_SECONDS) }));
}
