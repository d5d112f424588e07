import { setTimeout as delay } from 'node:timers/promises';
import type { Project } from '../../projects/project.ts';
import type { CheckKind, CheckQueue, ClaimedCheck } from './check-queue-store.ts';
import type { CheckService } from './check-service.ts';

export type CheckRunner = {
  /** Looks for jobs after this many milliseconds. */
  wake(afterMs?: number): void;
  /** Completes all waiting verifications of a project in any process, simulated ones immediately. */
  settle(projectId: string): Promise<void>;
  /** Waits a limited time for running checks, and releases the others to other processes. */
  close(): Promise<void>;
};

const EVERY_MS = 1000;
const POLL_MS = 20;
/** Time for running checks to finish at shutdown; then time for the released ones to stop. */
const GRACE_MS = 5000;
const ABORT_MS = 2000;

const KINDS = ['real', 'simulated'] as const satisfies readonly CheckKind[];

type RunnerDependencies = {
  queue: CheckQueue;
  checks: Pick<CheckService, 'check'>;
  atOnce: Readonly<Record<CheckKind, number>>;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Terminates the vision workers. */
  stopReading: () => Promise<void>;
  onError: (error: unknown) => void;
};

/**
 * Claims submitted verifications from the queue. Real ones are claimed when a worker is free, since their images are in
 * memory from then on. Simulated ones are claimed separately.
 */
export function startCheckRunner(deps: RunnerDependencies): CheckRunner {
  return new Runner(deps);
}

class Runner implements CheckRunner {
  readonly #deps: RunnerDependencies;
  /** Running checks with their job ids. */
  readonly #running = {
    real: new Map<Promise<void>, string>(),
    simulated: new Map<Promise<void>, string>(),
  };
  /** Jobs released to other processes. */
  readonly #handedOver = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #regularly: NodeJS.Timeout;
  #taking: Promise<void> | null = null;
  #isAsked = false;
  #isClosed = false;

  constructor(deps: RunnerDependencies) {
    this.#deps = deps;
    this.#regularly = setInterval(() => this.#poll(), EVERY_MS);
    this.#regularly.unref();
    this.#poll();
  }

  #allRunning(): Promise<void>[] {
    return KINDS.flatMap((kind) => [...this.#running[kind].keys()]);
  }

  #poll(): void {
    this.#isAsked = true;
    if (this.#isClosed) return;
    this.#taking ??= this.#claimAll()
      .catch(this.#deps.onError)
      .finally(() => {
        this.#taking = null;
      });
  }

  async #claimAll(): Promise<void> {
    const { queue, atOnce } = this.#deps;
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      for (const kind of KINDS) {
        const free = atOnce[kind] - this.#running[kind].size;
        const jobs = free > 0 && !this.#isClosed ? await queue.claim(kind, free) : [];
        for (const job of jobs) this.#begin(kind, job);
        if (jobs.length > 0) this.#isAsked = true;
      }
    }
  }

  #begin(kind: CheckKind, job: ClaimedCheck): void {
    const work: Promise<void> = this.#run(job)
      .catch(this.#deps.onError)
      .finally(() => {
        this.#running[kind].delete(work);
        this.#poll();
      });
    this.#running[kind].set(work, job.jobId);
  }

  async #run({ jobId, projectId, sessionId, retries }: ClaimedCheck): Promise<void> {
    const { queue, checks, getProject } = this.#deps;
    try {
      const project = await getProject(projectId);
      if (project) await checks.check(project, sessionId, retries);
    } catch (error) {
      if (this.#handedOver.has(jobId)) return;
      await queue.release(jobId);
      throw error;
    }
    if (!this.#handedOver.has(jobId)) await queue.finish(jobId);
  }

  wake(afterMs = 0): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#poll();
    }, afterMs);
    timer.unref();
    this.#timers.add(timer);
  }

  async settle(projectId: string): Promise<void> {
    const { queue } = this.#deps;
    for (;;) {
      const waiting = await queue.pending(projectId);
      if (waiting.length === 0) return;
      for (const key of waiting) await queue.runNow(key);
      this.#poll();
      await this.#taking;
      await Promise.race([...this.#allRunning(), delay(POLL_MS)]);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#regularly);
    for (const timer of this.#timers) clearTimeout(timer);
    await within(
      GRACE_MS,
      Promise.all([this.#taking, ...this.#allRunning()]).then(() => Promise.all(this.#allRunning())),
    );
    if (this.#allRunning().length > 0) await this.#handOverRest();
  }

  /** Releases unfinished jobs to other processes. The shutdown does not count as a crash caused by the images. */
  async #handOverRest(): Promise<void> {
    const { queue, stopReading, onError } = this.#deps;
    const jobs = KINDS.flatMap((kind) => [...this.#running[kind].values()]);
    for (const jobId of jobs) this.#handedOver.add(jobId);
    await Promise.all(jobs.map((jobId) => queue.handOver(jobId).catch(onError)));
    await within(ABORT_MS, stopReading());
    await within(ABORT_MS, Promise.all(this.#allRunning()));
  }
}

/** Waits for work, with a time limit: the work may never end. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
