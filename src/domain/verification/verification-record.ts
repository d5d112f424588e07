import type { VerificationKind } from '@vouchgraph/decisions';
import {
  type Failure,
  type Retake,
  type RetakeReason,
  retakeOf,
  type SessionStanding,
  type StoredState,
  stateAt,
  type VerificationState,
  type VerifyError,
  verifyError,
} from '@vouchgraph/verification';
import type { AccountRecord, RetakeRecord, StandingRecord, StateRecord } from './verification-read-store.ts';
import type { VerificationRow } from './verification-store.ts';

/** State at a time. */
export function stateOf({ state, expiresAt, startedAt }: StateRecord, now: Date): VerificationState {
  return stateAt({ state: state as StoredState, expiresAt, startedAt }, now);
}

/** Pending retake; null unless the document is being captured again. */
export function pendingRetake(record: RetakeRecord, now: Date): Retake | null {
  const { documentRetakes, retakeReason } = record;
  return retakeOf({ documentRetakes, retakeReason: retakeReason as RetakeReason | '' }, stateOf(record, now));
}

/** Account that a verification was created for, otherwise the one that its session is bound to; null if it does not exist. */
export function accountOf({ accountId, account, boundAccount }: AccountRecord): AccountRecord['account'] {
  return accountId === null ? boundAccount : account;
}

/** Facts by which the state table determines whether there is a result. */
function standingOf(record: StandingRecord): SessionStanding {
  const { state, expiresAt, startedAt, kind, failure, createdAt, documentRetakes, media } = record;
  const has = (wanted: string) => media.some((each) => each.kind === wanted);
  return {
    ...{ expiresAt, startedAt, createdAt },
    state: state as StoredState,
    kind: kind as VerificationKind,
    failure: failure as Failure | '',
    waitsForDocument: documentRetakes === 0 && has('face_frame') && !has('id_front'),
  };
}

/** The same of a row that a statement of ours read. */
export function standingOfRow(row: VerificationRow): SessionStanding {
  const { state, kind, failure } = row;
  return standingOf({
    ...{ state, kind, failure },
    expiresAt: row.expires_at,
    startedAt: row.started_at,
    createdAt: row.created_at,
    documentRetakes: row.document_retakes,
    media: row.media.map((each) => ({ kind: each.split(':', 1)[0]! })),
  });
}

/** Reason why a verification has no readable result; null if it has one. */
export function resultErrorOf(record: StandingRecord, now: Date): VerifyError | null {
  const standing = standingOf(record);
  return verifyError(standing, standing.kind === 'id' ? 'verify-id' : 'verify-face', now);
}
