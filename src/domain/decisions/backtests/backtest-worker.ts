import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import type { Database } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import { ruleLanguage } from '../../rules/rule-language.ts';
import { triggersOf } from '../conclude.ts';
import { decryptFacts } from '../decision-inputs.ts';
import { type Backtest, Tally } from './backtest.ts';
import { clearMatches } from './backtest-match-store.ts';
import {
  type ClaimedBacktest,
  type ClaimedCondition,
  claimBacktest,
  countDecisions,
  countOnLists,
  DECISIONS_AT_ONCE,
  type DecisionRange,
  finishBacktest,
  readDecisions,
  releaseBacktest,
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
  const { database, runsAlone = true, onError } = deps;
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let isAsked = false;

  /** Runs one backtest; true when one was queued. */
  async function runNext(projectId: string | null): Promise<boolean> {
    const claimed = stop.signal.aborted ? null : await claimBacktest(database.system, projectId);
    if (!claimed) return false;
    await runClaimed(deps, claimed, stop.signal);
    return true;
  }

  async function runAll(): Promise<void> {
    do {
      isAsked = false;
      while (await runNext(null));
    } while (isAsked && !stop.signal.aborted);
  }

  function wake(): void {
    isAsked = true;
    if (stop.signal.aborted) return;
    running ??= runAll()
      .catch(onError)
      .finally(() => {
        running = null;
      });
  }

  const timer = runsAlone ? setInterval(wake, EVERY_MS).unref() : undefined;
  return {
    wake,
    async settle(projectId) {
      for (;;) {
        if (await runNext(projectId)) continue;
        if (!running) return;
        await running;
      }
    },
    async close() {
      clearInterval(timer);
      stop.abort();
      await running;
    },
  };
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
    if (tally === 'interrupted') return await releaseBacktest(own, claimed);
    if (tally === 'lost') return;
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

/** Result of all decisions; `lost` after a cancellation or takeover, `interrupted` when the process stops. */
async function examine(
  project: Project,
  claimed: ClaimedBacktest,
  signal: AbortSignal,
): Promise<Tally | 'lost' | 'interrupted'> {
  const { backtest } = claimed;
  const tally = new Tally();
  const range = rangeOf(backtest);
  const stayAlive = () => saveProgress(project.database, claimed, 0, tally.counts(), []);
  await clearMatches(project.database, backtest.backtestId, stayAlive);
  const counted = await countDecisions(project.database, range, stayAlive);
  const save = () =>
    saveProgress(project.database, claimed, counted - tally.excluded, tally.counts(), tally.takeMatches());
  if (!(await save())) return 'lost';
  let saved = performance.now();
  for await (const _page of tryPages(project, backtest, range, tally)) {
    if (signal.aborted) return 'interrupted';
    if (performance.now() - saved < SAVE_EVERY_MS) continue;
    if (!(await save())) return 'lost';
    saved = performance.now();
  }
  return (await save()) ? tally : 'lost';
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
