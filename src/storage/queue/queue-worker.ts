import { setTimeout as delay } from 'node:timers/promises';
import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Database } from '../database.ts';
import type { Lease, LeaseQueue } from './lease-queue.ts';

export type QueueWorker = {
  /** Claims due jobs now, or after this many milliseconds. */
  wake(afterMs?: number): void;
  /** Runs work with leases that this process already has, beside the claimed jobs. */
  hold(leases: readonly Lease[], work: (signal: AbortSignal) => Promise<void>): void;
  /** Runs the jobs of a project until none is due, and waits for all running ones. Throws the first error of its jobs. */
  settle(projectId: string): Promise<void>;
  /** Claims nothing more, waits for running jobs for the grace period, then aborts and releases them. */
  close(): Promise<void>;
};

type WorkerOptions<Job extends Lease> = {
  queue: Pick<LeaseQueue, 'leaseSeconds' | 'renew' | 'release'>;
  system: Pick<Database['system'], 'query'>;
  /** Claims jobs of a project, or of all projects with null. */
  claim: (projectId: string | null, limit: number) => Promise<Job[]>;
  /** Does the work of jobs that were claimed together, and ends them. After an error their leases expire. */
  work: (jobs: readonly Job[], signal: AbortSignal) => Promise<void>;
  /** Maximum number of concurrent calls of `work` for claimed jobs. */
  atOnce: number;
  /** Maximum number of jobs of a call. */
  perCall?: number;
  /**
   * Time for which the leases of a call are renewed: one that takes longer counts as stuck, and another process repeats it.
   * 0: the work renews its leases with its progress.
   */
  renewSeconds: number;
  everyMs: number;
  /** Pauses after a call, half as long as the call and at most this long: requests of this process have priority. */
  maxRestMs?: number;
  /** Time between the close and the abort of running calls. */
  graceMs?: number;
  /** False: jobs are claimed only when `wake` or `settle` is called. */
  isAutomatic?: boolean | undefined;
  onError: (error: unknown) => void;
};

type Call = { readonly leases: readonly Lease[]; readonly since: number; readonly ended: Promise<void> };

/** Time for aborted calls to end. Their leases are released afterwards anyway: they may never end. */
const ABORT_MS = 5000;

/** Claims jobs of a queue, and renews their leases while they run. */
export function startQueueWorker<Job extends Lease>(options: WorkerOptions<Job>): QueueWorker {
  const { queue, system, everyMs, isAutomatic, onError, graceMs = 0 } = options;
  const stop = new AbortController();
  const calls = new Set<Call>();
  const { begin, claimed } = starter(options, stop.signal, calls);
  const loop = startBackgroundLoop({
    everyMs,
    isAutomatic,
    onError,
    async work(closing) {
      while (!closing.aborted && (await begin(null, onError, loop.wake)));
    },
  });
  const renewing = startRenewing(options, calls);
  const allEnded = async () => void (await Promise.all([claimed(), ...[...calls].map(({ ended }) => ended)]));
  return {
    wake: (afterMs = 0) => (afterMs === 0 ? loop.wake() : void setTimeout(loop.wake, afterMs).unref()),
    hold: (leases, work) => void startCall(options, stop.signal, calls, leases, work, onError),
    async settle(projectId) {
      const failures: unknown[] = [];
      for (;;) {
        // Before the claim: it skips a row that a running call has locked, and the call may end before the claim returns.
        const running = [...calls];
        const isBegun = await begin(projectId, (error) => failures.push(error));
        if (isBegun) continue;
        if (running.length === 0 && calls.size === 0) break;
        await Promise.race([...running, ...calls].map(({ ended }) => ended));
      }
      if (failures.length > 0) throw failures[0];
    },
    async close() {
      await loop.close();
      await within(graceMs, allEnded());
      stop.abort();
      await within(ABORT_MS, allEnded());
      clearInterval(renewing);
      for (const { leases } of calls) await queue.release(system, leases).catch(onError);
    },
  };
}

type Fail = (error: unknown) => void;

/**
 * `begin` claims due jobs and begins calls for them: false if none is due, or no call may begin. `claimed` resolves when no claim is
 * under way.
 */
function starter<Job extends Lease>(options: WorkerOptions<Job>, signal: AbortSignal, calls: Set<Call>) {
  const { queue, system, claim, atOnce, perCall = 1, work, maxRestMs = 0 } = options;
  let claimedCalls = 0;
  let claiming: Promise<unknown> = Promise.resolve();

  function startClaimed(jobs: readonly Job[], fail: Fail, onEnd?: () => void): void {
    const run = async () => {
      const began = performance.now();
      await work(jobs, signal);
      const restMs = onEnd ? Math.min((performance.now() - began) / 2, maxRestMs) : 0;
      if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => {});
    };
    claimedCalls += 1;
    void startCall(options, signal, calls, jobs, run, fail).then(() => {
      claimedCalls -= 1;
      onEnd?.();
    });
  }

  const begin = (projectId: string | null, fail: Fail, onEnd?: () => void): Promise<boolean> => {
    // One claim at a time, so that each knows how many calls may begin.
    const begun = claiming.then(async () => {
      const free = atOnce - claimedCalls;
      if (free <= 0 || signal.aborted) return false;
      const jobs = await claim(projectId, free * perCall);
      if (signal.aborted) {
        await queue.release(system, jobs);
        return false;
      }
      const groups = groupsOf(jobs, perCall);
      for (const group of groups) startClaimed(group, fail, onEnd);
      return groups.length > 0;
    });
    claiming = begun.catch(() => {});
    return begun;
  };
  return { begin, claimed: () => claiming };
}

function groupsOf<T>(jobs: readonly T[], size: number): T[][] {
  const count = Math.ceil(jobs.length / size);
  return Array.from({ length: count }, (_, at) => jobs.slice(at * size, (at + 1) * size));
}

/** Runs work with leases. An aborted call releases them at its end, and its error is not reported. */
function startCall<Job extends Lease>(
  { queue, system, onError }: WorkerOptions<Job>,
  signal: AbortSignal,
  calls: Set<Call>,
  leases: readonly Lease[],
  work: (signal: AbortSignal) => Promise<void>,
  fail: Fail,
): Promise<void> {
  const run = async () => {
    await work(signal).catch((error) => {
      if (!signal.aborted) fail(error);
    });
    if (signal.aborted) await queue.release(system, leases).catch(onError);
    calls.delete(call);
  };
  const call: Call = { leases, since: performance.now(), ended: Promise.resolve().then(run) };
  calls.add(call);
  return call.ended;
}

/** Renews the leases of running calls three times during a lease. */
function startRenewing<Job extends Lease>(
  { queue, system, renewSeconds, onError }: WorkerOptions<Job>,
  calls: ReadonlySet<Call>,
): NodeJS.Timeout | undefined {
  if (renewSeconds === 0) return undefined;
  return setInterval(
    () => {
      const since = performance.now() - renewSeconds * 1000;
      const leases = [...calls].filter((call) => call.since > since).flatMap((call) => call.leases);
      queue.renew(system, leases).catch(onError);
    },
    (queue.leaseSeconds * 1000) / 3,
  ).unref();
}

/** Waits for work, with a time limit. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  if (milliseconds <= 0) return;
  const limit = new AbortController();
  await Promise.race([work, delay(milliseconds, undefined, { signal: limit.signal }).catch(() => {})]);
  limit.abort();
}
