import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import { NIL_UUID } from '../../platform/ids.ts';
import { contactIdentifiers } from '../linking/account-identifiers.ts';
import { decryptPersonal, type PersonalFields } from '../model/personal-fields.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import type { AccountService } from './account-service.ts';
import { findAccountsToRekey, type KeyedAccount } from './match-key-store.ts';

const PAGE = 100;
/** Accounts rewritten before a pause of the same duration, which leaves half of a connection to requests. */
const SLICE = 10;

type AccountIds = { id: string; account_id: string };

type RewriteOptions = {
  signal?: AbortSignal;
  /** Pauses after each slice for the duration of the slice. */
  isPaced?: boolean;
  /** Ids of accounts that cannot be decrypted, which are skipped; new ones are added. */
  unreadable?: Set<string>;
  /** Called with the number of accounts rewritten so far. */
  onProgress?: (accounts: number) => void;
  /** Receives the errors of skipped accounts. Without it, the first failure stops the rewrite. */
  onError?: (error: unknown) => void;
};

/** Rewrites all accounts of a project with match keys of earlier versions, and returns their number. */
export async function rewriteMatchKeys(
  viewer: Viewer,
  accounts: Pick<AccountService, 'rekey'>,
  options: RewriteOptions = {},
): Promise<{ rewritten: number; failed: number }> {
  assertMay(viewer, 'account.rebuild');
  const { signal, isPaced = false, unreadable = new Set(), onProgress = () => {}, onError } = options;
  const { database } = viewer.project;
  const done = { rewritten: 0, failed: 0 };

  /** False when it must be retried: the database was unavailable, or a lock timed out. */
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
        if (isPaced) await pause(performance.now() - began, signal);
      }
      after = found.at(-1)!.id;
    }
  }

  if (await rewriteStep('add')) await rewriteStep('settle');
  return done;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

/**
 * Whether an account's stored match keys are those of the current version. False when its fields cannot be decrypted.
 */
export function hasCurrentKeys(
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

/** The fields of an account; null when they cannot be decrypted. */
export function readableFields(
  project: Project,
  row: Parameters<typeof decryptPersonal>[1],
): PersonalFields | null {
  try {
    return decryptPersonal(project, row);
  } catch {
    return null;
  }
}
