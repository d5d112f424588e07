/** Strictness of face matching. `strict` is the default. */
export const FACE_MATCHING_LEVELS = ['standard', 'strict'] as const;
export type FaceMatchingLevel = (typeof FACE_MATCHING_LEVELS)[number];

/**
 * Verification (1:1). Measured with 1,227 photographs of 543 people, a quarter of them of East Asian faces
 * (`npm run bench:faces-accuracy`; figures in docs/verification-accuracy.md, "Face accuracy"): `standard` has a false match rate of
 * 1 % and misses 3 % of the matches; `strict` has 0.2 % (3 % among East Asian faces) and misses 13 %.
 */
const VERIFICATION_DISTANCE: Record<FaceMatchingLevel, number> = { standard: 0.385, strict: 0.34 };

/**
 * Search (1:N): distances with a false match rate of 1 %, 0.1 %, 0.01 % and 0.001 %, which are 0.01 expected false matches
 * for galleries of 1, 10, 100 and 1,000 faces. `standard` is for the mixed set of the measurement, `strict` for its group
 * with the highest rate of false matches, East Asian faces, whose last value is extrapolated.
 */
const SEARCH_DISTANCE_BY_DECADE: Record<FaceMatchingLevel, readonly [number, number, ...number[]]> = {
  standard: [0.385, 0.325, 0.288, 0.261],
  strict: [0.317, 0.284, 0.256, 0.229],
};

/** Largest distance at which two faces belong to one person in a 1:1 comparison. */
export function verificationDistance(level: FaceMatchingLevel): number {
  return VERIFICATION_DISTANCE[level];
}

/**
 * Largest distance of a hit in a 1:N search among `gallerySize` templates, chosen for at most 0.01 expected hits on
 * strangers per newcomer. Falls with the size, and is never larger than `verificationDistance`. Beyond a
 * thousand faces it falls by as much per decade as in the last one, which errs on the strict side where the distances of
 * strangers are normally distributed.
 */
export function searchDistance(level: FaceMatchingLevel, gallerySize: number): number {
  const distances = SEARCH_DISTANCE_BY_DECADE[level];
  const decades = Math.log10(Math.max(1, gallerySize));
  const from = Math.min(Math.floor(decades), distances.length - 2);
  const step = distances[from + 1]! - distances[from]!;
  return Math.max(0, distances[from]! + (decades - from) * step);
}
