/** Lets so much work through at once; what comes more waits in line. */
export function createGate(size: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = size;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A place is handed on, not given back and taken again: nobody can come in between.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
