/** No place became free in time, or too much work waits for one already. */
export class SemaphoreFullError extends Error {}

export type FairSemaphoreOptions = {
  /** Pieces of work that run at once. */
  size: number;
  /** Pieces of work of one key that run at once. */
  sizePerKey: number;
  /** Pieces of work of one key that wait; more are refused at once. */
  maxWaitingPerKey: number;
  /** How long a piece of work waits before it is refused. */
  maxWaitMs: number;
};

type Waiter = { start(): void };
type Lane = { running: number; waiting: Waiter[] };

/**
 * Runs a limited number of pieces of work at once. Keys with waiting work take turns, so that the work of one key does
 * not delay another key's by more than one piece. Refused work throws SemaphoreFullError.
 */
export function createFairSemaphore({ size, sizePerKey, maxWaitingPerKey, maxWaitMs }: FairSemaphoreOptions) {
  const lanes = new Map<string, Lane>();
  let running = 0;

  function startNext(): void {
    for (const [key, lane] of lanes) {
      if (running >= size) return;
      if (lane.running >= sizePerKey || lane.waiting.length === 0) continue;
      // The key goes to the end of the order: the next free place belongs to another one.
      lanes.delete(key);
      lanes.set(key, lane);
      begin(lane);
      lane.waiting.shift()!.start();
    }
  }

  function begin(lane: Lane): void {
    lane.running += 1;
    running += 1;
  }

  function finish(key: string, lane: Lane): void {
    lane.running -= 1;
    running -= 1;
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(key);
    startNext();
  }

  function waitIn(lane: Lane): Promise<void> {
    if (lane.waiting.length >= maxWaitingPerKey) throw new SemaphoreFullError();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
        reject(new SemaphoreFullError());
      }, maxWaitMs);
      lane.waiting.push(waiter);
    });
  }

  return async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { running: 0, waiting: [] };
      lanes.set(key, lane);
    }
    if (running < size && lane.running < sizePerKey) begin(lane);
    else await waitIn(lane);
    try {
      return await work();
    } finally {
      finish(key, lane);
    }
  };
}
