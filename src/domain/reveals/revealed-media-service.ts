import type { MediaKind } from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import { findAccountByAccountId } from '../accounts/account-store.ts';
import { auditEntry } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import type { MediaService, OpenMedia } from '../media/media-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { findVerification } from '../verification/verification-store.ts';
import type { ActiveReveals } from './active-reveals.ts';

/** Images and videos of a verification, under the names of their URLs on REST. The first stored kind is shown. */
const REVEALED_MEDIA = {
  face: ['portrait', 'face_frame'],
  id_scan_front: ['id_front'],
  id_scan_back: ['id_back'],
  video: ['face_clip'],
} as const satisfies Record<string, readonly MediaKind[]>;

export type RevealedMedia = keyof typeof REVEALED_MEDIA;

export function isRevealedMedia(kind: string): kind is RevealedMedia {
  return Object.hasOwn(REVEALED_MEDIA, kind);
}

/** `position`: of a video, from 0. */
export type AskedMedia = {
  readonly sessionId: string;
  readonly kind: RevealedMedia;
  readonly position: number;
};

type Deps = {
  readonly clock: Clock;
  readonly media: Pick<MediaService, 'ofSession' | 'open'>;
  readonly findActive: (viewer: Viewer) => Promise<ActiveReveals>;
};

/**
 * Opens an image or a video of a verification, for a person who has revealed the verification or its account. Each opening is
 * recorded in the audit log before any byte is sent. Null for an unknown verification, and one without such a file.
 */
export async function openMedia(
  { clock, media, findActive }: Deps,
  viewer: Viewer,
  requestId: string,
  { sessionId, kind, position }: AskedMedia,
): Promise<OpenMedia | null> {
  assertMay(viewer, 'personal_data.open_media');
  const { project } = viewer;
  const id = sessionId.toLowerCase();
  const accounts = isUuid(id) ? await accountsOf(project, id) : null;
  if (accounts === null) return null;
  const reveals = await findActive(viewer);
  const isRevealed =
    reveals.includes({ verification: id }) || accounts.some((account) => reveals.includes({ account }));
  if (!isRevealed) throw notRevealed();
  const stored = (await media.ofSession(project, id)).filter(({ state }) => state === 'stored');
  const files = REVEALED_MEDIA[kind].map((each) => stored.filter((row) => row.kind === each));
  const found = files.find((rows) => rows.length > 0)?.[position];
  if (!found) return null;
  const at = clock.now();
  await project.database.query(
    ...auditCall(
      project.projectId,
      auditEntry(viewer, requestId, at, {
        action: 'personal_data.open_media',
        target: `verification:${id}`,
        after: { kind, position },
      }),
    ),
  );
  return media.open(project, found.objectId);
}

/** Internal ids of the account of a verification; null for an unknown verification. */
async function accountsOf({ database }: Project, sessionId: string): Promise<string[] | null> {
  const row = await findVerification(database, sessionId);
  if (!row) return null;
  if (row.bound_account_id !== null) return [row.bound_account_id];
  const account = row.account_id === null ? null : await findAccountByAccountId(database, row.account_id);
  return account ? [account.id] : [];
}

function notRevealed(): AppError {
  return new AppError(
    'personal_data.not_revealed',
    'forbidden',
    'Reveal the verification or its account before you open its images',
  );
}
