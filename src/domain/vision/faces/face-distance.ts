import { FACE_AGE_BRACKETS } from '../document-signals.ts';
import { verificationDistance } from './face-thresholds.ts';

/** How fast the match score falls around the distance of score 0.5. */
const SCORE_STEEPNESS = 15;
/** About the mean error of the age network; a bracket is told only when the face exceeds it by that much. */
const AGE_MARGIN_YEARS = 5;

export type FaceAgeBracket = (typeof FACE_AGE_BRACKETS)[number];

/** Euclidean distance of two descriptors: 0 for equal ones; strangers lie around 0.8. */
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
