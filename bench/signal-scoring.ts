import { mkdirSync, writeFileSync } from 'node:fs';
import { assembleSession } from '../src/domain/sessions/session-result.ts';
import { openNetworkIntelligence } from '../src/domain/signals/network-intelligence.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { drawAddresses } from './support/signals/address-pools.ts';
import { seededRandom } from './support/signals/random.ts';
import { factsOf, scoreSession, storedFactsOf } from './support/signals/score-session.ts';
import { SESSION_KINDS } from './support/signals/session-kinds.ts';
import { median } from './support/statistics.ts';

/*
 * Processor time to score a session of the written model: from ready facts (every code, the past, combination), and
 * from what is stored (parsing the page's checks and the user agent as well). Every round's scores are compared with
 * the first one's.
 */
const BAR_MICROSECONDS = 150;

const { rounds, quick } = readOptions();
const network = await openNetworkIntelligence();
const random = seededRandom(20261121);
const pools = drawAddresses(network, seededRandom(7));
const made = SESSION_KINDS.flatMap((kind) =>
  Array.from({ length: quick ? 20 : 60 }, () => kind.make({ random, pools })),
);
const ready = made.map((session) => ({ facts: factsOf(session, true), history: session.history }));
const sources = network.status();

const lanes = {
  'ready facts': () => ready.map(({ facts, history }) => scoreSession(facts, history).scores),
  'stored facts': () =>
    made.map((session) => {
      const context = {
        network: session.network,
        laterNetworks: [],
        webrtcNetworks: [],
        sources,
        calibration: null,
        history: [],
        edgePosition: null,
      };
      return assembleSession(storedFactsOf(session), session.at, context).result.riskSignalScores;
    }),
};

const figures = Object.entries(lanes).map(([lane, score]) => {
  const reference = JSON.stringify(score());
  const times = Array.from({ length: Math.max(5, rounds) }, () => {
    const before = process.cpuUsage();
    const scores = score();
    const { user, system } = process.cpuUsage(before);
    if (JSON.stringify(scores) !== reference)
      throw new Error(`${lane}: another score than in the first round`);
    return (user + system) / made.length;
  });
  return { lane, microseconds: median(times), fastest: Math.min(...times), slowest: Math.max(...times) };
});
network.close();

process.stdout.write(`${made.length} sessions of ${SESSION_KINDS.length} kinds, processor time for each\n\n`);
for (const { lane, microseconds, fastest, slowest } of figures) {
  const range = `${fastest.toFixed(1)}..${slowest.toFixed(1)}`;
  process.stdout.write(
    `${lane.padEnd(14)} ${microseconds.toFixed(1).padStart(7)} µs   ${range}   bar ≤ ${BAR_MICROSECONDS} µs\n`,
  );
}
mkdirSync(RESULTS, { recursive: true });
writeFileSync(
  new URL('scoring.json', RESULTS),
  `${JSON.stringify({ sessions: made.length, figures }, null, 2)}\n`,
);
if (figures.some(({ microseconds }) => microseconds > BAR_MICROSECONDS)) process.exitCode = 1;
