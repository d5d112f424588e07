import { setTimeout as delay } from 'node:timers/promises';
import type { Project } from '../../projects/project.ts';
import type { CheckKind, CheckQueue, TakenCheck } from './check-queue-store.ts';
import type { CheckService } from './check-service.ts';

export type CheckRunner = {
  /** Looks for jobs after so many milliseconds. */
  wake(afterMs?: number): void;
  /** Ends all verifications of a project that wait, in whichever process, simulated ones at once. */
  settle(projectId: string): Promise<void>;
  /** Waits a while for what is under way, and hands the rest over to other processes. */
  close(): Promise<void>;
};

const EVERY_MS = 1000;
const LOOK_AGAIN_MS = 20;
/** At the end, checks have so long to finish; the others are handed over, and have so long to notice. */
const GRACE_MS = 5000;
const ABORT_MS = 2000;

const KINDS = ['real', 'simulated'] as const satisfies readonly CheckKind[];

/**
 * Takes submitted verifications from the queue: real ones when there is a worker for them, since their pictures are in
 * memory from then on, and simulated ones apart from them.
 */
export function startCheckRunner(deps: {
  queue: CheckQueue;
  checks: Pick<CheckService, 'check'>;
  atOnce: Readonly<Record<CheckKind, number>>;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Ends who reads pictures, whatever they do. */
  stopReading: () => Promise<void>;
  onError: (error: unknown) => void;
}): CheckRunner {
  const { queue, checks, atOnce, getProject, stopReading, onError } = deps;
  /** What is under way, with its job. */
  const underWay = { real: new Map<Promise<void>, string>(), simulated: new Map<Promise<void>, string>() };
  /** Jobs that are somebody else's by now. */
  const handedOver = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let taking: Promise<void> | null = null;
  let isAsked = false;
  let isClosed = false;
  const allUnderWay = () => KINDS.flatMap((kind) => [...underWay[kind].keys()]);

  async function takeAll(): Promise<void> {
    while (isAsked && !isClosed) {
      isAsked = false;
      for (const kind of KINDS) {
        const free = atOnce[kind] - underWay[kind].size;
        const jobs = free > 0 && !isClosed ? await queue.take(kind, free) : [];
        for (const job of jobs) begin(kind, job);
        if (jobs.length > 0) isAsked = true;
      }
    }
  }

  function begin(kind: CheckKind, job: TakenCheck): void {
    const work: Promise<void> = run(job)
      .catch(onError)
      .finally(() => {
        underWay[kind].delete(work);
        look();
      });
    underWay[kind].set(work, job.jobId);
  }

  async function run({ jobId, projectId, sessionId, retries }: TakenCheck): Promise<void> {
    try {
      const project = await getProject(projectId);
      if (project) await checks.check(project, sessionId, retries);
    } catch (error) {
      if (handedOver.has(jobId)) return;
      await queue.giveBack(jobId);
      throw error;
    }
    if (!handedOver.has(jobId)) await queue.finish(jobId);
  }

  /** Another process goes on with what is not finished; that this one ended counts against nobody's pictures. */
  async function handOverRest(): Promise<void> {
    const jobs = KINDS.flatMap((kind) => [...underWay[kind].values()]);
    for (const jobId of jobs) handedOver.add(jobId);
    await Promise.all(jobs.map((jobId) => queue.handOver(jobId).catch(onError)));
    await within(ABORT_MS, stopReading());
    await within(ABORT_MS, Promise.all(allUnderWay()));
  }

  function look(): void {
    isAsked = true;
    if (isClosed) return;
    taking ??= takeAll()
      .catch(onError)
      .finally(() => {
        taking = null;
      });
  }

  const regularly = setInterval(look, EVERY_MS);
  regularly.unref();
  look();

  return {
    wake(afterMs = 0) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        look();
      }, afterMs);
      timer.unref();
      timers.add(timer);
    },
    async settle(projectId) {
      for (;;) {
        const waiting = await queue.pending(projectId);
        if (waiting.length === 0) return;
        for (const key of waiting) await queue.runNow(key);
        look();
        await taking;
        await Promise.race([...allUnderWay(), delay(LOOK_AGAIN_MS)]);
      }
    },
    async close() {
      isClosed = true;
      clearInterval(regularly);
      for (const timer of timers) clearTimeout(timer);
      await within(
        GRACE_MS,
        Promise.all([taking, ...allUnderWay()]).then(() => Promise.all(allUnderWay())),
      );
      if (allUnderWay().length > 0) await handOverRest();
    },
  };
}

/** Waits for work, but no longer than this; it may never end. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
