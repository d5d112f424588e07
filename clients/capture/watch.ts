import { type Answer, isOver, type Status } from './api.ts';
import { nextLookMs } from './back-off.ts';
import type { Wait } from './patience.ts';

/** Polls the state of a check. */
export type Watch = {
  /**
   * Polls until the check ends, and calls `onState` for each state before. Resolves with `refused` and the error code if the
   * service refuses, and with null if another watch started or this one was ended. The first request is after `firstMs`.
   */
  untilOver(
    onState: (state: Status['state'], status: Status) => void,
    firstMs?: number,
  ): Promise<Status | { refused: string } | null>;
  end(): void;
};

export function createWatch(wait: Wait, look: () => Promise<Answer<Status>>): Watch {
  let current = 0;
  return {
    async untilOver(onState, firstMs) {
      current += 1;
      const own = current;
      for (let looks = 0; ; looks += 1) {
        await wait(nextLookMs(looks, firstMs));
        const answer = own === current ? await look() : null;
        if (!answer || own !== current) return null;
        if (!answer.ok && answer.isFinal) return { refused: answer.error };
        if (!answer.ok) continue;
        if (isOver(answer.body)) return answer.body;
        onState(answer.body.state, answer.body);
      }
    },
    end() {
      current += 1;
    },
  };
}
