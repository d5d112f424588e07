/** Mutual exclusion by key: work with the same key runs one after another, in the order of the calls. */
export type KeyedMutex = {
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
};

/**
 * Excludes work of this process only. In front of a database lock it prevents that each waiting request uses a connection of the
 * pool; the lock itself excludes other processes.
 */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async runExclusive(key, work) {
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
