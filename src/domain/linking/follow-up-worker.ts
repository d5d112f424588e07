import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../storage/database.ts';
import { PROJECTS_WITH_STANDINGS_DUE } from '../model/standing-flag-sql.ts';
import type { Project } from '../projects/project.ts';
import { settleIdentities } from './identity-service.ts';
import { type Limits, settleCrowds } from './rescore-service.ts';

export type FollowUp = {
  /** Looks soon, rather than within a second. */
  wake(): void;
  /** Stops; resolves when what was begun has ended. */
  close(): Promise<void>;
};

type FollowUpDependencies = {
  database: Database;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Recalculates the accounts that changes of others flagged. */
  settleStandings: (project: Project, limits: Limits) => Promise<void>;
  onError: (error: unknown) => void;
};

const FIND_PROJECTS = {
  name: 'link.find_projects_with_marks',
  text: `select project_id from (
    select project_id from link_rescores union select project_id from identity_marks
    union ${PROJECTS_WITH_STANDINGS_DUE}
  ) waiting order by random() limit 100`,
};

const EVERY_MS = 1000;
const WAKE_MS = 50;
/** How long one project is followed before the next has its turn. */
const MOMENT_MS = 250;

/** All links and identities of a project as they have to be: nothing waits any more when it resolves, but for `limits`. */
export async function settleLinks(project: Project, clock: Clock, limits: Limits = {}): Promise<void> {
  await settleCrowds(project, clock, limits);
  await settleIdentities(project, clock, limits);
}

/**
 * Follows what changes have left for later: links of crowds that crossed a band, and identities. What it was at when
 * the process ended is still marked, and is taken up by any process.
 */
export function startFollowUp(deps: FollowUpDependencies): FollowUp {
  const { database, clock, getProject, settleStandings, onError } = deps;
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let waking: NodeJS.Timeout | null = null;

  /** Each project for a moment, so that none waits for another: what is left of it comes with the next round. */
  async function settleAll(): Promise<void> {
    const projects = await database.system.query<{ project_id: string }>(FIND_PROJECTS, []);
    let isFailing = false;
    for (const { project_id } of projects) {
      if (stop.signal.aborted) return;
      await settleForAMoment(project_id).catch((error) => {
        isFailing = true;
        onError(error);
      });
    }
    // What fails is tried again within a second, not at once and again.
    if (projects.length > 0 && !isFailing) wake();
  }

  async function settleForAMoment(projectId: string): Promise<void> {
    const project = await getProject(projectId);
    if (!project) return;
    const moment = () => ({ signal: stop.signal, until: performance.now() + MOMENT_MS });
    await settleCrowds(project, clock, moment());
    await settleIdentities(project, clock, moment());
    await settleStandings(project, moment());
  }

  function run(): void {
    waking = null;
    if (stop.signal.aborted) return;
    running ??= settleAll()
      .catch(onError)
      .finally(() => {
        running = null;
      });
  }

  /** A moment later: what many changes leave is followed together. */
  function wake(): void {
    waking ??= setTimeout(run, WAKE_MS).unref();
  }

  const timer = setInterval(run, EVERY_MS);
  timer.unref();
  return {
    wake,
    async close() {
      clearInterval(timer);
      if (waking) clearTimeout(waking);
      stop.abort();
      await running;
    },
  };
}
