import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Clock } from '@vouchgraph/platform/clock';
import type { Database } from '../../storage/database.ts';
import { PROJECTS_WITH_STANDINGS_DUE } from '../model/standing-flag-sql.ts';
import type { Project } from '../projects/project.ts';
import { recalculateIdentities } from './identity-service.ts';
import { type Limits, recalculateSharedIdentifiers } from './rescore-service.ts';

export type RecalculationWorker = {
  /** Runs within milliseconds instead of within a second. */
  wake(): void;
  /** Stops the worker; resolves when the current run has completed. */
  close(): Promise<void>;
};

type RecalculationDependencies = {
  database: Database;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Recalculates scores of flagged accounts. */
  recalculateStandings: (project: Project, limits: Limits) => Promise<void>;
  onError: (error: unknown) => void;
};

const FIND_PROJECTS = {
  name: 'link.find_projects_with_recalculations',
  text: `select project_id, bool_or(kind = 'identifiers') as has_identifiers, bool_or(kind = 'identities') as has_identities
    from (
      select project_id, 'identifiers' as kind from link_recalculations
      union select project_id, 'identities' from identity_recalculations
      union select project_id, 'standings' from (${PROJECTS_WITH_STANDINGS_DUE}) due
    ) pending group by project_id order by random() limit 100`,
};

/** A project with pending recalculations. Each kind can cause those of the kinds after it: identifiers, identities, standings. */
type PendingProject = {
  readonly project_id: string;
  readonly has_identifiers: boolean;
  readonly has_identities: boolean;
};

const EVERY_MS = 1000;
const WAKE_MS = 100;
/** Time slice of each recalculation of a project, after which the next project follows. */
const PROJECT_SLICE_MS = 250;

/** Processes all pending recalculations of links and identities of a project, within `limits`. */
export async function recalculateLinks(project: Project, clock: Clock, limits: Limits = {}): Promise<void> {
  await recalculateSharedIdentifiers(project, clock, limits);
  await recalculateIdentities(project, clock, limits);
}

/**
 * Processes pending recalculations: links of shared identifiers whose weight changed, and identities. After a crash the rows
 * of unfinished recalculations still exist, and any process continues them.
 */
export function startRecalculationWorker(deps: RecalculationDependencies): RecalculationWorker {
  const { database, clock, getProject, recalculateStandings, onError } = deps;
  let isWaking = false;

  /** Gives each project a time slice. Recalculations that remain are processed in the next run. */
  async function recalculateAll(closing: AbortSignal): Promise<void> {
    const projects = await database.system.query<PendingProject>(FIND_PROJECTS, []);
    let isFailing = false;
    for (const pending of projects) {
      if (closing.aborted) return;
      await recalculateProject(pending, closing).catch((error) => {
        isFailing = true;
        onError(error);
      });
    }
    // After a failure the next run waits for the timer, so that retries do not loop.
    if (projects.length > 0 && !isFailing) wake();
  }

  async function recalculateProject(pending: PendingProject, signal: AbortSignal): Promise<void> {
    const project = await getProject(pending.project_id);
    if (!project) return;
    const slice = () => ({ signal, until: performance.now() + PROJECT_SLICE_MS });
    if (pending.has_identifiers) await recalculateSharedIdentifiers(project, clock, slice());
    if (pending.has_identifiers || pending.has_identities)
      await recalculateIdentities(project, clock, slice());
    await recalculateStandings(project, slice());
  }

  /** Runs after a short delay, so that one run processes the recalculations of many changes. */
  function wake(): void {
    if (isWaking) return;
    isWaking = true;
    setTimeout(() => {
      isWaking = false;
      loop.wake();
    }, WAKE_MS).unref();
  }

  const loop = startBackgroundLoop({ everyMs: EVERY_MS, work: recalculateAll, onError });
  return { wake, close: loop.close };
}
