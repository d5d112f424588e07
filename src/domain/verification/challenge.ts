import { randomInt } from 'node:crypto';
import type { ChallengeStep } from '../vision/readings.ts';

/** The turns of the head, in an order that nobody can foresee. */
export function randomChallenge(): ChallengeStep[] {
  return randomInt(2) === 0 ? ['left', 'right'] : ['right', 'left'];
}
