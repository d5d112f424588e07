import { ruleLanguage } from '@vouchgraph/decisions';
import type { Expression, Facts } from '@vouchgraph/rules';
import type { Evaluate } from '@vouchgraph/rules/internals/evaluate-expression';
import { createRandom } from '../signals/random.ts';
import { median, quantile } from '../statistics.ts';
import { makeEvent } from './events.ts';
import { makeRules } from './rule-mix.ts';

const RULES = 200;
const DISTINCT_EVENTS = 1000;
const EVENTS = 10_000;
/** Events whose results are compared with the trace, which is evaluated in another way. */
const CHECKED = 100;
const BAR_MILLISECONDS = 1;

const OUTCOMES = { TRUE: true, FALSE: false, SKIPPED: null };

/**
 * Time to evaluate 200 different rules on one event. The evaluation never waits, so that the clock measures
 * processor time, whose own counter is too coarse for one event; for all events together that counter gives the
 * average.
 */
export function measureEvaluation(quick: boolean) {
  const random = createRandom(7);
  const rules = makeRules(random, RULES);
  const events = Array.from({ length: DISTINCT_EVENTS }, () => makeEvent(random));
  const compiled = rules.map((rule) => ruleLanguage.compile(rule));
  const checked = checkOutcomes(rules, compiled, events.slice(0, CHECKED));
  const expected = events.map((event) => countMatches(compiled, event));
  const total = quick ? EVENTS / 5 : EVENTS;
  const times = Array.from({ length: total }, (_, index) => {
    const before = performance.now();
    const matches = countMatches(compiled, events[index % DISTINCT_EVENTS]!);
    const milliseconds = performance.now() - before;
    if (matches !== expected[index % DISTINCT_EVENTS])
      throw new Error(`event ${index}: other matches than before`);
    return milliseconds;
  });
  const cpuMs = processorTime(compiled, events, total);
  const p99 = quantile(Float64Array.from(times).sort(), 0.99);
  return {
    name: `${RULES} rules on one event`,
    rules: RULES,
    events: total,
    checkedOutcomes: checked,
    matchesPerEvent: expected.reduce((sum, matches) => sum + matches, 0) / expected.length,
    medianMs: median(times),
    p99Ms: p99,
    meanProcessorMs: cpuMs,
    eventsPerSecond: 1000 / cpuMs,
    bar: `≤ ${BAR_MILLISECONDS} ms (p99)`,
    holds: p99 <= BAR_MILLISECONDS,
  };
}

function countMatches(compiled: readonly Evaluate[], facts: Facts): number {
  let matches = 0;
  for (const evaluate of compiled) if (evaluate(facts) === true) matches += 1;
  return matches;
}

function checkOutcomes(
  rules: readonly Expression[],
  compiled: readonly Evaluate[],
  events: readonly Facts[],
) {
  for (const [index, rule] of rules.entries()) {
    for (const event of events) {
      const { outcome, text } = ruleLanguage.trace(rule, event);
      if (OUTCOMES[outcome] !== compiled[index]!(event))
        throw new Error(`${text}: compiled and traced differ`);
    }
  }
  return rules.length * events.length;
}

/** Milliseconds of processor time of one event, on average over all. */
function processorTime(compiled: readonly Evaluate[], events: readonly Facts[], total: number): number {
  const before = process.threadCpuUsage();
  for (let index = 0; index < total; index += 1) countMatches(compiled, events[index % events.length]!);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / total;
}
