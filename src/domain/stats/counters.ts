import type { Facts } from '@vouchgraph/rules';
import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '@vouchgraph/signals';
/*
 * Counters of statistics and their names. The worker, which reads events, and a rebuild, which reads the tables, both use these
 * functions, so that they compute the same numbers from the same rows.
 */

export type CounterKind = 'session' | 'decision' | 'signal' | 'rule' | 'check' | 'outcome';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A counter of an hour. */
export type HourlyCounter = {
  readonly hour: Date;
  readonly kind: CounterKind;
  readonly key: string;
  readonly value: number;
};

/** Start of the hour of a time. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** Counted properties of a stored decision. */
export type CountedDecision = {
  readonly at: Date;
  readonly decision: string;
  /** Whether it bound its session to its account; false for a repeated decision. */
  readonly binds: boolean;
  readonly facts: Facts;
};

export type CountedMatch = { readonly at: Date; readonly rule_id: string; readonly shadow: boolean };

export type CountedCheck = {
  readonly completed_at: Date;
  readonly kind: string;
  readonly state: string;
  readonly decision: string;
};

const SEPARATOR = ':';
const SIGNAL_FIELDS = RISK_SCORE_KEYS.map((key) => [key, `session.risk_signals.${scoreName(key)}`] as const);

/** Numbers by hour, kind and key. */
export class HourlyCounts {
  readonly #values = new Map<string, { hour: Date; kind: CounterKind; key: string; value: number }>();

  #add(at: Date, kind: CounterKind, key: string, times = 1): void {
    const hour = hourOf(at);
    const name = `${hour.getTime()} ${kind} ${key}`;
    const counter = this.#values.get(name);
    if (counter) counter.value += times;
    else this.#values.set(name, { hour, kind, key, value: times });
  }

  addCompletedSessions(completedAt: Date, times = 1): void {
    this.#add(completedAt, 'session', 'completed', times);
  }

  addDecision({ at, decision, binds, facts }: CountedDecision): void {
    this.#add(at, 'decision', decision);
    if (binds) this.#add(at, 'session', 'bound');
    for (const [key, field] of SIGNAL_FIELDS) if (facts[field] === true) this.#add(at, 'signal', key);
  }

  addMatches({ at, rule_id, shadow }: CountedMatch, times = 1): void {
    this.#add(at, 'rule', [rule_id, shadow ? 'shadow' : 'live'].join(SEPARATOR), times);
  }

  addChecks({ completed_at, kind, state, decision }: CountedCheck, times = 1): void {
    this.#add(completed_at, 'check', [kind, state].join(SEPARATOR), times);
    if (decision !== '') this.#add(completed_at, 'check', [kind, decision].join(SEPARATOR), times);
  }

  addOutcomes(reportedAt: Date, outcome: string, times: number): void {
    this.#add(reportedAt, 'outcome', outcome, times);
  }

  /** All counters in the order of the table's key. */
  rows(): HourlyCounter[] {
    const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    return [...this.#values.values()].sort(
      (a, b) => a.hour.getTime() - b.hour.getTime() || compare(a.kind, b.kind) || compare(a.key, b.key),
    );
  }
}

/** A counter summed over a time range. */
export type Counter = { readonly kind: string; readonly key: string; readonly value: number };

export type StatsCounts = {
  readonly sessionsCompleted: number;
  readonly sessionsBound: number;
  readonly decisions: OutcomeCounts;
  readonly signals: Readonly<Record<RiskScoreKey, number>>;
  readonly rules: readonly { readonly ruleId: string; readonly live: number; readonly shadow: number }[];
  readonly idChecks: CheckCounts;
  readonly faceChecks: CheckCounts;
  readonly outcomes: { readonly fraud: number; readonly legitimate: number; readonly chargeback: number };
};

export type OutcomeCounts = { readonly real: number; readonly suspicious: number; readonly fake: number };
export type CheckCounts = {
  readonly completed: number;
  readonly failed: number;
  readonly decisions: OutcomeCounts;
};

/** Counters in the form of the interface; missing counters are 0. */
export function statsCounts(counters: readonly Counter[]): StatsCounts {
  const values = new Map<string, number>();
  const rules = new Map<string, { live: number; shadow: number }>();
  for (const { kind, key, value } of counters) {
    const name = `${kind} ${key}`;
    values.set(name, (values.get(name) ?? 0) + value);
    if (kind === 'rule') addRule(rules, key, value);
  }
  const of = (kind: string, key: string) => values.get(`${kind} ${key}`) ?? 0;
  const decisionsOf = (kind: string, before = ''): OutcomeCounts => ({
    real: of(kind, `${before}Real`),
    suspicious: of(kind, `${before}Suspicious`),
    fake: of(kind, `${before}Fake`),
  });
  const checksOf = (check: string): CheckCounts => ({
    completed: of('check', `${check}${SEPARATOR}completed`),
    failed: of('check', `${check}${SEPARATOR}failed`),
    decisions: decisionsOf('check', `${check}${SEPARATOR}`),
  });
  return {
    sessionsCompleted: of('session', 'completed'),
    sessionsBound: of('session', 'bound'),
    decisions: decisionsOf('decision'),
    signals: Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, of('signal', key)])) as Record<
      RiskScoreKey,
      number
    >,
    rules: [...rules]
      .map(([ruleId, counts]) => ({ ruleId, ...counts }))
      .sort((a, b) => (a.ruleId < b.ruleId ? -1 : 1)),
    idChecks: checksOf('id'),
    faceChecks: checksOf('face'),
    outcomes: {
      fraud: of('outcome', 'fraud'),
      legitimate: of('outcome', 'legitimate'),
      chargeback: of('outcome', 'chargeback'),
    },
  };
}

function addRule(rules: Map<string, { live: number; shadow: number }>, key: string, value: number): void {
  const [ruleId = '', how] = key.split(SEPARATOR);
  const counts = rules.get(ruleId) ?? { live: 0, shadow: 0 };
  rules.set(ruleId, counts);
  counts[how === 'shadow' ? 'shadow' : 'live'] += value;
}
