import { FACE_AGE_BRACKETS } from '../document-signals.ts';
import { verificationDistance } from './face-thresholds.ts';

/**
 * How fast the match score falls around the distance of score 0.5: the slope of a logistic regression of same and different
 * people on the distance, over the pairs of docs/verification-accuracy.md, "Face accuracy".
 */
const SCORE_STEEPNESS = 50;
/** About the mean error of the age network. An age bracket is returned only if the estimate exceeds it by this value. */
const AGE_MARGIN_YEARS = 5;

export type FaceAgeBracket = (typeof FACE_AGE_BRACKETS)[number];

/** The values scaled so that the sum of their squares is 1. */
export function unitLength(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** Euclidean distance of two descriptors of length 1: 0 for equal ones, 2 at most; strangers lie around 0.55. */
export function faceDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new RangeError('Descriptors of different networks cannot be compared');
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index]! - b[index]!) ** 2;
  return Math.sqrt(sum);
}

/** The distance as 0 (another person) to 1 (the same); 0.5 at `verificationDistance('standard')`. */
export function faceMatchScore(distance: number): number {
  return 1 / (1 + Math.exp(SCORE_STEEPNESS * (distance - verificationDistance('standard'))));
}

/** Whether the distance is `limit` at most. One that is not a number (a broken descriptor) never is. */
export function isSameFace(distance: number, limit: number): boolean {
  return distance <= limit;
}

/** The highest bracket that the face clearly exceeds; null without an estimate or where none is clear. */
export function ageBracket(ageYears: number | null): FaceAgeBracket | null {
  if (ageYears === null || !Number.isFinite(ageYears)) return null;
  if (ageYears + AGE_MARGIN_YEARS < 8) return 'under8';
  return FACE_AGE_BRACKETS.findLast((name) => yearsOf(name) <= ageYears - AGE_MARGIN_YEARS) ?? null;
}

function yearsOf(bracket: FaceAgeBracket): number {
  return bracket === 'under8' ? Number.POSITIVE_INFINITY : Number(bracket.slice('over'.length));
}
