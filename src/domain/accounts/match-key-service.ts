import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import { NIL_UUID } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { contactIdentifiers } from '../linking/account-identifiers.ts';
import { openPersonal, type PersonalFields } from '../model/personal-fields.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { startUpgrade, type Upgrade, type UpgradeDependencies } from '../projects/upgrade-service.ts';
import type { AccountService } from './account-service.ts';
import {
  BECOME_REKEYER,
  findAccountsToRekey,
  findProjectsWithEarlierKeys,
  type KeyedAccount,
} from './match-key-store.ts';

/*
 * Rewrites the identifiers of accounts that earlier rules made of their fields.
 *
 * First every account of a project gets the identifiers of the present rules besides its own, then the earlier ones are
 * dropped: a link that both rules make never ends in between. Each account is one transaction that also writes which
 * rules it has, so that a process that ends loses nothing and any other one continues.
 */

type Dependencies = UpgradeDependencies & { accounts: Pick<AccountService, 'rekey'>; log: Logger };

const PAGE = 100;
/** Accounts that are rewritten before the connection rests for as long as they took: half of one is left to requests. */
const SLICE = 10;
const LOG_EVERY_MS = 30_000;

/** Rewrites accounts in the background, in one of all gateways; looks every minute for what earlier versions wrote. */
export function startMatchKeys(deps: Dependencies): Upgrade {
  /** Accounts that this process failed to read: it does not try them again. */
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

type AccountIds = { id: string; account_id: string };

type RewriteOptions = {
  signal?: AbortSignal;
  /** Rests for as long as it works. */
  isPaced?: boolean;
  /** Ids of accounts that cannot be read, which are left out; those that are found to be are added. */
  unreadable?: Set<string>;
  /** Called with the accounts rewritten so far. */
  onProgress?: (accounts: number) => void;
  /** Receives why an account was left out. Without it, the first failure ends the rewriting. */
  onError?: (error: unknown) => void;
};

/** Rewrites all accounts of a project that earlier rules were applied to, and says how many. */
export async function rewriteMatchKeys(
  viewer: Viewer,
  accounts: Pick<AccountService, 'rekey'>,
  options: RewriteOptions = {},
): Promise<{ rewritten: number; failed: number }> {
  const { signal, isPaced = false, unreadable = new Set(), onProgress = () => {}, onError } = options;
  const { database } = viewer.project;
  const done = { rewritten: 0, failed: 0 };

  /** False when it must be repeated: the database was not available, or a lock was not granted in time. */
  async function rewrite({ id, account_id }: AccountIds, step: 'add' | 'settle'): Promise<boolean> {
    if (unreadable.has(id)) return true;
    try {
      if (await accounts.rekey(viewer, account_id, step)) done.rewritten += step === 'add' ? 1 : 0;
      return true;
    } catch (error) {
      if (!onError || signal?.aborted) throw error;
      onError(error);
      done.failed++;
      if (error instanceof AppError && error.kind === 'unavailable') return false;
      unreadable.add(id);
      return true;
    }
  }

  async function rewriteStep(step: 'add' | 'settle'): Promise<boolean> {
    let isWhole = true;
    for (let after: string = NIL_UUID; ; ) {
      const found = await findAccountsToRekey(database, step, after, PAGE);
      if (found.length === 0) return isWhole;
      for (let from = 0; from < found.length; from += SLICE) {
        const began = performance.now();
        for (const account of found.slice(from, from + SLICE)) {
          if (signal?.aborted) return false;
          isWhole = (await rewrite(account, step)) && isWhole;
        }
        onProgress(done.rewritten);
        if (isPaced) await rest(performance.now() - began, signal);
      }
      after = found.at(-1)!.id;
    }
  }

  if (await rewriteStep('add')) await rewriteStep('settle');
  return done;
}

async function rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

/**
 * Whether an account's stored identifiers are those that the present rules make of its fields; not of fields that cannot be
 * decrypted.
 */
export function hasPresentKeys(
  project: Project,
  { keys, expected_countries, ...row }: KeyedAccount,
): boolean {
  const personal = readableFields(project, row);
  if (personal === null) return false;
  const present = contactIdentifiers(personal, expected_countries, (kind, value) =>
    project.cipher.blindIndex(kind, value),
  ).map(({ kind, hash }) => `${kind}:${hash.toString('hex')}`);
  return new Set(present).symmetricDifference(new Set(keys)).size === 0;
}

/** The fields of an account; null where they cannot be decrypted. */
export function readableFields(
  project: Project,
  row: Parameters<typeof openPersonal>[1],
): PersonalFields | null {
  try {
    return openPersonal(project, row);
  } catch {
    return null;
  }
}
