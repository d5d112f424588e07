import type { Logger } from '../../platform/logger.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { startUpgrade, type Upgrade, type UpgradeDependencies } from '../projects/upgrade-worker.ts';
import type { AccountService } from './account-service.ts';
import { rewriteMatchKeys } from './match-key-service.ts';
import { BECOME_REKEYER, findProjectsWithEarlierKeys } from './match-key-store.ts';

/*
 * Rewrites match keys of earlier versions.
 *
 * First every account of a project gets the keys of the current version in addition to its earlier ones, then the earlier keys
 * are dropped: a link that both versions make never ends in between. Each account is one transaction that also stores its
 * version, so that any process can continue after a crash.
 */

type Dependencies = UpgradeDependencies & { accounts: Pick<AccountService, 'rekey'>; log: Logger };

const LOG_EVERY_MS = 30_000;

/** Rewrites accounts in the background, in one gateway at a time. Checks every minute for accounts of earlier versions. */
export function startMatchKeys(deps: Dependencies): Upgrade {
  /** Accounts that this process failed to decrypt and does not retry. */
  const unreadable = new Set<string>();
  return startUpgrade({
    ...deps,
    lock: BECOME_REKEYER,
    findProjects: findProjectsWithEarlierKeys,
    upgradeProject: (project, signal) => rewriteLogged(deps, project, unreadable, signal),
  });
}

async function rewriteLogged(
  { accounts, log, onError }: Pick<Dependencies, 'accounts' | 'log' | 'onError'>,
  project: Project,
  unreadable: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const viewer: Viewer = { project, kind: 'key', role: 'operator', actor: 'system', limitKey: 'system' };
  const facts = { projectId: project.projectId };
  let logged = performance.now();
  const { rewritten, failed } = await rewriteMatchKeys(viewer, accounts, {
    signal,
    isPaced: true,
    unreadable,
    onError,
    onProgress(count) {
      if (performance.now() - logged < LOG_EVERY_MS) return;
      logged = performance.now();
      log.info({ ...facts, accounts: count }, 'rewriting match keys');
    },
  });
  if (rewritten + failed === 0) return;
  const message = signal.aborted ? 'rewriting match keys interrupted' : 'match keys rewritten';
  log.info({ ...facts, accounts: rewritten, failed }, message);
}
