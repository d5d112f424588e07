import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openNetworkIntelligence } from '../src/domain/signals/network-intelligence.ts';
import { RISK_SCORE_KEYS, scoreName } from '../src/domain/signals/risk-scores.ts';
import { FLAG_THRESHOLD, WEIGHTS_VERSION } from '../src/domain/signals/weights.ts';
import { RESULTS } from './support/options.ts';
import { drawAddresses } from './support/signals/address-pools.ts';
import { areaUnderCurve, precisionAndRecall, type Scored } from './support/signals/metrics.ts';
import { seededRandom } from './support/signals/random.ts';
import { factsOf, scoreSession } from './support/signals/score-session.ts';
import { SESSION_KINDS, type SessionKind, type Truth } from './support/signals/session-kinds.ts';

/*
 * How well the signals tell the sessions of a written model apart (support/signals/session-kinds.ts), and how often an
 * honest one is flagged. It shows that codes and weights are consistent with the model, not how they do in the world.
 */
const LEAST_AUC = 0.97;
const MOST_HONEST_FLAGGED = 0.02;
const SIGNALS: readonly Truth[] = [...RISK_SCORE_KEYS, 'bot'];

type Result = { kind: SessionKind; truth: readonly Truth[]; scores: Record<Truth, number>; codes: string[] };

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '2400' },
    seed: { type: 'string', default: '20261121' },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
const size = Math.max(400, Number(values.quick ? 1200 : values.size) || 0);
const network = await openNetworkIntelligence();
const pools = drawAddresses(network, seededRandom(7));
network.close();

const mounted = run(true);
const bare = run(false);
const signals = SIGNALS.map((signal) => measure(mounted, signal, bare));
const honest = honestFlags(mounted);
const flagged = honest.reduce((sum, { flagged }) => sum + flagged, 0);
const honestTotal = honest.reduce((sum, { sessions }) => sum + sessions, 0);
const report = {
  size: mounted.length,
  seed: values.seed,
  weightsVersion: WEIGHTS_VERSION,
  signals,
  honest,
  flaggedShare: flagged / honestTotal,
};
if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else print();
mkdirSync(RESULTS, { recursive: true });
writeFileSync(new URL('signals.json', RESULTS), `${JSON.stringify(report, null, 2)}\n`);
const weak = signals.filter(({ auc }) => !(auc >= LEAST_AUC)).map(({ signal }) => signal);
if (weak.length > 0 || flagged / honestTotal > MOST_HONEST_FLAGGED) {
  process.stderr.write(
    `below the bars: ${[...weak.map((signal) => `AUC of ${signal}`), ...(flagged / honestTotal > MOST_HONEST_FLAGGED ? ['honest sessions flagged'] : [])].join(', ')}\n`,
  );
  process.exitCode = 1;
}

/** The same sessions, with the operator's lists or without. */
function run(withLists: boolean): Result[] {
  const random = seededRandom(Number(values.seed));
  const total = SESSION_KINDS.reduce((sum, { weight }) => sum + weight, 0);
  return SESSION_KINDS.flatMap((kind) =>
    Array.from({ length: Math.max(20, Math.round((size * kind.weight) / total)) }, () => {
      const made = kind.make({ random, pools });
      const assessment = scoreSession(factsOf(made, withLists), made.history);
      const { network: ofNetwork, device } = assessment.details;
      return {
        kind,
        truth: [...kind.truth, ...(made.alsoTrue ?? [])],
        scores: { ...assessment.scores, bot: assessment.bot },
        codes: [...new Set([...ofNetwork, ...device].map(({ code }) => code))],
      };
    }),
  );
}

function scoredOf(results: readonly Result[], signal: Truth): Scored[] {
  return results.map(({ truth, scores }) => ({ score: scores[signal], isTrue: truth.includes(signal) }));
}

function measure(results: readonly Result[], signal: Truth, withoutLists: readonly Result[]) {
  const scored = scoredOf(results, signal);
  const { positives, precision, recall } = precisionAndRecall(scored, FLAG_THRESHOLD);
  const name = signal === 'bot' ? 'bot' : scoreName(signal);
  return {
    signal: name,
    positives,
    precision,
    recall,
    auc: areaUnderCurve(scored),
    aucWithoutLists: areaUnderCurve(scoredOf(withoutLists, signal)),
  };
}

/** Honest sessions with a signal at or above the flag that is not true of them. */
function honestFlags(results: readonly Result[]) {
  return SESSION_KINDS.filter(({ isHonest }) => isHonest).map((kind) => {
    const own = results.filter((result) => result.kind === kind);
    const wrong = own.filter(({ truth, scores }) =>
      SIGNALS.some((signal) => !truth.includes(signal) && scores[signal] >= FLAG_THRESHOLD),
    );
    return { kind: kind.name, sessions: own.length, flagged: wrong.length, codes: topCodes(wrong) };
  });
}

function topCodes(results: readonly Result[]): string[] {
  const counts = new Map<string, number>();
  for (const { codes } of results) for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 4)
    .map(([code, count]) => `${code} ${count}`);
}

function print(): void {
  const line = (text: string) => process.stdout.write(`${text}\n`);
  const share = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(3)).padStart(9);
  line(
    `${report.size} sessions of ${SESSION_KINDS.length} kinds, seed ${report.seed}, weights ${WEIGHTS_VERSION}; lists mounted as the model says\n`,
  );
  line(`${'signal'.padEnd(24)} true  precision   recall      AUC   AUC without lists`);
  for (const { signal, positives, precision, recall, auc, aucWithoutLists } of signals)
    line(
      `${signal.padEnd(24)}${String(positives).padStart(5)}  ${share(precision)}${share(recall)}${share(auc)}           ${share(aucWithoutLists)}`,
    );
  line(`\n${'honest kind'.padEnd(24)}  sessions  flagged   codes of the flagged`);
  for (const { kind, sessions, flagged, codes } of honest)
    line(
      `${kind.padEnd(24)}  ${String(sessions).padStart(8)}  ${String(flagged).padStart(7)}   ${codes.join(', ')}`,
    );
  line(
    `${'all'.padEnd(24)}  ${String(honestTotal).padStart(8)}  ${((100 * flagged) / honestTotal).toFixed(2).padStart(6)}%`,
  );
  line(`\n${'kind'.padEnd(24)}  the codes it raises most`);
  for (const kind of SESSION_KINDS)
    line(`${kind.name.padEnd(24)}  ${topCodes(mounted.filter((result) => result.kind === kind)).join(', ')}`);
}
