import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../storage/database.ts';
import { startQueueWorker } from '../../../storage/queue/queue-worker.ts';
import type { Project } from '../../projects/project.ts';
import {
  CHECK_QUEUES,
  type CheckKind,
  type ClaimedCheck,
  retrySeconds,
  runChecksNow,
} from './check-queue-store.ts';
import type { CheckService } from './check-service.ts';

export type CheckRunner = {
  /** Looks for submitted checks after this many milliseconds. */
  wake(afterMs?: number): void;
  /** Completes all waiting verifications of a project in any process, simulated ones immediately. */
  settle(projectId: string): Promise<void>;
  /** Waits a limited time for running checks, and releases the others to other processes. */
  close(): Promise<void>;
};

const EVERY_MS = 1000;
const POLL_MS = 20;
/** Time for running checks to finish at shutdown. */
const GRACE_MS = 5000;
/** A check that runs longer counts as stuck. */
const MAX_SECONDS = 900;

type RunnerDependencies = {
  system: Pick<Database['system'], 'query'>;
  checks: Pick<CheckService, 'check'>;
  atOnce: Readonly<Record<CheckKind, number>>;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Terminates the vision workers. */
  stopReading: () => Promise<void>;
  onError: (error: unknown) => void;
};

/**
 * Claims submitted verifications. Real ones are claimed when a vision worker is free, since their images are in memory from
 * then on. Simulated ones are claimed separately.
 */
export function startCheckRunner(deps: RunnerDependencies): CheckRunner {
  const workers = [startWorker(deps, 'real'), startWorker(deps, 'simulated')];
  for (const { wake } of workers) wake();
  return {
    wake(afterMs) {
      for (const { wake } of workers) wake(afterMs);
    },
    async settle(projectId) {
      const project = await deps.getProject(projectId);
      while (project && (await runChecksNow(project.database))) {
        await Promise.all(workers.map(({ settle }) => settle(projectId)));
        // Others may be claimed by another process.
        await delay(POLL_MS);
      }
    },
    async close() {
      await Promise.all(workers.map(({ close }) => close()));
    },
  };
}

function startWorker(deps: RunnerDependencies, kind: CheckKind) {
  const { system, atOnce, onError } = deps;
  const queue = CHECK_QUEUES[kind];
  return startQueueWorker({
    queue,
    system,
    claim: (projectId, limit) => queue.claim(system, projectId, limit),
    atOnce: atOnce[kind],
    everyMs: EVERY_MS,
    renewSeconds: MAX_SECONDS,
    graceMs: GRACE_MS,
    work: ([claimed], signal) => runCheck(deps, kind, claimed!, signal),
    onError,
  });
}

async function runCheck(
  { system, checks, getProject, stopReading, onError }: RunnerDependencies,
  kind: CheckKind,
  claimed: ClaimedCheck,
  signal: AbortSignal,
): Promise<void> {
  const queue = CHECK_QUEUES[kind];
  // The end of a reader at the shutdown does not count as a crash caused by the images.
  const interrupt = () => void stopReading().catch(onError);
  // A simulated check has no reader.
  if (kind === 'real') signal.addEventListener('abort', interrupt, { once: true });
  try {
    const project = await getProject(claimed.projectId);
    if (project) await checks.check(project, claimed.id, claimed.retries);
    await queue.end(system, [claimed]);
  } catch (error) {
    if (signal.aborted) return;
    onError(error);
    await queue.release(system, [claimed], retrySeconds(claimed));
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
