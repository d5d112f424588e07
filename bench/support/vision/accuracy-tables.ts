import { faceDistance } from '@vouchgraph/vision';
import {
  FACE_MATCHING_LEVELS,
  searchDistance,
  verificationDistance,
} from '@vouchgraph/vision/face-thresholds';
import {
  type AccuracyFace,
  countWithin,
  equalErrorRate,
  extrapolatedLimit,
  falseMatchRate,
  falseNonMatchRate,
  limitAtRate,
  type PairDistances,
  pairDistances,
  upperBound,
} from './accuracy.ts';
import type { BenchTable } from './faces.ts';

const LIMITS = [0.2, 0.24, 0.26, 0.28, 0.3, 0.32, 0.34, 0.36, 0.38, 0.4, 0.42, 0.44, 0.48, 0.52, 0.6];
const RATES = [0.01, 0.001, 0.0001];
/** Average number of accepted false matches for a new face in a gallery. */
const MAX_STRANGERS = 0.01;

type Named = { name: string; pairs: PairDistances };

/** Error rates of verification and search, for all faces and for each group. */
export function accuracyTables(faces: readonly AccuracyFace[], galleries: readonly number[]): BenchTable[] {
  const groups = [...new Set(faces.map(({ group }) => group))];
  const named: Named[] = [{ name: 'all', pairs: pairDistances(faces, faceDistance) }];
  if (groups.length > 1)
    for (const group of groups)
      named.push({
        name: group ?? 'no group',
        pairs: pairDistances(
          faces.filter((face) => face.group === group),
          faceDistance,
        ),
      });
  return [
    summaryTable(named),
    ...named.map(({ name, pairs }) => rateTable(name, pairs)),
    searchTable(named, galleries),
    chosenTable(named, galleries),
  ];
}

function summaryTable(named: readonly Named[]): BenchTable {
  return {
    title: 'Verification (1:1): equal error rate, and missed matches (FNMR) at rates of false matches (FMR)',
    header: [
      'group',
      'pairs of one',
      'pairs of two',
      'EER',
      ...RATES.map((rate) => `FNMR at FMR ${percent(rate)}`),
    ],
    rows: named.map(({ name, pairs }) => {
      const { rate, limit } = equalErrorRate(pairs);
      return [
        name,
        `${pairs.genuine.length}`,
        `${pairs.impostor.length}`,
        `${percent(rate)} at ${limit.toFixed(3)}`,
        ...RATES.map((wanted) => {
          const at = limitAtRate(pairs, wanted);
          return at === null
            ? 'too few pairs'
            : `${percent(falseNonMatchRate(pairs, at))} at ${at.toFixed(3)}`;
        }),
      ];
    }),
  };
}

function rateTable(name: string, pairs: PairDistances): BenchTable {
  return {
    title: `Error rates by distance: ${name}`,
    header: ['distance', 'false matches', 'FMR', 'FMR at most (95 %)', 'FNMR'],
    rows: LIMITS.map((limit) => {
      const hits = countWithin(pairs.impostor, limit);
      return [
        limit.toFixed(2),
        `${hits}`,
        percent(falseMatchRate(pairs, limit)),
        percent(upperBound(hits, pairs.impostor.length)),
        percent(falseNonMatchRate(pairs, limit)),
      ];
    }),
  };
}

/**
 * Distance that keeps the expected number of false matches within the limit: measured when there are enough
 * pairs.
 */
function searchTable(named: readonly Named[], galleries: readonly number[]): BenchTable {
  const rows = named.flatMap(({ name, pairs }) =>
    galleries.map((size) => {
      const rate = MAX_STRANGERS / size;
      const measured = limitAtRate(pairs, rate);
      const limit = measured ?? extrapolatedLimit(pairs, rate);
      if (limit === null) return [name, `${size}`, 'too few pairs', '', ''];
      const source = measured === null ? 'extrapolated' : 'measured';
      return [name, `${size}`, limit.toFixed(3), source, percent(falseNonMatchRate(pairs, limit))];
    }),
  );
  return {
    title: `Search (1:N): distance at which a newcomer hits ${MAX_STRANGERS} strangers on average`,
    header: ['group', 'gallery', 'distance', '', 'own face missed'],
    rows,
  };
}

/** Error rates of the project's thresholds on these faces. */
function chosenTable(named: readonly Named[], galleries: readonly number[]): BenchTable {
  const rows = FACE_MATCHING_LEVELS.flatMap((level) =>
    named.flatMap(({ name, pairs }) => {
      const rates = (limit: number) => {
        const hits = countWithin(pairs.impostor, limit);
        return { fmr: hits / pairs.impostor.length, most: upperBound(hits, pairs.impostor.length) };
      };
      const row = (what: string, limit: number, matches: string) => [
        level,
        name,
        what,
        limit.toFixed(3),
        matches,
        percent(falseNonMatchRate(pairs, limit)),
      ];
      const one = verificationDistance(level);
      return [
        row('1:1', one, `FMR ${percent(rates(one).fmr)}`),
        ...galleries.map((size) => {
          const limit = searchDistance(level, size);
          const { fmr, most } = rates(limit);
          return row(
            `1:${size}`,
            limit,
            `${(size * fmr).toFixed(4)} strangers (${(size * most).toFixed(4)})`,
          );
        }),
      ];
    }),
  );
  return {
    title:
      'Thresholds of the project: strangers are the expected hits of a newcomer, gallery size times FMR (in brackets: times its 95 % bound)',
    header: ['level', 'group', 'kind', 'distance', 'false matches', 'FNMR'],
    rows,
  };
}

function percent(rate: number): string {
  const value = 100 * rate;
  return `${value >= 0.1 || value === 0 ? value.toFixed(1) : value.toPrecision(2)} %`;
}
