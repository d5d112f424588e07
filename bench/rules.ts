import { mkdirSync, writeFileSync } from 'node:fs';
import { RESULTS, readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { measureEvaluation } from './support/rules/evaluation.ts';

/*
 * Cost of rules. Each section measures one quantity, checks its results, and reports whether its bar holds; the
 * run fails when one does not.
 */
const { quick } = readOptions();

const evaluation = measureEvaluation(quick);
printTable(
  ['evaluation', 'events', 'median ms', 'p99 ms', 'CPU ms, mean', 'events/s of CPU', 'bar', ''],
  [
    [
      evaluation.name,
      `${evaluation.events}`,
      evaluation.medianMs.toFixed(3),
      evaluation.p99Ms.toFixed(3),
      evaluation.meanProcessorMs.toFixed(3),
      evaluation.eventsPerSecond.toFixed(0),
      evaluation.bar,
      verdict(evaluation.holds),
    ],
  ],
);

const sections = { evaluation };
const machine = describeMachine();
console.log(`\n${machine}`);
mkdirSync(RESULTS, { recursive: true });
writeFileSync(new URL('rules.json', RESULTS), `${JSON.stringify({ machine, ...sections }, null, 2)}\n`);
if (Object.values(sections).some(({ holds }) => !holds)) process.exitCode = 1;

function verdict(holds: boolean): string {
  return holds ? 'OK' : 'ABOVE THE BAR';
}
