export type Slots = {
  /** Waits for a slot; false after a timeout and after closing. The caller releases its slot. */
  take(): Promise<boolean>;
  release(): void;
  /** Rejects all waiting callers. */
  close(): void;
};

/** Semaphore: a maximum of concurrent holders; others wait in order of arrival, up to a timeout. */
export function createSlots(count: number, waitMs: number): Slots {
  const waiting = new Set<(hasSlot: boolean) => void>();
  let free = count;
  let isClosed = false;
  return {
    take() {
      if (isClosed) return Promise.resolve(false);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(true);
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = (hasSlot: boolean) => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve(hasSlot);
      };
      const timer = setTimeout(end, waitMs, false);
      waiting.add(end);
      return promise;
    },
    release() {
      // A released slot goes to the first waiting request, so that no later request overtakes it.
      const [next] = waiting;
      if (next) next(true);
      else free += 1;
    },
    close() {
      isClosed = true;
      for (const end of [...waiting]) end(false);
    },
  };
}
