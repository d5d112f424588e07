import { overridesOf } from '@vouchgraph/email';
import { createConfiguredProviders } from '@vouchgraph/email/configured-providers';
import { createMailExchangers } from '@vouchgraph/email/mail-exchangers-adapter';
import { openEmailProviders } from '@vouchgraph/email/open-email-providers';
import type { NetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { type AccountService, createAccountService } from '../domain/accounts/account-service.ts';
import { findAccountByAccountId } from '../domain/accounts/account-store.ts';
import { createExportService } from '../domain/accounts/export/export-account-service.ts';
import { matchKeyRecomputation } from '../domain/accounts/match-key-service.ts';
import { createBacktestService } from '../domain/decisions/backtests/backtest-service.ts';
import { createDemonstrationService } from '../domain/demonstration/demonstration-service.ts';
import {
  type DemonstrationWorker,
  startDemonstrations,
} from '../domain/demonstration/demonstration-worker.ts';
import type { DemonstrationServices } from '../domain/demonstration/step.ts';
import { findAddressHistories } from '../domain/email-checks/address-history-store.ts';
import { openEmailChecks } from '../domain/email-checks/email-check-service.ts';
import { createEmailEraseService } from '../domain/email-checks/email-erase-service.ts';
import { createEmailImportService } from '../domain/email-checks/import/import-service.ts';
import { createEventService } from '../domain/events/event-service.ts';
import { createLinkGraphService } from '../domain/linking/link-graph-service.ts';
import { createListService } from '../domain/lists/list-service.ts';
import { createMediaService, type MediaService } from '../domain/media/media-service.ts';
import { createOperationService } from '../domain/operations/operation-service.ts';
import { createOutcomeService } from '../domain/outcomes/outcome-service.ts';
import { createOwnProjectsService } from '../domain/people/own-projects-service.ts';
import { createSettingsService } from '../domain/projects/settings-service.ts';
import { type Recompute, startRecompute } from '../domain/recompute/recompute-worker.ts';
import { createRevealService } from '../domain/reveals/reveal-service.ts';
import { createRuleService } from '../domain/rules/rule-service.ts';
import { createSessionService } from '../domain/sessions/session-service.ts';
import { createUploadPermission } from '../domain/verification/capture/upload-permission-service.ts';
import { createFaceSearch } from '../domain/verification/faces/face-index-service.ts';
import {
  openVerification,
  type VerificationParts,
} from '../domain/verification/open-verification-service.ts';
import { bindSessionOfCheck } from '../domain/verification/result/bind-check-service.ts';
import type { Services } from '../graphql/kernel/context.ts';
import { documentCheck } from '../http/graphql/check-operation.ts';
import { createProfiles } from '../http/graphql/profiles.ts';
import { openMediaStorage } from '../storage/media/open-media-storage.ts';
import { ACCOUNT_ERASURES } from './account-erasures.ts';
import { accountExports } from './account-exports.ts';
import { openAdministration } from './open-people.ts';
import type { Storage } from './open-storage.ts';
import type { Workers } from './open-workers.ts';
import type { Start } from './start.ts';

export type Domain = Awaited<ReturnType<typeof openServices>>;

/** Opens the services for the requests. */
export async function openServices(
  start: Start,
  storage: Storage,
  network: NetworkIntelligence,
  workers: Workers,
) {
  const { config, clock, onError } = start;
  const email = await openEmail(start);
  const media = await openMedia(start);
  const { accounts, faces } = openAccounts(start, {
    email,
    media,
    onRecalculationDue: workers.recalculationWorker?.wake,
    onEmailToCheck: (projectId, check) => emailCheckRunner.finish(projectId, [check]),
  });
  const sessions = createSessionService({ network, clock, edgePosition: config.edgePosition });
  const verification = openVerificationParts(start, storage, { accounts, sessions, media, faces });
  const recompute = openRecompute(start, storage, { accounts, verification });
  const { emailChecks, runner: emailCheckRunner } = openChecks(start, storage, email, accounts);
  const profiles = createProfiles(start.log);
  const lists = createListService({ clock });
  const outcomes = createOutcomeService({ clock });
  const rules = createRuleService({ clock });
  const { verifications, captures } = verification;
  const demonstration = openDemonstrations(start, storage, {
    ...{ accounts, captures, emailChecks, lists, outcomes, rules, sessions, verifications },
    webhooks: workers.endpoints,
  });
  const services: Services = {
    media,
    accounts,
    demonstrations: createDemonstrationService({ clock, onAdded: demonstration.wake }),
    accountExports: createExportService({ clock, exports: accountExports({ media }) }),
    emailChecks,
    emailImports: createEmailImportService({ clock, onAdded: emailCheckRunner.wake }),
    sessions,
    verifications,
    captures,
    webhooks: workers.endpoints,
    events: createEventService({
      onError: onError('an event cannot be decrypted'),
      findAccount: findAccountByAccountId,
    }),
    linkGraph: createLinkGraphService(),
    lists,
    operations: createOperationService({
      clock,
      check: documentCheck(profiles.open),
      onChange: storage.access.forgetProject,
    }),
    ...openAdministration(start, storage),
    ownProjects: createOwnProjectsService(storage.access.findProjectById),
    settings: createSettingsService({ clock, onChange: storage.access.forgetProject }),
    emailErasure: createEmailEraseService({ clock, onErased: emailCheckRunner.wake }),
    outcomes,
    reveals: createRevealService({ clock, media }),
    rules,
    backtests: createBacktestService({ clock, onAdded: workers.backtests.wake }),
    network,
    clock,
  };
  const emailProviders = email.providers;
  return { services, profiles, emailProviders, recompute, emailCheckRunner, verification, demonstration };
}

type Email = Awaited<ReturnType<typeof openEmail>>;

/** Opens the sources of email checks: name servers, imported files, and online providers with a key. */
async function openEmail({ options, config, clock, log, opened }: Start) {
  const mail = config.mxLookups
    ? createMailExchangers({
        clock,
        servers: config.dnsServers.length > 0 ? config.dnsServers : undefined,
        ...options.nameServers,
      })
    : null;
  opened.defer(() => mail?.close());
  const providers = await openEmailProviders({
    dataDir: config.emailDataDir,
    online: createConfiguredProviders(config.emailProviders, {
      clock,
      onProblem: (provider, reason) => log.warn({ provider, reason }, 'an email provider does not answer'),
    }),
    onDataProblem: (data, reason) =>
      log.warn({ data, reason }, 'imported email data is not in use as it stands'),
  });
  opened.defer(providers.close);
  return { mail, providers };
}

async function openMedia({ config, clock, opened, address, onError }: Start): Promise<MediaService> {
  const storage = await openMediaStorage(config.media);
  opened.defer(() => storage.close());
  return createMediaService({
    storage,
    clock,
    retentionDays: config.mediaRetentionDays,
    baseUrl: () => address.baseUrl,
    // The image decoder is large: it is loaded for the first image.
    checkImage: async (bytes) => (await import('@vouchgraph/vision/image-check')).checkImage(bytes),
    mayUpload: createUploadPermission(clock),
    onError: onError('a file of a verification cannot be stored, read or deleted'),
  });
}

type AccountOptions = Parameters<typeof createAccountService>[0];

/** Opens accounts. The face search drops the faces of erased accounts. */
function openAccounts(
  { clock, onError }: Start,
  deps: { email: Email; media: MediaService } & Pick<AccountOptions, 'onRecalculationDue' | 'onEmailToCheck'>,
) {
  const { email, media, onRecalculationDue, onEmailToCheck } = deps;
  const faces = createFaceSearch();
  const accounts = createAccountService({
    clock,
    bindSessionOfCheck,
    erasures: ACCOUNT_ERASURES,
    mailExchangers: email.mail,
    emailProviders: email.providers,
    onEmailToCheck,
    onRecalculationDue,
    onErased: async (project, sessionIds) => {
      faces.forgetSessions(project, sessionIds);
      // The account is erased, and its media are inaccessible: a purge deletes the remaining files.
      await media
        .eraseSessions(project, sessionIds)
        .catch(onError('files of an erased account are left to the purge'));
    },
  });
  return { accounts, faces };
}

type VerificationOptions = Parameters<typeof openVerification>[0];

function openVerificationParts(
  { options, config, clock, address, onError }: Start,
  { database, access }: Storage,
  deps: Pick<VerificationOptions, 'accounts' | 'sessions' | 'media' | 'faces'>,
) {
  return openVerification({
    ...deps,
    system: database.system,
    clock,
    workers: config.visionWorkers,
    baseUrl: () => address.baseUrl,
    getProject: access.findProjectById,
    hasVision: options.hasVision,
    onError: (error, message) => onError(message)(error),
  });
}

/** Recomputes stale match keys and face templates. Verification closes together with it. */
function openRecompute(
  { options, log, opened, onError }: Start,
  { database, access }: Storage,
  { accounts, verification }: { accounts: AccountService; verification: VerificationParts },
): Recompute {
  const recompute = startRecompute({
    recomputations: [matchKeyRecomputation(accounts), verification.recomputation].filter(
      (one) => one !== null,
    ),
    system: database.system,
    getProject: access.findProjectById,
    log,
    runsAlone: options.recalculatesLinks ?? true,
    onError,
  });
  opened.defer(async () => {
    // The current template waits for its image, until verification closes.
    await Promise.all([recompute.close(), verification.close()]);
  });
  return recompute;
}

function openChecks(
  { options, clock, opened, onError }: Start,
  { database, access }: Storage,
  email: Email,
  accounts: ReturnType<typeof createAccountService>,
) {
  const checks = openEmailChecks({
    database,
    clock,
    sources: { ...email, findHistories: findAddressHistories, overridesOf },
    completeOfAccount: accounts.completeEmailCheck,
    getProject: access.findProjectById,
    isAutomatic: options.completesEmailChecks,
    onError: onError('completing email checks failed'),
  });
  opened.defer(checks.runner.close);
  return checks;
}

/** Fills and removes demonstration data. Closes before the services that it calls. */
function openDemonstrations(
  { options, clock, opened, onError }: Start,
  { database, access }: Storage,
  services: DemonstrationServices,
): DemonstrationWorker {
  const worker = startDemonstrations({
    system: database.system,
    services,
    clock,
    getProject: access.findProjectById,
    runsAlone: options.worksInBackground,
    onError: onError('filling or removing demonstration data failed'),
  });
  opened.defer(worker.close);
  return worker;
}
