import { mkdirSync, writeFileSync } from 'node:fs';
import { assembleSession } from '@vouchgraph/signals/internals/session/session-result';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { RESULTS, readOptions } from './support/options.ts';
import { printTable } from './support/report.ts';
import { openAddressBook } from './support/signals/addresses.ts';
import { createRandom } from './support/signals/random.ts';
import { factsOf, scoreFacts, storedFacts, traceOfVisit } from './support/signals/score-cases.ts';
import { makeCases } from './support/signals/session-kinds.ts';
import { EDGE_POSITION } from './support/signals/visits.ts';
import { spreadOf } from './support/statistics.ts';

/*
 * Processor time to score a session of the synthetic model: from prepared facts (every code, the history, the
 * combination), and from stored data (including the parsing of checks and user agent). Caches are warm, as
 * after a minute of traffic. The scores of every round are compared with those of the first one.
 */
const BAR_MICROSECONDS = 150;

const { quick } = readOptions();
const network = await openNetworkIntelligence();
const world = { random: createRandom(1), book: await openAddressBook(network) };
const cases = makeCases(world, quick ? 400 : 1200).map(({ made }) => made);
const sources = network.status();
const ready = cases.map((made) => ({
  made,
  facts: factsOf(made.visit, storedFacts(made.visit), true),
  previous: made.previous && traceOfVisit(made.previous, true),
}));
const stored = ready.map(({ made, facts }) => ({
  stored: storedFacts(made.visit),
  startTime: made.visit.startTime,
  context: {
    network: facts.network,
    laterNetworks: facts.laterNetworks,
    webrtcNetworks: facts.webrtcNetworks,
    sources,
    calibration: null,
    history: [],
    edgePosition: EDGE_POSITION,
  },
}));

const LANES: readonly (readonly [name: string, score: () => unknown[]])[] = [
  [
    'ready facts, with the past',
    () => ready.map(({ facts, made, previous }) => scoreFacts(facts, made, previous).scores),
  ],
  [
    'stored facts to a result',
    () =>
      stored.map(
        (each) => assembleSession(each.stored, each.startTime, each.context).result.riskSignalScores,
      ),
  ],
];

const figures = LANES.map(([lane, score]) => {
  const reference = JSON.stringify(score());
  const times = Array.from({ length: quick ? 7 : 21 }, () => {
    const before = process.cpuUsage();
    const scores = score();
    const { user, system } = process.cpuUsage(before);
    if (JSON.stringify(scores) !== reference)
      throw new Error(`${lane}: other scores than in the first round`);
    return (user + system) / cases.length;
  });
  return { lane, ...spreadOf(times) };
});
network.close();

printTable(
  [`µs of processor time a session, of ${cases.length}`, 'median', 'min', 'max', 'bar'],
  figures.map(({ lane, median, min, max }) => [
    lane,
    ...[median, min, max].map((each) => each.toFixed(1)),
    `≤ ${BAR_MICROSECONDS}`,
  ]),
);
mkdirSync(RESULTS, { recursive: true });
writeFileSync(
  new URL('scoring.json', RESULTS),
  `${JSON.stringify({ sessions: cases.length, figures }, null, 2)}\n`,
);
if (figures.some(({ median }) => median > BAR_MICROSECONDS)) process.exitCode = 1;
