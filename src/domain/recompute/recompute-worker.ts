import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@vouchgraph/platform/logger';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { noCounts, type RecomputeRun } from './recompute-rows.ts';
import { tryLock } from './recompute-store.ts';

/**
 * Derived data that is stored with the version of the rules that made it. Rows whose version is not the current one are stale.
 * A row is written together with its version, so that any process can continue after a crash.
 */
export type Recomputation = {
  /** Plural noun that names the rows in the log and the lock. */
  readonly name: string;
  /** Current version. */
  readonly version: number;
  /** Projects with stale rows that can be recomputed, across all projects. */
  readonly findProjects: (system: Database['system']) => Promise<readonly string[]>;
  readonly recomputeProject: (project: Project, run: RecomputeRun) => Promise<void>;
};

export type Recompute = {
  /** Recomputes all stale rows. Waits for another process that does it. */
  settle(): Promise<void>;
  /** Stops after the current row. The next gateway continues. */
  close(): Promise<void>;
};

type Dependencies = {
  system: Database['system'];
  getProject: (projectId: string) => Promise<Project | null>;
  log: Logger;
  /** Returns the receiver of errors with a message. */
  onError: (message: string) => (error: unknown) => void;
};

type Options = Dependencies & {
  recomputations: readonly Recomputation[];
  /** False: rows are recomputed when `settle` is called, and at no other time. */
  runsAlone: boolean;
};

type Outcome = 'done' | 'busy' | 'failed';

const EVERY_MS = 60_000;
const BUSY_MS = 250;
const LOG_EVERY_MS = 30_000;

/**
 * Recomputes stale rows now and every minute, each recomputation in one gateway at a time. A failure is reported, and the
 * remaining rows are recomputed in the next run.
 */
export function startRecompute({ recomputations, runsAlone, ...deps }: Options): Recompute {
  const stop = new AbortController();
  const loops = recomputations.map((recomputation) => createLoop(deps, recomputation, stop.signal));
  const runAll = () => {
    for (const loop of loops) void loop.run();
  };
  const timer = runsAlone ? setInterval(runAll, EVERY_MS).unref() : null;
  if (runsAlone) runAll();
  return {
    async settle() {
      await Promise.all(loops.map((loop) => loop.settle()));
    },
    async close() {
      if (timer) clearInterval(timer);
      stop.abort();
      await Promise.all(loops.map((loop) => loop.end()));
    },
  };
}

function createLoop(deps: Dependencies, recomputation: Recomputation, signal: AbortSignal) {
  const onError = deps.onError(`recomputing ${recomputation.name} failed`);
  const failed = new Set<string>();
  let running: Promise<Outcome> | null = null;

  function run(): Promise<Outcome> {
    running ??= recomputeProjects({ ...deps, onError, failed, signal }, recomputation)
      .catch((error): Outcome => {
        if (!signal.aborted) onError(error);
        return 'failed';
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    run,
    async settle() {
      // A running run can have passed rows that were written since its start.
      await running;
      while ((await run()) === 'busy') await delay(BUSY_MS);
    },
    async end() {
      await running;
    },
  };
}

type Run = Pick<Dependencies, 'system' | 'getProject' | 'log'> &
  Pick<RecomputeRun, 'failed' | 'signal' | 'onError'>;

/** `busy`: another process recomputes. */
async function recomputeProjects(run: Run, recomputation: Recomputation): Promise<Outcome> {
  const { system, getProject, signal } = run;
  if ((await recomputation.findProjects(system)).length === 0 || signal.aborted) return 'done';
  const client = await system.connect();
  try {
    if (!(await tryLock(client, recomputation.name))) return 'busy';
    // Again: another process may have ended its work before this one had the lock.
    for (const projectId of await recomputation.findProjects(system)) {
      const project = signal.aborted ? null : await getProject(projectId);
      if (project) await recomputeProject(run, recomputation, project);
    }
    return 'done';
  } finally {
    // Destroyed, so that its lock is released.
    client.release(true);
  }
}

/** Pauses after each row for as long as it took, because requests use the same connections and threads. */
async function recomputeProject(
  { log, failed, signal, onError }: Run,
  { name, version, recomputeProject: recompute }: Recomputation,
  project: Project,
): Promise<void> {
  const counts = noCounts();
  const facts = { projectId: project.projectId, version };
  let loggedAt = performance.now();
  await recompute(project, {
    counts,
    failed,
    signal,
    onError,
    async pause(workedMs) {
      if (performance.now() - loggedAt >= LOG_EVERY_MS) {
        loggedAt = performance.now();
        log.info({ ...facts, ...counts }, `recomputing ${name}`);
      }
      await delay(workedMs, undefined, { signal }).catch(() => {});
    },
  });
  if (counts.recomputed + counts.unreadable + counts.failed === 0) return;
  log.info(
    { ...facts, ...counts },
    signal.aborted ? `recomputing ${name} interrupted` : `${name} recomputed`,
  );
}
