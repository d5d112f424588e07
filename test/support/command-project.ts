import { systemClock } from '@vouchgraph/platform/clock';
import { openAccounts } from '../../src/commands/support/open-accounts.ts';
import {
  type CommandStorage,
  openCommandStorage,
  openViewer,
} from '../../src/commands/support/open-project.ts';
import type { Config } from '../../src/config.ts';
import type { AccountService } from '../../src/domain/accounts/account-service.ts';
import { createRebuildService, type RebuildService } from '../../src/domain/accounts/rebuild-service.ts';
import { recalculateLinks } from '../../src/domain/linking/recalculation-worker.ts';
import type { Viewer } from '../../src/domain/projects/access-service.ts';

/** The database as a command opens it. */
export async function openForCommandLine(config: Config, connectionString: string, connections = 1) {
  const opened = new AsyncDisposableStack();
  const storage = await openCommandStorage(config, connectionString, connections, opened);
  return { ...storage, close: () => opened.disposeAsync() };
}

export type ProjectForCommandLine = {
  readonly viewer: Viewer;
  readonly accounts: AccountService;
  readonly rebuilding: RebuildService;
  /** Runs all pending recalculations of links and identities. */
  settle(): Promise<void>;
};

/** Services of the commands `links` and `import`. */
export async function openProjectForCommandLine(
  storage: CommandStorage,
  projectId: string,
): Promise<ProjectForCommandLine> {
  const viewer = await openViewer(storage, projectId);
  const accounts = openAccounts();
  return {
    viewer,
    accounts,
    rebuilding: createRebuildService({ accounts, clock: systemClock }),
    settle: () => recalculateLinks(viewer.project, systemClock),
  };
}
