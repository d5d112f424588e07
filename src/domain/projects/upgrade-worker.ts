import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../storage/database.ts';
import type { Project } from './project.ts';

/** Work on what earlier versions stored, in the background. */
export type Upgrade = {
  /** Completes the pending work. Waits for another process that does it. */
  settle(): Promise<void>;
  /** Stops behind the row under way. The next gateway continues. */
  close(): Promise<void>;
};

/** What every upgrade gets from the gateway. */
export type UpgradeDependencies = {
  system: Database['system'];
  getProject: (projectId: string) => Promise<Project | null>;
  /** False: work is done when `settle` is called, and at no other time. */
  runsAlone: boolean;
  onError: (error: unknown) => void;
};

type UpgradeOptions = UpgradeDependencies & {
  /** Tries to take the advisory lock of a session, and returns `held`. One gateway of all does the work. */
  lock: string;
  findProjects: (system: Database['system']) => Promise<readonly string[]>;
  upgradeProject: (project: Project, signal: AbortSignal) => Promise<void>;
};

type Outcome = 'done' | 'busy' | 'failed';

const EVERY_MS = 60_000;
const BUSY_MS = 250;

/** Looks for work now and every minute. A failure is reported, and the remaining work is done in the next run. */
export function startUpgrade(options: UpgradeOptions): Upgrade {
  const { runsAlone, onError } = options;
  const stop = new AbortController();
  let running: Promise<Outcome> | null = null;

  function run(): Promise<Outcome> {
    running ??= upgradeProjects(options, stop.signal)
      .catch((error): Outcome => {
        if (!stop.signal.aborted) onError(error);
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
      // A running run can have passed rows that were written since its start.
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

/** `busy`: another process does the work. */
async function upgradeProjects(
  { system, lock, getProject, findProjects, upgradeProject }: UpgradeOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  if ((await findProjects(system)).length === 0 || signal.aborted) return 'done';
  const client = await system.connect();
  try {
    const { rows } = await client.query(lock);
    if (!rows[0].held) return 'busy';
    // Again: another process may have ended its work before this one had the lock.
    for (const projectId of await findProjects(system)) {
      const project = signal.aborted ? null : await getProject(projectId);
      if (project) await upgradeProject(project, signal);
    }
    return 'done';
  } finally {
    // Closed for good: its lock ends with it.
    client.release(true);
  }
}
