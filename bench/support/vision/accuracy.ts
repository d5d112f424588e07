/** A described face: descriptors of one person share `person`. */
export type AccuracyFace = { group: string | null; person: string; descriptor: Float32Array };

/** Distances in ascending order: of pairs of photographs of one person, and of two people. */
export type PairDistances = { genuine: Float64Array; impostor: Float64Array };

/** Distances of all pairs of the faces. */
export function pairDistances(
  faces: readonly AccuracyFace[],
  distance: (a: Float32Array, b: Float32Array) => number,
): PairDistances {
  const [genuine, impostor]: [number[], number[]] = [[], []];
  for (let at = 0; at < faces.length; at++)
    for (let other = 0; other < at; other++) {
      const [a, b] = [faces[at]!, faces[other]!];
      (a.person === b.person ? genuine : impostor).push(distance(a.descriptor, b.descriptor));
    }
  return { genuine: Float64Array.from(genuine).sort(), impostor: Float64Array.from(impostor).sort() };
}

/** Number of distances up to `limit`. */
export function countWithin(sorted: Float64Array, limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** False match rate: share of pairs of two people within the limit. */
export function falseMatchRate({ impostor }: PairDistances, limit: number): number {
  return countWithin(impostor, limit) / impostor.length;
}

/** False non-match rate: share of pairs of one person beyond the limit. */
export function falseNonMatchRate({ genuine }: PairDistances, limit: number): number {
  return 1 - countWithin(genuine, limit) / genuine.length;
}

/** Largest limit with a false match rate of `rate` at most; null with too few pairs to measure such a rate. */
export function limitAtRate({ impostor }: PairDistances, rate: number): number | null {
  const allowed = Math.floor(rate * impostor.length);
  if (allowed < 1) return null;
  const next = impostor[allowed];
  return next === undefined
    ? impostor.at(-1)!
    : Math.min(next - Number.EPSILON, (impostor[allowed - 1]! + next) / 2);
}

/** Equal error rate, and the limit at which both error rates are closest. */
export function equalErrorRate(pairs: PairDistances): { rate: number; limit: number } {
  let best = { rate: 1, limit: 0, gap: 2 };
  for (const limit of pairs.genuine) {
    const [matches, misses] = [falseMatchRate(pairs, limit), falseNonMatchRate(pairs, limit)];
    const gap = Math.abs(matches - misses);
    if (gap < best.gap) best = { rate: (matches + misses) / 2, limit, gap };
  }
  return { rate: best.rate, limit: best.limit };
}

/** Upper end of the 95 % Wilson interval of a rate, as if the pairs were independent. */
export function upperBound(hits: number, of: number): number {
  const z = 1.96;
  const rate = hits / of;
  const middle = rate + z ** 2 / (2 * of);
  return (middle + z * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2))) / (1 + z ** 2 / of);
}

/**
 * The limit for a false match rate too small to be measured: a straight line of the limit over the decimal
 * logarithm of the rate, by least squares over the closest `fewest` to `20 * fewest` pairs of two people. The
 * limit of a normal distribution decreases less with each decade, so that the line is on the strict side. null
 * with too few pairs.
 */
export function extrapolatedLimit({ impostor }: PairDistances, rate: number, fewest = 5): number | null {
  if (impostor.length < 20 * fewest) return null;
  const points: [x: number, y: number][] = [];
  for (let count = fewest; count <= 20 * fewest; count++)
    points.push([Math.log10(count / impostor.length), impostor[count - 1]!]);
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [mx, my] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / spread;
  return my + slope * (Math.log10(rate) - mx);
}
