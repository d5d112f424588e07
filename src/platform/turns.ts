/** Runs pieces of work with the same key one after the other. */
export type Turns = {
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
};

/**
 * What waits for one lock of the database waits here first, so that the waiting hold none of the pool's connections. Of
 * this process alone: the lock itself is the database's.
 */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
