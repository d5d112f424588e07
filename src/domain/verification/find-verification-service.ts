import type { Clock } from '@vouchgraph/platform/clock';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { type Endpoint, sessionIdOf, verificationError, verifyError } from '@vouchgraph/verification';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, hasScope, scopeMissing } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { findAccountOfCheck } from './check-lock-store.ts';
import {
  countVerifications,
  findVerifications,
  type PagedQuery,
  type PagedVerification,
  searchVerifications,
  VERIFICATION_KEY,
  type VerificationFilter,
  type VerificationKey,
  type VerificationQuery,
} from './verification-read-store.ts';
import { standingOfRow } from './verification-record.ts';
import { findVerification, type VerificationRow } from './verification-store.ts';

export type {
  MediaRecord,
  PagedQuery,
  ResultRecord,
  VerificationFilter,
  VerificationKey,
  VerificationQuery,
} from './verification-read-store.ts';
export {
  ACCOUNT_COLUMNS,
  LAST_REVIEW,
  MEDIA_COLUMNS,
  PAGED_VERIFICATION_KEY,
  RESULT_COLUMNS,
  RETAKE_COLUMNS,
  STANDING_COLUMNS,
  STATE_COLUMNS,
  VERIFICATION_KEY,
} from './verification-read-store.ts';

type Deps = {
  readonly clock: Clock;
};

/** Row of a session whose result the endpoint may read. Throws the documented errors. */
export async function getFor(
  deps: Deps,
  project: Project,
  endpoint: Endpoint,
  id: string,
): Promise<VerificationRow> {
  const sessionId = sessionIdOf(id);
  const row = sessionId === null ? null : await findVerification(project.database, sessionId);
  const error = verifyError(row && standingOfRow(row), endpoint, deps.clock.now());
  if (error) throw verificationError(error);
  return row!;
}

/** Client's id of the account that a session is bound to; null for none. */
export function boundTo({ database }: Project, { session_id }: VerificationRow): Promise<string | null> {
  return findAccountOfCheck(database, session_id);
}

/** Verifications by their ids, in this order; null for unknown, foreign and malformed ids, and for those that the viewer may not see. */
export async function readVerifications(
  viewer: Viewer,
  ids: readonly string[],
  query: VerificationQuery,
): Promise<(VerificationKey | null)[]> {
  assertMay(viewer, 'verification.read');
  const found = await readVisible(viewer, ids, query);
  const bySession = new Map(found.map((record) => [record.sessionId, record]));
  return ids.map((id) => bySession.get(id.toLowerCase()) ?? null);
}

/** Those of the verifications that the viewer may see and that have ended. */
export async function readEndedIds(viewer: Viewer, ids: readonly string[]): Promise<string[]> {
  assertMay(viewer, 'verification.read');
  const found = await readVisible(viewer, ids, { select: VERIFICATION_KEY }, { hasEnded: true });
  return found.map(({ sessionId }) => sessionId);
}

async function readVisible(
  viewer: Viewer,
  ids: readonly string[],
  query: VerificationQuery,
  conditions: { hasEnded?: boolean } = {},
): Promise<VerificationKey[]> {
  const { project, accountId, sessionId } = viewer;
  const known = ids.flatMap((id) => sessionIdOf(id) ?? []);
  const sessionIds = known.filter((id) => sessionId === undefined || id === sessionId);
  if (sessionIds.length === 0) return [];
  return findVerifications(project.database, { ...conditions, sessionIds, accountId }, query);
}

/** Page of the verification sessions of the project, newest first. */
export async function search(
  { clock }: Deps,
  viewer: Viewer,
  filter: VerificationFilter,
  page: KeysetPage,
  query: PagedQuery,
): Promise<PagedVerification[]> {
  assertMay(viewer, 'verification.search', { accountId: filter.accountId });
  assertConditions(viewer, filter);
  return searchVerifications(viewer.project.database, filter, { page, now: clock.now() }, query);
}

/** Number of verification sessions that match a filter, counted up to a limit. */
export async function count(
  { clock }: Deps,
  viewer: Viewer,
  filter: VerificationFilter,
  limit: number,
): Promise<number> {
  assertMay(viewer, 'verification.search', { accountId: filter.accountId });
  assertConditions(viewer, filter);
  return countVerifications(viewer.project.database, filter, { limit, now: clock.now() });
}

/** A condition on a field reveals its value, so tokens need the scope of the field. */
function assertConditions(
  viewer: Viewer,
  { decision, minRiskScore, review, state, accountId }: VerificationFilter,
): void {
  if (decision != null && !hasScope(viewer, ['VERIFICATION_RESULT']))
    throw scopeMissing(['VERIFICATION_RESULT'], 'The condition decision');
  if (review != null) assertMay(viewer, 'verification.read_reviews');
  if (minRiskScore != null && !hasScope(viewer, ['VERIFICATION_RESULT']))
    throw scopeMissing(['VERIFICATION_RESULT'], 'The condition minRiskScore');
  if (state != null && !hasScope(viewer, ['VERIFICATION_STATE']))
    throw scopeMissing(['VERIFICATION_STATE'], 'The condition state');
  // A token limited to one account already knows the account of the verifications that it reads.
  const isOwn = viewer.accountId !== undefined;
  if (accountId != null && !isOwn && !hasScope(viewer, ['VERIFICATION_STATE']))
    throw scopeMissing(['VERIFICATION_STATE'], 'The condition accountId');
}
