import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import type { Database } from '../../storage/database.ts';
import { type QueueWorker, startQueueWorker } from '../../storage/queue/queue-worker.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { clearSteps } from './clear-worker.ts';
import {
  type ClaimedDemonstration,
  DEMONSTRATION_QUEUE,
  deleteDemonstration,
  endFilling,
  saveProgress,
} from './demonstration-store.ts';
import { fillSteps } from './fill-worker.ts';
import { LeaseLost, withLeaseFence } from './lease-fence-store.ts';
import type { DemonstrationServices } from './step.ts';

export type DemonstrationWorker = Pick<QueueWorker, 'wake' | 'settle' | 'close'>;

type Dependencies = {
  readonly system: Pick<Database['system'], 'query'>;
  readonly services: DemonstrationServices;
  readonly clock: Clock;
  readonly getProject: (projectId: string) => Promise<Project | null>;
  /** False: sets are claimed only when `wake` or `settle` is called. */
  readonly runsAlone?: boolean | undefined;
  readonly onError: (error: unknown) => void;
};

const EVERY_MS = 2000;
/** Time until a step that waits, or a removal that failed, is tried again. */
const RETRY_SECONDS = 1;

/**
 * Fills and removes sets of demonstration data, one at a time, in any process. Progress is saved after each step. When a process dies,
 * another one continues after the lease expires. One that stood still meanwhile cannot change the project any more.
 */
export function startDemonstrations(deps: Dependencies): DemonstrationWorker {
  const { system, runsAlone, onError } = deps;
  return startQueueWorker({
    system,
    queue: DEMONSTRATION_QUEUE,
    claim: (projectId, limit) => DEMONSTRATION_QUEUE.claim(system, projectId, limit),
    atOnce: 1,
    everyMs: EVERY_MS,
    // Progress renews the lease.
    renewSeconds: 0,
    isAutomatic: runsAlone,
    work: ([claimed], signal) => runClaimed(deps, claimed!, signal),
    onError,
  });
}

async function runClaimed(
  deps: Dependencies,
  claimed: ClaimedDemonstration,
  signal: AbortSignal,
): Promise<void> {
  const project = await deps.getProject(claimed.projectId);
  if (!project) return;
  try {
    await runSteps(deps, project, claimed, signal);
  } catch (error) {
    // Another process has the set, or the set is to be removed.
    if (error instanceof LeaseLost) return DEMONSTRATION_QUEUE.release(deps.system, [claimed]);
    deps.onError(error);
    // The database is unavailable: the lease expires.
    if (error instanceof AppError && error.kind === 'unavailable') return;
    if (claimed.state === 'removing') return reschedule(deps, claimed);
    await endFilling(project.database, claimed, { state: 'failed', problem: problemOf(error) });
  }
}

async function runSteps(
  deps: Dependencies,
  project: Project,
  claimed: ClaimedDemonstration,
  signal: AbortSignal,
): Promise<void> {
  const { system, services, clock } = deps;
  const { ids, state, createdAt } = claimed;
  const { database } = project;
  const fenced = withLeaseFence(database, claimed);
  const steps = state === 'filling' ? fillSteps() : clearSteps(ids, system);
  const context = { services, ids, createdAt, viewer: viewerOf({ ...project, database: fenced }, claimed) };
  const total = steps.length;
  let done = Math.min(claimed.done, total);
  // The removal of a set that is being filled begins when its lease is released.
  const save = async () => {
    if (await saveProgress(database, claimed, { done, total })) return true;
    await DEMONSTRATION_QUEUE.release(system, [claimed]);
    return false;
  };
  if (!(await save())) return;
  for (const step of steps.slice(done)) {
    if (signal.aborted) return;
    if ((await step(context)) === 'wait') return reschedule(deps, claimed);
    done += 1;
    if (!(await save())) return;
  }
  if (state === 'removing') return deleteDemonstration(database, claimed);
  await endFilling(database, claimed, { state: 'filled', filledAt: clock.now() });
}

function reschedule({ system }: Dependencies, claimed: ClaimedDemonstration): Promise<void> {
  return DEMONSTRATION_QUEUE.release(system, [claimed], RETRY_SECONDS);
}

/** Acts for the operator who asked for it. */
function viewerOf(project: Project, { actor }: ClaimedDemonstration): Viewer {
  return { project, kind: 'key', role: 'operator', actor, limitKey: 'demonstration data' };
}

/** Public text of an error; other errors are in the log of the gateway. */
function problemOf(error: unknown): string {
  return error instanceof AppError ? `${error.code}: ${error.message}` : 'internal';
}
