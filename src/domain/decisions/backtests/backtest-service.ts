import type { Clock } from '../../../platform/clock.ts';
import { invalidInput } from '../../../platform/errors.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import { backtestNotFound, tooManyBacktests } from '../../rules/errors.ts';
import { printExpression } from '../../rules/language/print-expression.ts';
import type { Trigger } from '../../rules/rule.ts';
import { readExpression } from '../../rules/rule-input.ts';
import { checkNamedLists } from '../rule-trial-service.ts';
import type { Backtest } from './backtest.ts';
import {
  cancelBacktest,
  countOpen,
  findBacktest,
  findSampled,
  insertBacktest,
  listBacktests,
  type SampledDecision,
} from './backtest-store.ts';

export type { SampledDecision } from './backtest-store.ts';

/** Backtests of a project that wait or run. */
const MOST_OPEN = 3;

export type BacktestRequest = {
  readonly expression: string;
  readonly since: Date;
  /** Now when absent. */
  readonly until?: Date | null;
  /** ANY_SESSION when absent. */
  readonly trigger?: Trigger | null;
};

export type BacktestService = ReturnType<typeof createBacktestService>;

/** Takes backtests on, shows and cancels them; they are run by whichever process is free. */
export function createBacktestService(deps: { clock: Clock; onAdded: () => void }) {
  const { clock, onAdded } = deps;

  async function add(viewer: Viewer, requestId: string, request: BacktestRequest): Promise<Backtest> {
    assertMay(viewer, 'backtest.run');
    const { projectId, database } = viewer.project;
    const expression = readExpression(request.expression, ['expression']);
    const now = clock.now();
    const { since, until = null, trigger } = request;
    const end = until !== null && until < now ? until : now;
    if (since >= end) throw invalidInput('since must be before until, and in the past', ['since']);
    await checkNamedLists(database, expression);
    const backtest = {
      backtestId: newId(now.getTime()),
      expression,
      trigger: trigger ?? ('ANY_SESSION' as const),
      since,
      until: end,
      actor: viewer.actor,
      createdAt: now,
    };
    const told = { expression: printExpression(expression), trigger: backtest.trigger, since, until: end };
    const audit = { ...auditOf(viewer, requestId, backtest.backtestId, 'rule.backtest', now), after: told };
    const added = await database.transaction(async (transaction) => {
      if ((await countOpen(transaction, projectId)) >= MOST_OPEN) throw tooManyBacktests(MOST_OPEN);
      return insertBacktest(transaction, projectId, backtest, audit);
    });
    onAdded();
    return added;
  }

  /** Ends a backtest that waits or runs; one that has ended stays as it is. */
  async function cancel(viewer: Viewer, requestId: string, backtestId: string): Promise<Backtest> {
    assertMay(viewer, 'backtest.cancel');
    if (!isUuid(backtestId)) throw backtestNotFound();
    const { database } = viewer.project;
    const now = clock.now();
    const audit = auditOf(viewer, requestId, backtestId.toLowerCase(), 'rule.backtest_cancel', now);
    const cancelled = await cancelBacktest(database, backtestId, now, audit);
    const backtest = cancelled ?? (await findBacktest(database, backtestId));
    if (!backtest) throw backtestNotFound();
    return backtest;
  }

  async function find(viewer: Viewer, backtestId: string): Promise<Backtest | null> {
    assertMay(viewer, 'backtest.read');
    const { project } = viewer;
    return isUuid(backtestId) ? findBacktest(project.database, backtestId) : null;
  }

  /** The latest ones, the newest first. */
  function list(viewer: Viewer, limit: number): Promise<Backtest[]> {
    assertMay(viewer, 'backtest.read');
    const { project } = viewer;
    return listBacktests(project.database, limit);
  }

  return { add, cancel, find, list };
}

function auditOf(viewer: Viewer, requestId: string, backtestId: string, action: string, at: Date) {
  const target = `backtest:${backtestId}`;
  return { auditId: newId(at.getTime()), at, actor: viewer.actor, action, target, requestId };
}

/** Sampled decisions of backtests by their ids, in this order; null for a decision on an erased account. */
export async function readSampled(
  viewer: Viewer,
  decisionIds: readonly string[],
): Promise<(SampledDecision | null)[]> {
  assertMay(viewer, 'backtest.read');
  const rows = await findSampled(viewer.project.database, decisionIds);
  const byId = new Map(rows.map((row) => [row.decision_id, row]));
  return decisionIds.map((id) => byId.get(id) ?? null);
}
