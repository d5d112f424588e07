import { AppError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { compileRuleSet } from '../rules/rule-set.ts';
import { readRuleSetAt } from '../rules/rule-store.ts';
import { ACCOUNT_WEIGHTS_VERSION } from './account-score.ts';
import { conclude, outcomeOf } from './conclude.ts';
import { type DecisionOutcome, decryptDecision } from './decision-inputs.ts';
import { countFoundDecisions, type DecisionFilter, searchDecisions } from './decision-search-store.ts';
import {
  countDecisions as countStoredDecisions,
  type DecisionRow,
  findDecisions,
  findDecisionsOfAccounts,
} from './decision-store.ts';

export type { DecisionFilter } from './decision-search-store.ts';
export type { DecisionRow, DecisionVersions } from './decision-store.ts';

export type Replay = {
  row: DecisionRow;
  /** Outcome of the replay. */
  outcome: DecisionOutcome;
  /** Whether it equals the stored outcome: score, lists, rules and flags. */
  isSame: boolean;
  /** Versions of weights that this version of the service no longer has; the score can then differ. */
  otherWeights: string[];
};

/** Decisions by their ids, in this order; null for unknown ones. */
export async function readDecisions(
  viewer: Viewer,
  decisionIds: readonly string[],
): Promise<(DecisionRow | null)[]> {
  assertMay(viewer, 'decision.read');
  const rows = await findDecisions(viewer.project.database, decisionIds);
  const byId = new Map(rows.map((row) => [row.decision_id, row]));
  return decisionIds.map((id) => byId.get(id) ?? null);
}

/** The same page of the decisions on several accounts, in the order of their internal ids; decisions as they are read. */
export async function listDecisions(
  viewer: Viewer,
  ids: readonly string[],
  page: KeysetPage,
): Promise<DecisionRow[][]> {
  assertMay(viewer, 'decision.read');
  const rows = await findDecisionsOfAccounts(viewer.project.database, ids, page);
  const byAccount = Map.groupBy(rows, (row) => row.account);
  return ids.map((id) => byAccount.get(id) ?? []);
}

/** Number of decisions on several accounts, in the order of their internal ids, counted up to a limit. */
export async function countDecisions(
  viewer: Viewer,
  ids: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'decision.read');
  const rows = await countStoredDecisions(viewer.project.database, ids, limit);
  const byId = new Map(rows.map(({ id, total }) => [id, total]));
  return ids.map((id) => byId.get(id) ?? 0);
}

/** A page of the decisions of the project, the newest first; decisions as they are read. */
export function listFoundDecisions(
  viewer: Viewer,
  filter: DecisionFilter,
  page: KeysetPage,
): Promise<DecisionRow[]> {
  assertMay(viewer, 'decision.read');
  return searchDecisions(viewer.project.database, filter, page);
}

/** Number of decisions of the project that a filter finds, counted up to a limit. */
export function countFound(viewer: Viewer, filter: DecisionFilter, limit: number): Promise<number> {
  assertMay(viewer, 'decision.read');
  return countFoundDecisions(viewer.project.database, filter, limit);
}

/** Repeats a decision from its stored inputs, by the rules of its time. Nothing is written. */
export async function replayDecision(viewer: Viewer, decisionId: string): Promise<Replay> {
  assertMay(viewer, 'decision.replay');
  const [row] = isUuid(decisionId) ? await readDecisions(viewer, [decisionId]) : [];
  if (!row) throw new AppError('decision.not_found', 'not_found', 'Decision not found');
  return replay(viewer.project, row);
}

async function replay(project: Project, row: DecisionRow): Promise<Replay> {
  const { inputs, outcome: storedOutcome } = decryptDecision(project.cipher, row.decision_id, row.inputs);
  const stored = await readRuleSetAt(project.database, row.versions.rules ?? 0);
  const rules = compileRuleSet(stored, inputs.language ?? 1);
  const outcome = outcomeOf(conclude(inputs, rules));
  const { account } = row.versions;
  return {
    row,
    outcome,
    isSame: JSON.stringify(outcome) === JSON.stringify(storedOutcome),
    otherWeights: account === ACCOUNT_WEIGHTS_VERSION ? [] : [`account ${account}`],
  };
}
