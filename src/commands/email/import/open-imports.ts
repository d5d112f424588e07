import type { Readable } from 'node:stream';
import { overridesOf } from '@vouchgraph/email';
import { createConfiguredProviders } from '@vouchgraph/email/configured-providers';
import { createMailExchangers } from '@vouchgraph/email/mail-exchangers-adapter';
import { openEmailProviders } from '@vouchgraph/email/open-email-providers';
import { systemClock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import { printError } from '@vouchgraph/terminal';
import { findAddressHistories } from '../../../domain/email-checks/address-history-store.ts';
import { openEmailChecks } from '../../../domain/email-checks/email-check-service.ts';
import { presentImport } from '../../../domain/email-checks/import/import-record.ts';
import {
  createEmailImportService,
  type EmailImportService,
} from '../../../domain/email-checks/import/import-service.ts';
import type { Viewer } from '../../../domain/projects/access-service.ts';
import type { CommandStorage } from '../../support/open-project.ts';
import type { ImportAccess, ImportSource } from './import-access.ts';

/** How often progress is shown, and rows that another process works on are waited for. */
const POLL_MS = 250;

/**
 * Opens the imports of email addresses into a project, on the stack of the command, with a runner that completes their
 * checks in this process.
 */
export async function openImports(viewer: Viewer, storage: CommandStorage): Promise<ImportAccess> {
  const { config, database, opened } = storage;
  const { project } = viewer;
  const dnsServers = config.dnsServers.length > 0 ? config.dnsServers : undefined;
  const mail = config.mxLookups ? createMailExchangers({ clock: systemClock, servers: dnsServers }) : null;
  opened.defer(() => mail?.close());
  const onError = (message: string) => printError(`vouchgraph: ${message}`);
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
  const imports = createEmailImportService({ clock: systemClock, onAdded: () => {} });
  return {
    ...accessTo(imports, viewer),
    work: async () => void (await Promise.all([1, 2].map(() => runner.settle(project.projectId)))),
    stop: runner.close,
    pollMs: POLL_MS,
  };
}

function accessTo(
  imports: EmailImportService,
  viewer: Viewer,
): Omit<ImportAccess, 'work' | 'stop' | 'pollMs'> {
  return {
    projectId: async () => viewer.project.projectId,
    list: async () => (await imports.list(viewer, pageAfter(null, 100))).map(presentImport),
    find: async (importId) => presentImport(await imports.find(viewer, importId)),
    async findOrNull(importId) {
      const found = await imports.findOrNull(viewer, importId);
      return found && presentImport(found);
    },
    problems: (importId, limit) => imports.problems(viewer, importId, pageAfter(null, limit)),
    result: (importId, bom) => imports.result(viewer, importId, { bom }),
    erase: (importId) => imports.erase(viewer, newId(), importId),
    async start(importId, source, options) {
      await imports.start(viewer, newId(), sourceOf(source), { ...options, importId });
      return importId;
    },
    resume: async (importId, source) =>
      void (await imports.resume(viewer, newId(), importId, sourceOf(source))),
  };
}

const sourceOf = ({ open, signal, onProgress }: ImportSource) => ({
  chunks: untilAborted(open(), signal),
  onProgress: ({ bytes }: { bytes: number }) => onProgress(bytes),
});

async function* untilAborted(chunks: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}
