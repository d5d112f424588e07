import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { settleIdentities } from './identity-service.ts';
import { settleCrowds } from './rescore-service.ts';

export type FollowUp = {
  /** Looks now, rather than within a second. */
  wake(): void;
  /** Stops; resolves when what was begun has ended. */
  close(): Promise<void>;
};

type FollowUpDependencies = {
  database: Database;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  onError: (error: unknown) => void;
};

/** For a process that leaves it to others. */
export function leaveFollowUp(_deps: FollowUpDependencies): FollowUp {
  return { wake() {}, async close() {} };
}

const FIND_PROJECTS = {
  name: 'link.find_projects_with_marks',
  text: `select project_id from link_rescores union select project_id from identity_marks limit 100`,
};

const EVERY_MS = 1000;

/** All links and identities of a project as they have to be: nothing waits any more when it resolves. */
export async function settleLinks(project: Project, clock: Clock, signal?: AbortSignal): Promise<void> {
  await settleCrowds(project, clock, signal);
  await settleIdentities(project, clock, signal);
}

/**
 * Follows what changes have left for later: links of crowds that crossed a band, and identities. What it was at when
 * the process ended is still marked, and is taken up by any process.
 */
export function startFollowUp(deps: FollowUpDependencies): FollowUp {
  const { database, clock, getProject, onError } = deps;
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;

  async function settleAll(): Promise<void> {
    const projects = await database.system.query<{ project_id: string }>(FIND_PROJECTS, []);
    for (const { project_id } of projects) {
      if (stop.signal.aborted) return;
      const project = await getProject(project_id);
      if (project) await settleLinks(project, clock, stop.signal);
    }
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    if (running) {
      again = true;
      return;
    }
    running = settleAll()
      .catch(onError)
      .finally(() => {
        running = null;
        if (!again) return;
        again = false;
        wake();
      });
  }

  const timer = setInterval(wake, EVERY_MS);
  timer.unref();
  return {
    wake,
    async close() {
      clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}
