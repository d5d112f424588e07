import { setImmediate as nextTurn } from 'node:timers/promises';
import { decryptFacts, ruleLanguage, triggersOf } from '@vouchgraph/decisions';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import type { Database } from '../../../storage/database.ts';
import { startQueueWorker } from '../../../storage/queue/queue-worker.ts';
import type { Project } from '../../projects/project.ts';
import { type Backtest, Tally } from './backtest.ts';
import { clearMatches } from './backtest-match-store.ts';
import {
  BACKTEST_QUEUE,
  type ClaimedBacktest,
  type ClaimedCondition,
  countDecisions,
  countOnLists,
  DECISIONS_AT_ONCE,
  type DecisionRange,
  finishBacktest,
  readDecisions,
  saveProgress,
  type TriedDecision,
} from './backtest-store.ts';

export type BacktestRunner = {
  /** Polls now instead of within two seconds. */
  wake(): void;
  /** Runs all queued backtests of a project. Resolves when none is queued or run by this process. */
  settle(projectId: string): Promise<void>;
  /** Stops. Other processes continue with unfinished backtests. */
  close(): Promise<void>;
};

type RunnerDependencies = {
  database: { readonly system: Pick<Database['system'], 'query'>; forProject: Database['forProject'] };
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  /** False: polls for backtests only when `wake` or `settle` is called. */
  runsAlone?: boolean | undefined;
  onError: (error: unknown) => void;
};

const EVERY_MS = 2000;
/** Number of decisions examined before other work gets the event loop. */
const SLICE = 200;
const SAVE_EVERY_MS = 500;

/**
 * Runs backtests, one at a time, in any process. When a process dies, another one restarts its backtest after the
 * lease expires.
 */
export function startBacktests(deps: RunnerDependencies): BacktestRunner {
  const { system } = deps.database;
  return startQueueWorker({
    system,
    queue: BACKTEST_QUEUE,
    claim: (projectId, limit) => BACKTEST_QUEUE.claim(system, projectId, limit),
    atOnce: 1,
    everyMs: EVERY_MS,
    // Progress renews the lease: a backtest without any is stuck.
    renewSeconds: 0,
    isAutomatic: deps.runsAlone,
    work: ([claimed], signal) => runClaimed(deps, claimed!, signal),
    onError: deps.onError,
  });
}

/** Runs a backtest to its end. An error fails it; while the database is unavailable, its lease expires instead. */
async function runClaimed(
  deps: RunnerDependencies,
  claimed: ClaimedBacktest,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock, getProject, onError } = deps;
  const own = database.forProject(claimed.projectId);
  try {
    const project = await getProject(claimed.projectId);
    if (!project) return;
    const tally = await examine(project, claimed, signal);
    if (tally === null) return;
    const stayAlive = () => saveProgress(own, claimed, tally.counts().examined, tally.counts(), []);
    const overlap = await countOnLists(own, tally.accountIds, clock.now(), stayAlive);
    await finishBacktest(own, claimed, 'done', clock.now(), overlap);
  } catch (error) {
    onError(error);
    // The database is unavailable: another runner claims the backtest after its lease expires.
    if (error instanceof AppError && error.kind === 'unavailable') return;
    await finishBacktest(own, claimed, 'failed', clock.now(), {});
  }
}

/** Result of all decisions; null after a cancellation or takeover, or when the process stops. */
async function examine(
  project: Project,
  claimed: ClaimedBacktest,
  signal: AbortSignal,
): Promise<Tally | null> {
  const tally = new Tally();
  const range = rangeOf(claimed);
  const stayAlive = () => saveProgress(project.database, claimed, 0, tally.counts(), []);
  await clearMatches(project.database, claimed, stayAlive);
  const counted = await countDecisions(project.database, range, stayAlive);
  const save = () =>
    saveProgress(project.database, claimed, counted - tally.excluded, tally.counts(), tally.takeMatches());
  if (!(await save())) return null;
  let saved = performance.now();
  for await (const _page of tryPages(project, claimed, range, tally)) {
    if (signal.aborted) return null;
    if (performance.now() - saved < SAVE_EVERY_MS) continue;
    if (!(await save())) return null;
    saved = performance.now();
  }
  return (await save()) ? tally : null;
}

function rangeOf({ trigger, since, until }: ClaimedCondition): DecisionRange {
  const check = CHECKS[trigger];
  return { since, until, firstSessions: trigger === 'FIRST_SESSION', check };
}

const CHECKS: Readonly<Partial<Record<Backtest['trigger'], 'id' | 'face'>>> = {
  ID_CHECK_COMPLETED: 'id',
  FACE_CHECK_COMPLETED: 'face',
};

/** Evaluates the condition on all decisions, page by page, while the next page is read. */
async function* tryPages(
  project: Project,
  { expression, trigger }: ClaimedCondition,
  range: DecisionRange,
  tally: Tally,
): AsyncGenerator<void> {
  const { database, cipher } = project;
  const holds = ruleLanguage.compile(expression);
  const tryOne = ({ decision_id, account_id, session_id, inputs }: TriedDecision) => {
    const facts = decryptFacts(cipher, decision_id, inputs);
    // Authenticating the session of a check decides again, without the results of the check.
    if (!triggersOf({ facts }).includes(trigger)) return tally.exclude();
    const tried = { decisionId: decision_id, accountId: account_id, sessionId: session_id };
    tally.add(holds(facts), tried);
  };
  for (let page = await readDecisions(database, range, null); page.length > 0; ) {
    const isLast = page.length < DECISIONS_AT_ONCE;
    const next = isLast ? [] : readDecisions(database, range, page.at(-1)!.decision_id);
    // Awaited below, where an earlier failure is thrown as well.
    Promise.resolve(next).catch(() => {});
    for (let from = 0; from < page.length; from += SLICE) {
      for (const decision of page.slice(from, from + SLICE)) {
        if (decision.first_session || !range.firstSessions) tryOne(decision);
      }
      await nextTurn();
    }
    yield;
    page = await next;
  }
}
