import { setTimeout as delay } from 'node:timers/promises';
import {
  abortOnSignal,
  count,
  counted,
  createProgressLine,
  decisionOf,
  print,
  printJson,
  printTable,
  wordOf,
} from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { BACKTEST_BY_ID, BACKTEST_RULE, CANCEL_BACKTEST } from './documents.ts';
import { conditionOf, type Tried } from './trial.ts';

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

type Match = { accountId: string; sessionId: string; at: string; decision: string };
type Backtest = {
  id: string;
  backtestId: string;
  backtestState: string;
  progress: number;
  since: string;
  until: string;
  trigger: string;
  expression: string;
  total: number | null;
  examined: number;
  skipped: number;
  matched: number;
  matchedAccounts: number;
  overlap: { list: string; accounts: number }[];
  sample: Match[];
  createdAt: string;
  finishedAt: string | null;
};

const isOpen = ({ backtestState }: Backtest) => backtestState === 'WAITING' || backtestState === 'RUNNING';

type BacktestOptions = Tried & { since?: Date; until?: Date; json?: boolean };

/** Runs a condition over stored decisions, with its progress on the terminal. Ctrl-C cancels the backtest. */
export async function backtestRule(
  api: Api,
  options: BacktestOptions,
  name: string | undefined,
): Promise<void> {
  const signal = abortOnSignal();
  const condition = await conditionOf(api, name, options);
  const since = options.since ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS);
  const input = { ...condition, since: since.toISOString(), until: options.until?.toISOString() };
  const { backtestRule } = await api.run<{ backtestRule: { backtest: Backtest } }>(BACKTEST_RULE, { input });
  const backtest = await untilFinished(api, backtestRule.backtest, signal);
  if (backtest.backtestState !== 'DONE') process.exitCode = 1;
  if (options.json) printJson(shown(backtest));
  else printBacktest(backtest);
}

async function untilFinished(api: Api, started: Backtest, signal: AbortSignal): Promise<Backtest> {
  const line = createProgressLine();
  let backtest = started;
  let isCancelled = false;
  while (isOpen(backtest)) {
    const { progress, examined, matchedAccounts } = backtest;
    line.show(
      `${Math.floor(progress * 100)} %, ${count(examined)} decisions, ${counted(matchedAccounts, 'account')} matched`,
    );
    if (signal.aborted && !isCancelled) {
      await api.run(CANCEL_BACKTEST, { id: backtest.id });
      isCancelled = true;
    }
    await delay(api.pollMs, undefined, { signal: signal.aborted ? undefined : signal }).catch(() => {});
    const answer = await api.run<{ backtest: Backtest | null }>(BACKTEST_BY_ID, { id: backtest.id });
    if (!answer.backtest) break;
    backtest = answer.backtest;
  }
  line.clear();
  return backtest;
}

const shown = (backtest: Backtest) => ({
  backtest_id: backtest.backtestId,
  state: wordOf(backtest.backtestState),
  expression: backtest.expression,
  trigger: wordOf(backtest.trigger),
  since: backtest.since,
  until: backtest.until,
  progress: backtest.progress,
  total: backtest.total,
  examined: backtest.examined,
  skipped: backtest.skipped,
  matched: backtest.matched,
  matched_accounts: backtest.matchedAccounts,
  overlap: backtest.overlap,
  sample: backtest.sample.map(({ accountId, sessionId, at, decision }) => ({
    account_id: accountId,
    session_id: sessionId,
    at,
    decision: decisionOf(decision),
  })),
  created_at: backtest.createdAt,
  finished_at: backtest.finishedAt,
});

function printBacktest(backtest: Backtest): void {
  const { backtestState, since, until, examined, skipped, matched, matchedAccounts, overlap, sample } =
    backtest;
  const span = `${since.slice(0, 16)}Z to ${until.slice(0, 16)}Z`;
  print(`Backtest ${backtest.backtestId}: ${wordOf(backtestState)}, ${span}`);
  print(`${counted(examined, 'decision')} examined, ${count(skipped)} skipped because of a missing value`);
  print(`${counted(matched, 'decision')} of ${counted(matchedAccounts, 'account')} matched`);
  for (const { list, accounts } of overlap) print(`  ${counted(accounts, 'account')} on the list ${list}`);
  if (sample.length === 0) return;
  print('\nExamples:');
  printTable(
    ['ACCOUNT', 'DECISION', 'TIME', 'SESSION'],
    sample.map(({ accountId, sessionId, at, decision }) => [
      accountId,
      decisionOf(decision),
      `${at.slice(0, 16)}Z`,
      sessionId,
    ]),
  );
}
