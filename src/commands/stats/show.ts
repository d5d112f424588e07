import { RISK_SCORE_KEYS, scoreName } from '@vouchgraph/signals';
import {
  count,
  print,
  printJson,
  printSection,
  printTable,
  snakeKeys,
  UsageError,
  wordOf,
} from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { STATS } from './documents.ts';

type Decisions = { real: number; suspicious: number; fake: number };
type Checks = { completed: number; failed: number; decisions: Decisions };
type RuleCounts = { ruleId: string; rule: { name: string } | null; live: number; shadow: number };
type Counts = {
  sessionsCompleted: number;
  sessionsBound: number;
  decisions: Decisions;
  signals: Record<(typeof RISK_SCORE_KEYS)[number], number>;
  rules: RuleCounts[];
  idChecks: Checks;
  faceChecks: Checks;
  outcomes: { fraud: number; legitimate: number; chargeback: number };
};
type Stats = {
  by: string;
  since: string;
  until: string;
  buckets: { start: string; end: string; counts: Counts }[];
  total: Counts;
};
type Interval = 'hour' | 'day';
type Period = { by: Interval; days?: number; since?: Date; until?: Date };

const LENGTH_MS: Readonly<Record<Interval, number>> = { hour: 3_600_000, day: 86_400_000 };
const DEFAULT_DAYS = 30;

/** Prints the statistics of a period: a row for each hour or day with counts, and the details of its total. */
export async function showStats(api: Api, options: Period & { json?: boolean }): Promise<void> {
  const { by, until, json } = options;
  const variables = {
    by: by.toUpperCase(),
    since: sinceOf(options).toISOString(),
    until: until?.toISOString(),
  };
  const { stats } = await api.run<{ stats: Stats }>(STATS, variables);
  if (json) return printJson(shown(stats));
  print(`${timeOf(by, stats.since)} to ${lastTimeOf(by, stats.until)}, ${by}s in UTC`, '');
  if (isEmpty(stats.total)) return print('Nothing was counted in this period.');
  printRows(by, stats);
  printDetails(stats.total);
}

/** The first bucket; that of `days` is such that the last bucket is the current one. */
function sinceOf({ by, days, since, until }: Period): Date {
  if (days !== undefined && (since ?? until) !== undefined)
    throw new UsageError('--days cannot be combined with --since and --until', 'days');
  if (since) return since;
  const length = LENGTH_MS[by];
  const end = until ? Math.ceil(until.getTime() / length) : Math.floor(Date.now() / length) + 1;
  return new Date(end * length - (days ?? DEFAULT_DAYS) * LENGTH_MS.day);
}

const shownCounts = (counts: Counts) => ({
  ...(snakeKeys({ ...counts, rules: undefined }) as object),
  rules: counts.rules.map(({ ruleId, rule, live, shadow }) => ({
    rule_id: ruleId,
    name: rule?.name ?? null,
    live,
    shadow,
  })),
});

const shown = ({ by, since, until, buckets, total }: Stats) => ({
  by: wordOf(by),
  since,
  until,
  buckets: buckets.map(({ start, end, counts }) => ({ start, end, ...shownCounts(counts) })),
  total: shownCounts(total),
});

const timeOf = (by: Interval, time: string) => (by === 'day' ? time.slice(0, 10) : `${time.slice(0, 16)}Z`);

/** The last day, or the end of the last hour. */
function lastTimeOf(by: Interval, until: string): string {
  return by === 'hour' ? timeOf(by, until) : timeOf(by, new Date(Date.parse(until) - 1).toISOString());
}

const COLUMNS = ['SESSIONS', 'REAL', 'SUSPICIOUS', 'FAKE', 'CHECKS', 'FAILED', 'OUTCOMES'];

const cellsOf = ({ sessionsBound, decisions, idChecks, faceChecks, outcomes }: Counts): number[] => [
  sessionsBound,
  decisions.real,
  decisions.suspicious,
  decisions.fake,
  idChecks.completed + faceChecks.completed,
  idChecks.failed + faceChecks.failed,
  outcomes.fraud + outcomes.legitimate + outcomes.chargeback,
];

const isEmpty = (counts: Counts) =>
  counts.sessionsCompleted === 0 && cellsOf(counts).every((cell) => cell === 0);

function printRows(by: Interval, { buckets, total }: Stats): void {
  const rows = buckets
    .filter(({ counts }) => !isEmpty(counts))
    .map(({ start, counts }) => [timeOf(by, start), ...cellsOf(counts).map(count)]);
  const all = [[by.toUpperCase(), ...COLUMNS], ...rows, ['TOTAL', ...cellsOf(total).map(count)]];
  const widths = all[0]!.map((_cell, column) => Math.max(...all.map((row) => row[column]!.length)));
  const [header, ...others] = all.map((row) =>
    row.map((cell, column) => (column === 0 ? cell : cell.padStart(widths[column]!))),
  );
  printTable(header!, others);
}

function printDetails({ signals, rules, idChecks, faceChecks, outcomes }: Counts): void {
  printSection('Checks', [...checkRows('id_check', idChecks), ...checkRows('face_check', faceChecks)]);
  printSection(
    'Decisions on sessions with a risk signal',
    numberRows(RISK_SCORE_KEYS.map((key) => [scoreName(key), signals[key]])),
  );
  printSection(
    'Matches of rules',
    rules
      .toSorted((a, b) => b.live + b.shadow - a.live - a.shadow)
      .map(({ ruleId, rule, live, shadow }) => [
        rule?.name ?? ruleId,
        `${count(live)} live`,
        `${count(shadow)} in shadow`,
      ]),
  );
  printSection('Outcomes', numberRows(Object.entries(outcomes)));
}

function checkRows(kind: string, { completed, failed, decisions }: Checks): string[][] {
  if (completed === 0 && failed === 0) return [];
  const { real, suspicious, fake } = decisions;
  return [
    [
      kind,
      `${count(completed)} completed: ${count(real)} Real, ${count(suspicious)} Suspicious, ${count(fake)} Fake`,
      `${count(failed)} failed`,
    ],
  ];
}

const numberRows = (rows: readonly [string, number][]): string[][] =>
  rows.flatMap(([name, number]) => (number === 0 ? [] : [[name, count(number)]]));
