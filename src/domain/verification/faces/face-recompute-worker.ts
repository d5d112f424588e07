import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../platform/logger.ts';
import type { Project } from '../../projects/project.ts';
import { startUpgrade, type Upgrade, type UpgradeDependencies } from '../../projects/upgrade-worker.ts';
import type { FaceRecompute, RecomputeOptions } from './face-recompute-service.ts';
import { BECOME_RECOMPUTER, findProjectsToRecompute } from './face-recompute-store.ts';

type Dependencies = UpgradeDependencies & { recompute: FaceRecompute; log: Logger };

type Run = Required<Pick<RecomputeOptions, 'signal' | 'failed' | 'rest'>>;

/**
 * Recomputes templates of earlier pipeline versions in the background, in one gateway at a time, one image at a time.
 * Pauses after each for as long as it took, because checks that wait for the same workers have priority.
 */
export function startFaceRecompute(deps: Dependencies): Upgrade {
  const failed = new Set<string>();
  return startUpgrade({
    ...deps,
    lock: BECOME_RECOMPUTER,
    findProjects: findProjectsToRecompute,
    upgradeProject(project, signal) {
      const rest = (workedMs: number) => delay(workedMs, undefined, { signal }).catch(() => {});
      return recomputeProject(deps, project, { signal, failed, rest });
    },
  });
}

async function recomputeProject(
  { recompute, log, onError }: Pick<Dependencies, 'recompute' | 'log' | 'onError'>,
  project: Project,
  run: Run,
): Promise<void> {
  const counts = await recompute.recomputeAll(project, { ...run, onError });
  if (counts.recomputed + counts.unreadable + counts.failed === 0) return;
  const message = run.signal.aborted ? 'recomputing face templates interrupted' : 'face templates recomputed';
  log.info({ projectId: project.projectId, ...counts }, message);
}
