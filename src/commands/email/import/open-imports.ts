import { StartError } from '../../../app/start-error.ts';
import { overridesOf } from '../../../domain/email/domain-overrides.ts';
import { createMailExchangers } from '../../../domain/email/mail-exchangers-adapter.ts';
import { createConfiguredProviders } from '../../../domain/email/providers/http/configured-providers.ts';
import { openEmailProviders } from '../../../domain/email/providers/open-email-providers.ts';
import { findAddressHistories } from '../../../domain/email-checks/address-history-store.ts';
import { openEmailChecks } from '../../../domain/email-checks/email-check-service.ts';
import {
  createEmailImportService,
  type EmailImportService,
} from '../../../domain/email-checks/import/import-service.ts';
import type { Viewer } from '../../../domain/projects/access-service.ts';
import { systemClock } from '../../../platform/clock.ts';
import { type CommandStorage, openViewer } from '../../support/open-project.ts';

export type CommandImports = {
  readonly viewer: Viewer;
  readonly imports: EmailImportService;
  /** Completes pending checks of the project until this process can claim no more. */
  work(): Promise<void>;
  /** Stops working. The remaining rows are processed later or by another process. */
  stop(): Promise<void>;
};

/**
 * Opens the imports of email addresses into a project, on the stack of the command, with a runner that completes their
 * checks in this process.
 */
export async function openImports(
  storage: CommandStorage,
  projectId: string | undefined,
): Promise<CommandImports> {
  const { config, database, opened } = storage;
  const viewer = await openViewer(storage, projectId ?? (await onlyProject(storage)));
  const { project } = viewer;
  const dnsServers = config.dnsServers.length > 0 ? config.dnsServers : undefined;
  const mail = config.mxLookups ? createMailExchangers({ clock: systemClock, servers: dnsServers }) : null;
  opened.defer(() => mail?.close());
  const onError = (message: string) => void process.stderr.write(`vouchgraph: ${message}\n`);
  const providers = await openEmailProviders({
    dataDir: config.emailDataDir,
    online: createConfiguredProviders(config.emailProviders, {
      clock: systemClock,
      onProblem: (provider, reason) => onError(`email provider ${provider} does not answer: ${reason}`),
    }),
    onDataProblem: (data, reason) => onError(`imported email data ${data} is not in use: ${reason}`),
  });
  opened.defer(providers.close);
  const { runner } = openEmailChecks({
    database,
    clock: systemClock,
    sources: { mail, providers, findHistories: findAddressHistories, overridesOf },
    getProject: async (id) => (id === project.projectId ? project : null),
    onError: (error) => onError((error as Error).message),
    isAutomatic: false,
  });
  opened.defer(runner.close);
  return {
    viewer,
    imports: createEmailImportService({ clock: systemClock, onAdded: () => {} }),
    work: async () => void (await Promise.all([1, 2].map(() => runner.settle(project.projectId)))),
    stop: runner.close,
  };
}

async function onlyProject({ projects }: CommandStorage): Promise<string> {
  const [first, second] = await projects.projects(2);
  if (first && !second) return first.project_id;
  throw new StartError(
    first
      ? '--project: required, because there are several projects'
      : 'There is no project: create one with project create',
  );
}
