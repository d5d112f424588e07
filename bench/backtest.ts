import { mkdirSync, writeFileSync } from 'node:fs';
import { accountScore, decide, encryptDecision, ruleLanguage } from '@vouchgraph/decisions';
import { systemClock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { Facts } from '@vouchgraph/rules';
import { createBacktestService } from '../src/domain/decisions/backtests/backtest-service.ts';
import { findBacktest } from '../src/domain/decisions/backtests/backtest-store.ts';
import { startBacktests } from '../src/domain/decisions/backtests/backtest-worker.ts';
import type { Viewer } from '../src/domain/projects/access-service.ts';
import { insertRows } from './support/bulk-insert.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { makeEvent } from './support/rules/events.ts';
import { createRandom } from './support/signals/random.ts';
import { median } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Speed of a condition on stored decisions: read, decrypted, evaluated and counted, as by the backtest runner.
 * The counts of each run are compared with those of the decisions as generated.
 */
const BAR = 20_000;
const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const SPREAD_MS = 30 * 86_400_000;
const EXPRESSIONS = [
  'account.account_score >= 0.5',
  'session.risk_signals.vpn AND account.email.disposable AND NOT lists MATCHES LIST "block"',
  '(session.true_country_code IN ["DE", "AT"] OR session.bot > 0.5) AND velocity.accounts_per_device_1d > 3 AND account.num_sessions < 10',
];

type MadeDecision = { decisionId: string; account: string; facts: Facts };

const options = readOptions();
const random = createRandom(11);

/** Decisions of the last 30 days, about four of each account. */
async function makeDecisions(bench: Workbench, count: number): Promise<MadeDecision[]> {
  const accounts = Array.from({ length: Math.ceil(count / 4) }, () => newId());
  const begin = Date.now() - SPREAD_MS;
  const made: MadeDecision[] = [];
  for (let from = 0; from < count; from += 10_000) {
    const part = Array.from({ length: Math.min(10_000, count - from) }, (_, index) => {
      const at = Math.floor(begin + (SPREAD_MS * (from + index)) / count);
      return { at, decisionId: newId(at), account: random.pick(accounts), facts: makeEvent(random) };
    });
    made.push(...part.map(({ decisionId, account, facts }) => ({ decisionId, account, facts })));
    await insertRows(
      bench,
      {
        name: 'decisions',
        columns: {
          decision_id: 'uuid',
          account_id: 'uuid',
          session_id: 'uuid',
          request_id: 'uuid',
          at: 'timestamptz',
          first_session: 'bool',
          decision: 'text',
          account_score: 'float8',
          inputs: 'bytea',
        },
        computed: {
          versions: `'{"signals":"1","links":"1","account":"1","email":"1","thresholds":1,"rules":1}'`,
        },
      },
      part.map((decision) => toRow(bench, decision)),
    );
  }
  return made;
}

function toRow({ project }: Workbench, { at, decisionId, account, facts }: MadeDecision & { at: number }) {
  const part = () => random.share() ** 3;
  const parts = { riskSignals: part(), bot: part(), multipleAccounts: part(), email: part() };
  const score = accountScore(parts);
  const by = { source: 'api', actor: 'vg_sandbox_1234', reason: '' };
  const lists = [{ name: 'newsletter', effect: 'none', ...by }];
  const trace = decide({ thresholds: THRESHOLDS, after: { score, lists } });
  const inputs = { facts, parts, thresholds: THRESHOLDS, lists, known: [] };
  return {
    decision_id: decisionId,
    account_id: account,
    session_id: newId(at),
    request_id: newId(at),
    at: new Date(at),
    first_session: random.chance(0.25),
    decision: trace.decision,
    account_score: score,
    inputs: encryptDecision(project.cipher, decisionId, inputs, { trace, rules: [], flags: [] }),
  };
}

/** Expected result of the backtest. */
function countsOf(expression: string, decisions: readonly MadeDecision[]) {
  const holds = ruleLanguage.compile(ruleLanguage.parse(expression));
  const outcomes = decisions.map(({ facts }) => holds(facts));
  const matching = decisions.filter((_, index) => outcomes[index] === true);
  return {
    examined: decisions.length,
    matched: matching.length,
    skipped: outcomes.filter((outcome) => outcome === null).length,
    accounts: new Set(matching.map(({ account }) => account)).size,
  };
}

await withWorkbench(options, async (bench) => {
  const { project, system } = bench;
  const decisions = await makeDecisions(bench, options.size);
  await bench.analyze();
  const failures: unknown[] = [];
  const runner = startBacktests({
    database: { system, forProject: () => project.database },
    clock: systemClock,
    getProject: async () => project,
    onError: (error) => failures.push(error),
  });
  const backtests = createBacktestService({ clock: systemClock, onAdded: () => {} });
  const viewer: Viewer = {
    project,
    kind: 'key',
    role: 'operator',
    actor: 'benchmark',
    limitKey: 'benchmark',
  };
  const since = new Date(Date.now() - 2 * SPREAD_MS);
  const results = [];
  for (const expression of EXPRESSIONS) {
    const expected = countsOf(expression, decisions);
    const rates: number[] = [];
    const processor: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const { backtestId } = await backtests.add(viewer, newId(), { expression, since });
      const cpu = process.cpuUsage();
      const before = performance.now();
      await runner.settle(project.projectId);
      rates.push((decisions.length / (performance.now() - before)) * 1000);
      const { user, system: kernel } = process.cpuUsage(cpu);
      processor.push((user + kernel) / decisions.length);
      const { examined, matched, skipped, accounts } = (await findBacktest(project.database, backtestId))!;
      if (failures.length > 0) throw failures[0];
      const found = JSON.stringify({ examined, matched, skipped, accounts });
      if (found !== JSON.stringify(expected))
        throw new Error(`${expression}: found ${found} instead of ${JSON.stringify(expected)}`);
    }
    results.push({ expression, ...expected, perSecond: median(rates), cpuMicroseconds: median(processor) });
  }
  await runner.close();
  printTable(
    ['expression', 'decisions', 'matched', 'decisions/s', 'CPU µs', 'bar', ''],
    results.map((result) => [
      result.expression.slice(0, 60),
      `${result.examined}`,
      `${result.matched}`,
      result.perSecond.toFixed(0),
      result.cpuMicroseconds.toFixed(1),
      `≥ ${BAR}`,
      result.perSecond >= BAR ? 'OK' : 'BELOW THE BAR',
    ]),
  );
  const machine = describeMachine();
  console.log(`\n${machine}`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL('backtest.json', RESULTS), `${JSON.stringify({ machine, results }, null, 2)}\n`);
  if (results.some(({ perSecond }) => perSecond < BAR)) process.exitCode = 1;
});
