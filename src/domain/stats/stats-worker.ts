import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { countNextEvents } from './count-events-service.ts';
import { FIND_UNCOUNTED } from './count-store.ts';

export type StatsWorker = {
  /** Counts all events with a position of a project, or of all projects with null, unless another process counts them. */
  settle(projectId: string | null): Promise<void>;
  /** Stops the worker; resolves when the current transaction has ended. */
  close(): Promise<void>;
};

type WorkerDependencies = {
  system: Database['system'];
  getProject: (projectId: string) => Promise<Project | null>;
  /** False: events are counted only when `settle` is called. */
  runsAlone?: boolean | undefined;
  onError: (error: unknown) => void;
};

const EVERY_MS = 2000;
/** Maximum number of projects of a background run. */
const PROJECTS = 100;
/** Maximum number of transactions of one project before the next project. */
const STEPS = 10;

/**
 * Counts events in the background. Requests write no counters, because rows that all of them update would serialize their
 * commits. Every process counts; the lock of a project's position allows one at a time.
 */
export function startStats(deps: WorkerDependencies): StatsWorker {
  const { system, getProject, runsAlone, onError } = deps;
  /** Counts events of all projects, or of one. True if more may be pending. Failed projects are retried in the next run. */
  async function countAll(only: string | null, limit: number | null): Promise<boolean> {
    const projects = await system.query<{ project_id: string }>(FIND_UNCOUNTED, [only, limit]);
    let isMore = false;
    for (const { project_id } of projects) {
      if (loop.signal.aborted) return false;
      isMore = (await countSome(project_id).catch(report)) || isMore;
    }
    return isMore;
  }

  async function countSome(projectId: string): Promise<boolean> {
    const project = await getProject(projectId);
    if (!project) return false;
    let isMore = true;
    for (let step = 0; isMore && step < STEPS && !loop.signal.aborted; step += 1) {
      isMore = await countNextEvents(system, project);
    }
    return isMore;
  }

  function report(error: unknown): false {
    onError(error);
    return false;
  }

  const loop = startBackgroundLoop({
    everyMs: EVERY_MS,
    isAutomatic: runsAlone,
    async work() {
      while (await countAll(null, PROJECTS));
    },
    onError,
  });
  return {
    async settle(projectId) {
      await loop.idle();
      while (await countAll(projectId, null));
    },
    close: loop.close,
  };
}
