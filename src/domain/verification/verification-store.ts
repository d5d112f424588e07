import type { VerificationKind } from '@vouchgraph/decisions';
import {
  type Failure,
  type RetakeReason,
  type Simulation,
  type StoredState,
  TRANSITIONS,
  type VerificationEvent,
} from '@vouchgraph/verification';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';

/** Stored verification session. */
export type VerificationRow = {
  session_id: string;
  kind: VerificationKind;
  state: StoredState;
  failure: Failure | '';
  simulation: Simulation | null;
  secret_hash: Buffer;
  capture_hash: Buffer | null;
  handover_hash: Buffer | null;
  /** null once another device has used the handover. */
  handover_expires_at: Date | null;
  /** Client's id of the account that the session was created for. */
  account_id: string | null;
  bound_account_id: string | null;
  referring_session_id: string | null;
  encrypted_redirect_url: Buffer | null;
  language: string;
  challenge: string[];
  request_id: string;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  started_at: Date | null;
  submitted_at: Date | null;
  completed_at: Date | null;
  consent_at: Date | null;
  consent_version: string;
  attempts: number;
  /** Number of retakes of the document. */
  document_retakes: number;
  /** Reason of the last retake of the document; '' without one. */
  retake_reason: RetakeReason | '';
  decision: string;
  risk_score: number | null;
  capture: Buffer | null;
  result: Buffer | null;
  /** Kind and position of stored images, such as `face_frame:0`. */
  media: string[];
};

/** Columns of `verification_sessions v` that every row has. */
export const OWN_COLUMNS = `v.session_id, v.kind, v.state, v.failure, v.simulation, v.secret_hash, v.capture_hash, v.handover_hash,
  v.handover_expires_at, v.account_id, v.bound_account_id, v.referring_session_id, v.encrypted_redirect_url, v.language, v.challenge,
  v.request_id, v.created_at, v.expires_at, v.opened_at, v.started_at, v.submitted_at, v.completed_at, v.consent_at,
  v.consent_version, v.attempts, v.document_retakes, v.retake_reason, v.decision, v.risk_score, v.capture, v.result`;
/** Images of a session that is created or opened: none. */
export const NO_MEDIA = `'{}'::text[] as media`;

/** Columns with the stored images. */
export const COLUMNS = `${OWN_COLUMNS}, array(
    select m.kind || ':' || m.sequence from media_objects m
    where m.project_id = $1 and m.session_id = v.session_id and m.state = 'stored' order by m.kind, m.sequence
  ) as media`;

/** SQL assignment of the state after an event, by the state table. */
export const stateAfter = (event: VerificationEvent) => `state = '${TRANSITIONS[event].to}'`;

/** SQL condition on the states in which an event is allowed, by the state table. */
export const stateBefore = (event: VerificationEvent) =>
  `state in (${TRANSITIONS[event].from.map((state) => `'${state}'`).join(', ')})`;

const INSERT = namedStatement(
  'verification.insert',
  `insert into verification_sessions (project_id, session_id, kind, simulation, secret_hash, account_id,
           referring_session_id, encrypted_redirect_url, language, challenge, request_id, created_at, expires_at)
         values (:projectId, :sessionId, :kind, :simulation, :secretHash, :accountId, :referringSessionId,
           :encryptedRedirectUrl, :language, :challenge, :requestId, :createdAt, :expiresAt)`,
);

export type NewVerification = Pick<
  VerificationRow,
  | 'session_id'
  | 'kind'
  | 'simulation'
  | 'secret_hash'
  | 'account_id'
  | 'referring_session_id'
  | 'encrypted_redirect_url'
  | 'language'
  | 'challenge'
  | 'request_id'
  | 'created_at'
  | 'expires_at'
>;

export async function insertVerification(database: ProjectDatabase, row: NewVerification): Promise<void> {
  await database.query(
    ...INSERT.call({
      projectId: database.projectId,
      sessionId: row.session_id,
      kind: row.kind,
      simulation: row.simulation && JSON.stringify(row.simulation),
      secretHash: row.secret_hash,
      accountId: row.account_id,
      referringSessionId: row.referring_session_id,
      encryptedRedirectUrl: row.encrypted_redirect_url,
      language: row.language,
      challenge: row.challenge,
      requestId: row.request_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
  );
}

const FIND_VERIFICATION: Statement = {
  name: 'verification.find',
  text: `select ${COLUMNS} from verification_sessions v where v.project_id = $1 and v.session_id = $2`,
};

export async function findVerification(
  database: ProjectDatabase,
  sessionId: string,
): Promise<VerificationRow | null> {
  const [row] = await database.query<VerificationRow>(FIND_VERIFICATION, [database.projectId, sessionId]);
  return row ?? null;
}
