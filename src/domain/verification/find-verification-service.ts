import type { Clock } from '../../platform/clock.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { has } from './captured.ts';
import { findAccountOfCheck } from './check-lock-store.ts';
import { verificationError } from './errors.ts';
import { timesOf, Verification } from './result/verification.ts';
import {
  type Endpoint,
  type SessionStanding,
  type StoredState,
  type VerificationState,
  verifyError,
} from './state-table.ts';
import { sessionIdOf } from './verification-input.ts';
import {
  findVerification,
  searchVerifications,
  type VerificationFilter,
  type VerificationRow,
} from './verification-store.ts';

type Deps = {
  readonly clock: Clock;
};

/** A place in the order of sessions. */
export type Place = { readonly createdAt: Date; readonly sessionId: string };

/** Which sessions are looked for. */
export type VerificationSearch = {
  readonly kind?: VerificationKind | null | undefined;
  readonly state?: VerificationState | null | undefined;
  readonly decision?: string | null | undefined;
  readonly accountId?: string | null | undefined;
  readonly createdAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
};

/** `expired` follows from the times, and those that are have another state stored. */
function filterOf(asked: VerificationSearch, now: Date): VerificationFilter {
  const { kind = null, state = null, decision = null, accountId = null } = asked;
  const expiring: StoredState[] = ['created', 'opened', 'capturing'];
  return {
    kind,
    states: state === null ? null : state === 'expired' ? expiring : [state],
    isExpired: state === 'expired' ? true : expiring.some((each) => each === state) ? false : null,
    decision,
    accountId,
    createdAfter: asked.createdAfter ?? null,
    createdBefore: asked.createdBefore ?? null,
    now,
  };
}

export function standingOf(row: VerificationRow): SessionStanding {
  return {
    ...timesOf(row),
    kind: row.kind,
    failure: row.failure,
    createdAt: row.created_at,
    waitsForDocument:
      row.document_retakes === 0 && has(row.media, 'face_frame') && !has(row.media, 'id_front'),
  };
}

/** The session's row as an endpoint may use it. Throws the documented errors. */
export async function getFor(
  deps: Deps,
  project: Project,
  endpoint: Endpoint,
  id: string,
): Promise<VerificationRow> {
  const sessionId = sessionIdOf(id);
  const row = sessionId === null ? null : await findVerification(project.database, sessionId);
  const error = verifyError(row && standingOf(row), endpoint, deps.clock.now());
  if (error) throw verificationError(error);
  return row!;
}

/** The client's own id of the account that a session is bound to; null for none. */
export function boundTo({ database }: Project, { session_id }: VerificationRow): Promise<string | null> {
  return findAccountOfCheck(database, session_id);
}

/** A session that the viewer may see, or null: unknown, foreign and malformed ids alike. */
export async function find(viewer: Viewer, id: string): Promise<Verification | null> {
  assertMay(viewer, 'verification.read');
  const sessionId = sessionIdOf(id);
  if (sessionId === null) return null;
  if (viewer.sessionId !== undefined && viewer.sessionId !== sessionId) return null;
  const row = await findVerification(viewer.project.database, sessionId);
  if (!row) return null;
  if (viewer.accountId !== undefined && !(await isOf(viewer, row))) return null;
  return new Verification(viewer.project, row);
}

async function isOf({ project, accountId }: Viewer, row: VerificationRow): Promise<boolean> {
  return (row.account_id ?? (await boundTo(project, row))) === accountId;
}

/** Sessions of the project, the newest first, behind a place. */
export async function search(
  deps: Deps,
  viewer: Viewer,
  asked: VerificationSearch,
  after: Place | null,
  limit: number,
): Promise<Verification[]> {
  assertMay(viewer, 'verification.search', { accountId: asked.accountId });
  const filter = filterOf(asked, deps.clock.now());
  const rows = await searchVerifications(viewer.project.database, filter, after, limit);
  return rows.map((row) => new Verification(viewer.project, row));
}
