import { setTimeout as delay } from 'node:timers/promises';
import type { Project } from '../projects/project.ts';
import type { CheckQueue, TakenCheck } from './check-queue-store.ts';
import type { CheckService } from './check-service.ts';

export type CheckRunner = {
  /** Looks for jobs after so many milliseconds. */
  wake(afterMs?: number): void;
  /** Ends all verifications of a project that wait, in whichever process, simulated ones at once. */
  settle(projectId: string): Promise<void>;
  close(): Promise<void>;
};

const EVERY_MS = 1000;
const LOOK_AGAIN_MS = 20;

/** Takes submitted verifications from the queue, as many at once as there are workers. */
export function startCheckRunner(deps: {
  queue: CheckQueue;
  checks: CheckService;
  atOnce: number;
  getProject: (projectId: string) => Promise<Project | null>;
  onError: (error: unknown) => void;
}): CheckRunner {
  const { queue, checks, atOnce, getProject, onError } = deps;
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let taking: Promise<void> | null = null;
  let isAsked = false;
  let isClosed = false;

  async function takeAll(): Promise<void> {
    while (isAsked && !isClosed && underWay.size < atOnce) {
      isAsked = false;
      const jobs = await queue.take(atOnce - underWay.size);
      for (const job of jobs) begin(job);
      if (jobs.length > 0) isAsked = true;
    }
  }

  function begin(job: TakenCheck): void {
    const work: Promise<void> = run(job)
      .catch(onError)
      .finally(() => {
        underWay.delete(work);
        look();
      });
    underWay.add(work);
  }

  async function run({ jobId, projectId, sessionId }: TakenCheck): Promise<void> {
    const project = await getProject(projectId);
    try {
      if (project) await checks.check(project, sessionId);
    } catch (error) {
      await queue.giveBack(jobId);
      throw error;
    }
    await queue.finish(jobId);
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
        for (const sessionId of waiting) await queue.hasten(sessionId);
        look();
        await taking;
        await Promise.race([...underWay, delay(LOOK_AGAIN_MS)]);
      }
    },
    async close() {
      isClosed = true;
      clearInterval(regularly);
      for (const timer of timers) clearTimeout(timer);
      await taking;
      await Promise.all(underWay);
    },
  };
}
