import type { Clock } from '../../platform/clock.ts';
import type { KeysetPage } from '../../platform/keyset.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, hasScope, scopeMissing } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { has } from './captured.ts';
import { type CheckAccount, findAccountOfCheck, findAccountsOfChecks } from './check-lock-store.ts';
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
  countVerifications,
  searchVerifications,
  type VerificationFilter,
} from './verification-search-store.ts';
import { findVerification, findVerifications, type VerificationRow } from './verification-store.ts';

export type { CheckAccount } from './check-lock-store.ts';

type Deps = {
  readonly clock: Clock;
};

/** Filter of the search. */
export type VerificationSearch = {
  readonly kind?: VerificationKind | null | undefined;
  readonly state?: VerificationState | null | undefined;
  readonly decision?: string | null | undefined;
  readonly minRiskScore?: number | null | undefined;
  readonly accountId?: string | null | undefined;
  readonly createdAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
};

/** `expired` follows from the times; expired sessions have another stored state. */
function filterOf(asked: VerificationSearch, now: Date): VerificationFilter {
  const { kind = null, state = null, decision = null, accountId = null } = asked;
  const expiring: StoredState[] = ['created', 'opened', 'capturing'];
  return {
    kind,
    states: state === null ? null : state === 'expired' ? expiring : [state],
    isExpired: state === 'expired' ? true : expiring.some((each) => each === state) ? false : null,
    decision,
    minRiskScore: asked.minRiskScore ?? null,
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

/** Row of a session whose result the endpoint may read. Throws the documented errors. */
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

/** Client's id of the account that a session is bound to; null for none. */
export function boundTo({ database }: Project, { session_id }: VerificationRow): Promise<string | null> {
  return findAccountOfCheck(database, session_id);
}

/** Session that the viewer may see; null for unknown, foreign and malformed ids alike. */
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

/** Verification sessions by their ids, in this order; null for those that the viewer may not see, as `find`. */
export async function readVerifications(
  viewer: Viewer,
  sessionIds: readonly string[],
): Promise<(Verification | null)[]> {
  assertMay(viewer, 'verification.read');
  const { project, accountId, sessionId } = viewer;
  const wanted = sessionIds.filter((id) => sessionId === undefined || id === sessionId);
  const rows = wanted.length === 0 ? [] : await findVerifications(project.database, wanted);
  const visible = accountId === undefined ? rows : await ofAccount(project, rows, accountId);
  const byId = new Map(visible.map((row) => [row.session_id, new Verification(project, row)]));
  return sessionIds.map((id) => byId.get(id) ?? null);
}

async function ofAccount(
  { database }: Project,
  rows: readonly VerificationRow[],
  accountId: string,
): Promise<VerificationRow[]> {
  const unnamed = rows.filter((row) => row.account_id === null && row.bound_account_id !== null);
  const ids = unnamed.map(({ session_id }) => session_id);
  const bound = ids.length === 0 ? null : await findAccountsOfChecks(database, ids);
  return rows.filter((row) => (row.account_id ?? bound?.get(row.session_id)?.accountId) === accountId);
}

/** Accounts that checks were created for or are bound to, in the order of the sessions; null if none exists. */
export async function readCheckAccounts(
  viewer: Viewer,
  sessionIds: readonly string[],
): Promise<(CheckAccount | null)[]> {
  assertMay(viewer, 'verification.read');
  const found = await findAccountsOfChecks(viewer.project.database, sessionIds);
  return sessionIds.map((id) => found.get(id) ?? null);
}

/** Page of the verification sessions of the project, newest first. */
export async function search(
  deps: Deps,
  viewer: Viewer,
  asked: VerificationSearch,
  page: KeysetPage,
): Promise<Verification[]> {
  assertMay(viewer, 'verification.search', { accountId: asked.accountId });
  assertConditions(viewer, asked);
  const rows = await searchVerifications(viewer.project.database, filterOf(asked, deps.clock.now()), page);
  return rows.map((row) => new Verification(viewer.project, row));
}

/** Number of verification sessions that match a filter, counted up to a limit. */
export async function count(
  deps: Deps,
  viewer: Viewer,
  asked: VerificationSearch,
  limit: number,
): Promise<number> {
  assertMay(viewer, 'verification.search', { accountId: asked.accountId });
  assertConditions(viewer, asked);
  return countVerifications(viewer.project.database, filterOf(asked, deps.clock.now()), limit);
}

/** A condition on a field reveals its value, so tokens need the scope of the field. */
function assertConditions(
  viewer: Viewer,
  { decision, minRiskScore, state, accountId }: VerificationSearch,
): void {
  if (decision != null && !hasScope(viewer, ['VERIFICATION_RESULT']))
    throw scopeMissing(['VERIFICATION_RESULT'], 'The condition decision');
  if (minRiskScore != null && !hasScope(viewer, ['VERIFICATION_RESULT']))
    throw scopeMissing(['VERIFICATION_RESULT'], 'The condition minRiskScore');
  if (state != null && !hasScope(viewer, ['VERIFICATION_STATE']))
    throw scopeMissing(['VERIFICATION_STATE'], 'The condition state');
  // A token limited to one account already knows the account of the verifications that it reads.
  const isOwn = viewer.accountId !== undefined;
  if (accountId != null && !isOwn && !hasScope(viewer, ['VERIFICATION_STATE']))
    throw scopeMissing(['VERIFICATION_STATE'], 'The condition accountId');
}
