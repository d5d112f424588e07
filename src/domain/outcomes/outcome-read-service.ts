import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type AccountOutcome, type Label, labelOf } from './outcome.ts';
import { toOutcome } from './outcome-service.ts';
import { countOutcomes, findLatestOutcomes, findOutcomes, findOutcomesOfAccounts } from './outcome-store.ts';

/** Outcomes by ids, in the same order; null for unknown ids. */
export async function readOutcomes(
  viewer: Viewer,
  outcomeIds: readonly string[],
): Promise<(AccountOutcome | null)[]> {
  assertMay(viewer, 'outcome.read');
  const { project } = viewer;
  const rows = await findOutcomes(project.database, outcomeIds);
  const byId = new Map(rows.map((row) => [row.outcome_id, toOutcome(project, row)]));
  return outcomeIds.map((id) => byId.get(id) ?? null);
}

/** One page of outcomes per account, in the order of `accounts` (internal ids). */
export async function listOutcomesOfAccounts(
  viewer: Viewer,
  accounts: readonly string[],
  page: KeysetPage,
): Promise<AccountOutcome[][]> {
  assertMay(viewer, 'outcome.read');
  const { project } = viewer;
  const rows = await findOutcomesOfAccounts(project.database, accounts, page);
  const byAccount = Map.groupBy(
    rows.map((row) => toOutcome(project, row)),
    ({ account }) => account,
  );
  return accounts.map((id) => byAccount.get(id) ?? []);
}

/** Number of outcomes per account, counted up to a limit, in the order of `accounts` (internal ids). */
export async function countOutcomesOfAccounts(
  viewer: Viewer,
  accounts: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'outcome.read');
  const rows = await countOutcomes(viewer.project.database, accounts, limit);
  const byAccount = new Map(rows.map(({ id, total }) => [id, total]));
  return accounts.map((id) => byAccount.get(id) ?? 0);
}

/** Labels by the latest outcomes, in the order of `accounts` (internal ids); null for an account without an outcome. */
export async function readLabels(viewer: Viewer, accounts: readonly string[]): Promise<(Label | null)[]> {
  assertMay(viewer, 'outcome.read');
  const rows = await findLatestOutcomes(viewer.project.database, accounts);
  const byAccount = new Map(rows.map(({ id, outcome }) => [id, labelOf(outcome)]));
  return accounts.map((id) => byAccount.get(id) ?? null);
}
