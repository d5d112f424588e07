/** How strictly faces are matched. `strict` is the default. */
export const FACE_MATCHING_LEVELS = ['standard', 'strict'] as const;
export type FaceMatchingLevel = (typeof FACE_MATCHING_LEVELS)[number];

const VERIFICATION_DISTANCE: Record<FaceMatchingLevel, number> = { standard: 0.58, strict: 0.52 };
/** Search distance by gallery size: the row of the smallest size that is not below the gallery's size applies. */
const SEARCH_DISTANCE: Record<FaceMatchingLevel, readonly (readonly [size: number, distance: number])[]> = {
  standard: [
    [100, 0.48],
    [1000, 0.44],
    [10_000, 0.4],
    [Number.POSITIVE_INFINITY, 0.36],
  ],
  strict: [
    [100, 0.44],
    [1000, 0.4],
    [10_000, 0.36],
    [Number.POSITIVE_INFINITY, 0.32],
  ],
};

/** Largest distance at which two faces belong to one person in a 1:1 comparison. */
export function verificationDistance(level: FaceMatchingLevel): number {
  return VERIFICATION_DISTANCE[level];
}

/**
 * Largest distance of a hit in a 1:N search among `gallerySize` templates, chosen for at most 0.01 expected hits on
 * strangers per newcomer. Never larger than `verificationDistance`.
 */
export function searchDistance(level: FaceMatchingLevel, gallerySize: number): number {
  return SEARCH_DISTANCE[level].find(([size]) => gallerySize <= size)![1];
}
