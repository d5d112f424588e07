import { randomInt } from 'node:crypto';
import type { ChallengeStep } from '../vision/readings.ts';

/** Steps of the head challenge, in an unpredictable order. */
export function randomChallenge(): ChallengeStep[] {
  return randomInt(2) === 0 ? ['left', 'right'] : ['right', 'left'];
}
