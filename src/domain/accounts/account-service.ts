import type { Clock } from '@vouchgraph/platform/clock';
import { LRUCache } from 'lru-cache';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import { createRuleSets } from '../rules/rule-set-service.ts';
import { authenticate } from './authenticate-service.ts';
import { bindVerification, rebindVerification } from './bind-verification-service.ts';
import { runBatch } from './change-accounts-service.ts';
import { type ChangeDependencies, createChangeQueue } from './change-queue-service.ts';
import { completeEmailCheck } from './complete-check-service.ts';
import type { EmailSources } from './email-answers-adapter.ts';
import { type EraseDependencies, eraseAccount } from './erase-account-service.ts';
import { findAccount, readAccountWithLinks } from './find-account-service.ts';
import { openImport } from './import-account-service.ts';
import { recomputeAccountKeys, relinkAccount } from './relink-account-service.ts';
import { updateAccount } from './update-account-service.ts';

export type { AccountSelection } from './account-with-links-store.ts';

export type AccountService = ReturnType<typeof createAccountService>;

/** Authenticates, updates, finds and erases accounts. */
export function createAccountService(options: {
  clock: Clock;
  bindSessionOfCheck: ChangeDependencies['bindSessionOfCheck'];
  mailExchangers: EmailSources['mailExchangers'];
  emailProviders?: EmailSources['emailProviders'];
  onEmailToCheck?: (projectId: string, check: PendingCheck) => void;
  onRecalculationDue?: () => void;
  onErased?: EraseDependencies['onErased'];
  erasures: EraseDependencies['erasures'];
}) {
  const deps: ChangeDependencies & EraseDependencies = {
    clock: options.clock,
    bindSessionOfCheck: options.bindSessionOfCheck,
    mailExchangers: options.mailExchangers,
    emailProviders: options.emailProviders ?? null,
    onEmailToCheck: options.onEmailToCheck ?? (() => {}),
    onRecalculationDue: options.onRecalculationDue ?? (() => {}),
    onErased: options.onErased ?? (async () => {}),
    erasures: options.erasures,
    ruleSets: createRuleSets(),
    largeDomains: new LRUCache({ max: 10_000, ttl: 60_000 }),
    runInBatch: createChangeQueue((changes) => runBatch(deps, changes)),
  };
  return {
    authenticate: withDependencies(deps, authenticate),
    bindVerification: withDependencies(deps, bindVerification),
    rebindVerification: withDependencies(deps, rebindVerification),
    completeEmailCheck: withDependencies(deps, completeEmailCheck),
    update: withDependencies(deps, updateAccount),
    openImport: withDependencies(deps, openImport),
    relink: withDependencies(deps, relinkAccount),
    recomputeMatchKeys: withDependencies(deps, recomputeAccountKeys),
    find: findAccount,
    findWithLinks: readAccountWithLinks,
    remove: withDependencies(deps, eraseAccount),
  };
}

function withDependencies<D, A extends readonly unknown[], R>(deps: D, run: (deps: D, ...of: A) => R) {
  return (...of: A): R => run(deps, ...of);
}
