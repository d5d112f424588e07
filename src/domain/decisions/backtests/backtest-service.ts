import type { Trigger } from '@vouchgraph/decisions';
import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { printExpression } from '@vouchgraph/rules';
import { type AuditedChange, auditEntry } from '../../audit/audit-entry.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import { backtestNotFound, tooManyBacktests } from '../../rules/errors.ts';
import { readExpression } from '../../rules/rule-input.ts';
import { checkNamedLists } from '../rule-trial-service.ts';
import { addMatchesToList, type MatchesToAdd } from './backtest-list-service.ts';
import {
  cancelBacktest,
  countOpen,
  findBacktest,
  insertBacktest,
  type StoredBacktest,
} from './backtest-store.ts';

/** Maximum number of queued and running backtests of a project. */
const MAX_OPEN_BACKTESTS = 3;

export type BacktestRequest = {
  readonly expression: string;
  readonly since: Date;
  /** Now when absent. */
  readonly until?: Date | null;
  /** ANY_SESSION when absent. */
  readonly trigger?: Trigger | null;
};

export type BacktestService = ReturnType<typeof createBacktestService>;

/** Queues and cancels backtests; any free process runs them. */
export function createBacktestService(deps: { clock: Clock; onAdded: () => void }) {
  const { clock, onAdded } = deps;

  async function add(viewer: Viewer, requestId: string, request: BacktestRequest): Promise<StoredBacktest> {
    assertMay(viewer, 'backtest.run');
    const { projectId, database } = viewer.project;
    const expression = readExpression(request.expression, ['input', 'expression']);
    const now = clock.now();
    const { since, until = null, trigger } = request;
    const end = until !== null && until < now ? until : now;
    if (since >= end) throw invalidInput('since must be before until, and in the past', ['input', 'since']);
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
    const tried = { expression: printExpression(expression), trigger: backtest.trigger, since, until: end };
    const change = { action: 'rule.backtest', after: tried } as const;
    const audit = auditOf(viewer, requestId, backtest.backtestId, now, change);
    const added = await database.transaction(async (transaction) => {
      if ((await countOpen(transaction, projectId)) >= MAX_OPEN_BACKTESTS)
        throw tooManyBacktests(MAX_OPEN_BACKTESTS);
      return insertBacktest(transaction, projectId, backtest, audit);
    });
    onAdded();
    return added;
  }

  /** Cancels a queued or running backtest; a finished one does not change. */
  async function cancel(viewer: Viewer, requestId: string, backtestId: string): Promise<StoredBacktest> {
    assertMay(viewer, 'backtest.cancel');
    if (!isUuid(backtestId)) throw backtestNotFound();
    const { database } = viewer.project;
    const now = clock.now();
    const change = { action: 'rule.backtest_cancel' } as const;
    const audit = auditOf(viewer, requestId, backtestId.toLowerCase(), now, change);
    const cancelled = await cancelBacktest(database, backtestId, now, audit);
    const backtest = cancelled ?? (await findBacktest(database, backtestId));
    if (!backtest) throw backtestNotFound();
    return backtest;
  }

  /** Adds the accounts that a backtest matched to a list. */
  const addToList = (viewer: Viewer, requestId: string, input: MatchesToAdd) =>
    addMatchesToList(clock, viewer, requestId, input);

  return { add, cancel, addToList };
}

function auditOf(
  viewer: Viewer,
  requestId: string,
  backtestId: string,
  at: Date,
  change: Omit<AuditedChange, 'target'>,
) {
  return auditEntry(viewer, requestId, at, { ...change, target: `backtest:${backtestId}` });
}
