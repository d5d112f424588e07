import {
  ACCOUNT_WEIGHTS_VERSION,
  compileRuleSet,
  conclude,
  type DecisionOutcome,
  decryptDecision,
  outcomeOf,
} from '@vouchgraph/decisions';
import { AppError } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { readRuleSetAt } from '../rules/rule-store.ts';
import { countFoundDecisions, type DecisionFilter, searchDecisions } from './decision-search-store.ts';
import {
  countDecisions as countStoredDecisions,
  type DecisionVersions,
  findDecision,
  findDecisionsOfAccounts,
  type StoredDecision,
} from './decision-store.ts';

export type { DecisionFilter } from './decision-search-store.ts';
export type { DecisionVersions, StoredDecision } from './decision-store.ts';

export type Replay = {
  row: StoredDecision;
  /** Outcome of the replay. */
  outcome: DecisionOutcome;
  /** Whether it equals the stored outcome: score, lists, rules and flags. */
  isSame: boolean;
  /** Versions of weights that this version of the service no longer has; the score can then differ. */
  otherWeights: string[];
};

/** A decision by its id; null for an unknown one. */
export function readDecision(viewer: Viewer, decisionId: string): Promise<StoredDecision | null> {
  assertMay(viewer, 'decision.read');
  return findDecision(viewer.project.database, decisionId);
}

/** The same page of the decisions on several accounts, in the order of their internal ids; decisions as they are read. */
export function listDecisions(
  viewer: Viewer,
  ids: readonly string[],
  page: KeysetPage,
): Promise<StoredDecision[][]> {
  assertMay(viewer, 'decision.read');
  return findDecisionsOfAccounts(viewer.project.database, ids, page);
}

/** Number of decisions on several accounts, in the order of their internal ids, counted up to a limit. */
export async function countDecisions(
  viewer: Viewer,
  ids: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'decision.read');
  return countStoredDecisions(viewer.project.database, ids, limit);
}

/** A page of the decisions of the project, the newest first; decisions as they are read. */
export function listFoundDecisions(
  viewer: Viewer,
  filter: DecisionFilter,
  page: KeysetPage,
): Promise<StoredDecision[]> {
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
  const row = isUuid(decisionId) ? await readDecision(viewer, decisionId) : null;
  if (!row) throw new AppError('decision.not_found', 'not_found', 'Decision not found');
  return replay(viewer.project, row);
}

async function replay(project: Project, row: StoredDecision): Promise<Replay> {
  const { inputs, outcome: storedOutcome } = decryptDecision(project.cipher, row.decisionId, row.inputs);
  const versions = row.versions as DecisionVersions;
  const stored = await readRuleSetAt(project.database, versions.rules);
  const rules = compileRuleSet(stored);
  const outcome = outcomeOf(conclude(inputs, rules));
  const { account } = versions;
  return {
    row,
    outcome,
    isSame: JSON.stringify(outcome) === JSON.stringify(storedOutcome),
    otherWeights: account === ACCOUNT_WEIGHTS_VERSION ? [] : [`account ${account}`],
  };
}
