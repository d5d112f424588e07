import { AppError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { compileRuleSet } from '../rules/rule-set.ts';
import { readRuleSetAt } from '../rules/rule-store.ts';
import { ACCOUNT_WEIGHTS_VERSION } from './account-score.ts';
import { conclude, outcomeOf } from './conclude.ts';
import { type DecisionOutcome, openDecision } from './decision-inputs.ts';
import { type DecisionRow, findDecision, findDecisionsOfAccounts } from './decision-store.ts';

export type { DecisionRow, DecisionVersions } from './decision-store.ts';

export type Replay = {
  row: DecisionRow;
  /** What comes out now. */
  outcome: DecisionOutcome;
  /** Whether that is what was answered, score, lists, rules and flags alike. */
  isSame: boolean;
  /** Weights that this version of the service no longer has: the score can then differ. */
  otherWeights: string[];
};

/** A decision by its id, or null. */
export async function getDecision(viewer: Viewer, decisionId: string): Promise<DecisionRow | null> {
  assertMay(viewer, 'decision.read');
  return isUuid(decisionId) ? findDecision(viewer.project.database, decisionId) : null;
}

/** The latest decisions on several accounts before one, in the order of the accounts' internal ids. */
export async function listDecisions(
  viewer: Viewer,
  ids: readonly string[],
  page: { before: string; limit: number },
): Promise<DecisionRow[][]> {
  assertMay(viewer, 'decision.read');
  const rows = await findDecisionsOfAccounts(viewer.project.database, ids, page);
  const byAccount = Map.groupBy(rows, (row) => row.account);
  return ids.map((id) => byAccount.get(id) ?? []);
}

/** Makes a decision again from what is stored of it, by the rules of its time. Nothing is written. */
export async function replayDecision(viewer: Viewer, decisionId: string): Promise<Replay> {
  assertMay(viewer, 'decision.replay');
  const row = await getDecision(viewer, decisionId);
  if (!row) throw new AppError('decision.not_found', 'not_found', 'Decision not found');
  return replay(viewer.project, row);
}

async function replay(project: Project, row: DecisionRow): Promise<Replay> {
  const { inputs, outcome: told } = openDecision(project.cipher, row.decision_id, row.inputs);
  const stored = await readRuleSetAt(project.database, row.versions.rules ?? 0);
  const rules = compileRuleSet(stored, inputs.language ?? 1);
  const outcome = outcomeOf(conclude(inputs, rules));
  const { account } = row.versions;
  return {
    row,
    outcome,
    isSame: JSON.stringify(outcome) === JSON.stringify(told),
    otherWeights: account === ACCOUNT_WEIGHTS_VERSION ? [] : [`account ${account}`],
  };
}
