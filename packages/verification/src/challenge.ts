import { randomInt } from 'node:crypto';
import type { ChallengeStep } from '@vouchgraph/vision';
/** Steps of the head challenge, in an unpredictable order. */
export function randomChallenge(): ChallengeStep[] {
  return randomInt(2) === 0 ? ['left', 'right'] : ['right', 'left'];
}
