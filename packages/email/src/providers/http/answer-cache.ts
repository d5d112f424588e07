import type { Clock } from '@vouchgraph/platform/clock';
import { LRUCache } from 'lru-cache';
import type { ProviderAnswer } from '../provider.ts';
import type { OnlineLimits } from './online-limits.ts';

type Remembered = { answer: ProviderAnswer; untilMs: number };

export type AnswerCache = ReturnType<typeof createAnswerCache>;

/** Cached answers, each with its own expiry. */
export function createAnswerCache(limits: OnlineLimits, clock: Clock) {
  const answers = new LRUCache<string, Remembered>({
    max: limits.cachedAnswers,
    maxSize: limits.cachedAnswers + limits.cachedFindings,
    sizeCalculation: ({ answer }) => 1 + findingsIn(answer),
  });
  return {
    get(key: string): ProviderAnswer | undefined {
      const known = answers.get(key);
      if (!known) return undefined;
      if (clock.now().getTime() < known.untilMs) return known.answer;
      answers.delete(key);
      return undefined;
    },
    set(key: string, answer: ProviderAnswer): void {
      // An address that the provider rejects stays rejected; every other unknown answer can change soon.
      if (!answer.isKnown && answer.reason !== 'rejected') return;
      const lifeMs = findingsIn(answer) > 0 ? limits.foundMs : limits.notFoundMs;
      answers.set(key, { answer, untilMs: clock.now().getTime() + lifeMs });
    },
    clear: () => answers.clear(),
  };
}

function findingsIn(answer: ProviderAnswer): number {
  return answer.isKnown ? answer.breaches.length + answer.profiles.length : 0;
}
