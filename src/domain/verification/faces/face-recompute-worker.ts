import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../platform/logger.ts';
import type { Database } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import type { FaceRecompute, RecomputeOptions } from './face-recompute-service.ts';
import { BECOME_RECOMPUTER, findProjectsToRecompute } from './face-recompute-store.ts';

export type FaceRecomputeRunner = {
  /** Recomputes what is left and waits for it; another process that recomputes is waited for. */
  settle(): Promise<void>;
  /** Stops behind the template under way. The next gateway continues. */
  close(): Promise<void>;
};

type Dependencies = {
  system: Database['system'];
  recompute: FaceRecompute;
  getProject: (projectId: string) => Promise<Project | null>;
  log: Logger;
  /** False: templates are recomputed when `settle` is called, and at no other time. */
  runsAlone: boolean;
  onError: (error: unknown) => void;
};

type Run = Pick<RecomputeOptions, 'signal' | 'failed' | 'rest'>;
type Outcome = 'done' | 'busy' | 'failed';

const EVERY_MS = 60_000;
const BUSY_MS = 250;

/**
 * Recomputes templates of earlier pipeline versions in the background, in one of all gateways, one image at a time. Rests
 * for as long as each took: checks that wait for the same workers come first.
 */
export function startFaceRecompute(deps: Dependencies): FaceRecomputeRunner {
  const { runsAlone, onError } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const failed = new Set<string>();
  const rest = (workedMs: number) => delay(workedMs, undefined, { signal }).catch(() => {});
  let running: Promise<Outcome> | null = null;

  function run(): Promise<Outcome> {
    running ??= recomputeProjects(deps, { signal, failed, rest })
      .catch((error): Outcome => {
        if (!signal.aborted) onError(error);
        return 'failed';
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  const timer = runsAlone ? setInterval(run, EVERY_MS).unref() : null;
  if (runsAlone) void run();
  return {
    async settle() {
      await running;
      while ((await run()) === 'busy') await delay(BUSY_MS);
    },
    async close() {
      if (timer) clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}

/** `busy`: another process recomputes. */
async function recomputeProjects({ system, ...deps }: Dependencies, run: Run): Promise<Outcome> {
  if ((await findProjectsToRecompute(system)).length === 0 || run.signal.aborted) return 'done';
  const client = await system.connect();
  try {
    const { rows } = await client.query(BECOME_RECOMPUTER);
    if (!rows[0].held) return 'busy';
    // Again: another process may have ended its work before this one had the lock.
    for (const projectId of await findProjectsToRecompute(system)) {
      const project = run.signal.aborted ? null : await deps.getProject(projectId);
      if (project) await recomputeProject(deps, project, run);
    }
    return 'done';
  } finally {
    // Closed for good: its lock ends with it.
    client.release(true);
  }
}

async function recomputeProject(
  { recompute, log, onError }: Omit<Dependencies, 'system'>,
  project: Project,
  run: Run,
): Promise<void> {
  const counts = await recompute.recomputeAll(project, { ...run, onError });
  if (counts.recomputed + counts.unreadable + counts.failed === 0) return;
  const message = run.signal.aborted ? 'recomputing face templates interrupted' : 'face templates recomputed';
  log.info({ projectId: project.projectId, ...counts }, message);
}
