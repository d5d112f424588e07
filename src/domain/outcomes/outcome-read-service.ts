import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type Label, labelOf } from './outcome.ts';
import {
  countOutcomes,
  findLastOutcomes,
  findOutcome,
  findOutcomesOfAccounts,
  type StoredOutcome,
} from './outcome-store.ts';

export type { StoredOutcome } from './outcome-store.ts';

/** An outcome by its id; null for an unknown one. */
export function readOutcome(viewer: Viewer, outcomeId: string): Promise<StoredOutcome | null> {
  assertMay(viewer, 'outcome.read');
  return findOutcome(viewer.project.database, outcomeId);
}

/** One page of outcomes per account, in the order of `accounts` (internal ids). */
export function listOutcomesOfAccounts(
  viewer: Viewer,
  accounts: readonly string[],
  page: KeysetPage,
): Promise<StoredOutcome[][]> {
  assertMay(viewer, 'outcome.read');
  return findOutcomesOfAccounts(viewer.project.database, accounts, page);
}

/** Number of outcomes per account, counted up to a limit, in the order of `accounts` (internal ids). */
export async function countOutcomesOfAccounts(
  viewer: Viewer,
  accounts: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'outcome.read');
  return countOutcomes(viewer.project.database, accounts, limit);
}

/** Labels by the outcomes reported last, in the order of `accounts` (internal ids); null for an account without an outcome. */
export async function readLabels(viewer: Viewer, accounts: readonly string[]): Promise<(Label | null)[]> {
  assertMay(viewer, 'outcome.read');
  const last = await findLastOutcomes(viewer.project.database, accounts);
  return last.map((outcome) => (outcome === null ? null : labelOf(outcome)));
}
