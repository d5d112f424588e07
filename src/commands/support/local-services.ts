import { systemClock } from '@vouchgraph/platform/clock';
import type { ExportService } from '../../domain/accounts/export/export-account-service.ts';
import { createBacktestService } from '../../domain/decisions/backtests/backtest-service.ts';
import { startBacktests } from '../../domain/decisions/backtests/backtest-worker.ts';
import { createDemonstrationService } from '../../domain/demonstration/demonstration-service.ts';
import type { EmailEraseService } from '../../domain/email-checks/email-erase-service.ts';
import { createListService } from '../../domain/lists/list-service.ts';
import type { OperationService } from '../../domain/operations/operation-service.ts';
import { createOutcomeService } from '../../domain/outcomes/outcome-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { createSettingsService } from '../../domain/projects/settings-service.ts';
import { createRuleService } from '../../domain/rules/rule-service.ts';
import type { VerificationService } from '../../domain/verification/verification-service.ts';
import type { EndpointService } from '../../domain/webhooks/endpoint-service.ts';
import type { Services } from '../../graphql/kernel/context.ts';
import { openAccounts } from './open-accounts.ts';
import type { CommandStorage } from './open-project.ts';

/** The services for the documents of commands, each opened when a document needs it. */
export function openLocalServices(viewer: Viewer, storage: CommandStorage): Services {
  const clock = systemClock;
  const opened: Partial<Services> = {
    clock,
    accounts: openAccounts(),
    accountExports: whenCalled<ExportService>(async () => {
      const { openExports } = await import('../account/open-exports.ts');
      return openExports(storage);
    }),
    backtests: createBacktestService({ clock, onAdded: runBacktests(viewer, storage) }),
    // A running gateway does the work.
    demonstrations: createDemonstrationService({ clock, onAdded: () => {} }),
    emailErasure: whenCalled<EmailEraseService>(async () => {
      const { createEmailEraseService } = await import('../../domain/email-checks/email-erase-service.ts');
      return createEmailEraseService({ clock });
    }),
    lists: createListService({ clock }),
    operations: whenCalled<OperationService>(async () => {
      const { openOperations } = await import('../operations/open-operations.ts');
      return openOperations();
    }),
    outcomes: createOutcomeService({ clock }),
    rules: createRuleService({ clock }),
    settings: createSettingsService({ clock }),
    verifications: whenCalled<VerificationService>(async () => {
      const { openVerifications } = await import('../verification/open-verifications.ts');
      return openVerifications(storage);
    }),
    webhooks: whenCalled<EndpointService>(async () => {
      const { openWebhooks } = await import('../webhook/open-webhooks.ts');
      return (await openWebhooks(viewer, storage)).webhooks;
    }),
  };
  return new Proxy(opened as Services, {
    get: (services, name) => (name in services ? services[name as keyof Services] : notOpened(String(name))),
  });
}

/** A service that no document of a command calls. */
function notOpened(name: string): object {
  return whenCalled(() => Promise.reject(new Error(`commands do not open the service ${name}`)));
}

/** Runs queued backtests in this process, so that they also run without a gateway. */
function runBacktests({ project }: Viewer, { database, access, opened }: CommandStorage): () => void {
  return () => {
    const getProject = access.findProjectById;
    const runner = startBacktests({ database, clock: systemClock, getProject, onError: () => {} });
    opened.defer(runner.close);
    void runner.settle(project.projectId).catch(() => {});
  };
}

/** A service whose methods return promises, opened by the first call. */
function whenCalled<Service extends object>(open: () => Promise<Service>): Service {
  let opening: Promise<Service> | undefined;
  const call =
    (name: string) =>
    async (...values: unknown[]) => {
      opening ??= open();
      const service = (await opening) as Record<string, (...values: unknown[]) => unknown>;
      return service[name]!(...values);
    };
  return new Proxy({} as Service, { get: (_service, name) => call(String(name)) });
}
