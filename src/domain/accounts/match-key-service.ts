import { contactIdentifiers, MATCH_KEY_VERSION } from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { type RecomputeRun, recomputeRows } from '../recompute/recompute-rows.ts';
import type { Recomputation } from '../recompute/recompute-worker.ts';
import type { AccountService } from './account-service.ts';
import type { RecomputeStep } from './change-request.ts';
import { findAccountsToRecompute, findProjectsWithStaleKeys, type KeyedAccount } from './match-key-store.ts';

type Accounts = Pick<AccountService, 'recomputeMatchKeys'>;

/** Recomputation of the match keys and links of accounts. */
export function matchKeyRecomputation(accounts: Accounts): Recomputation {
  return {
    name: 'match keys',
    version: MATCH_KEY_VERSION,
    findProjects: findProjectsWithStaleKeys,
    recomputeProject: (project, run) => recomputeMatchKeys(systemViewer(project), accounts, run),
  };
}

function systemViewer(project: Project): Viewer {
  return { project, kind: 'key', role: 'operator', actor: 'system', limitKey: 'system' };
}

/**
 * Recomputes the match keys and links of all accounts of a project whose keys are stale. First every account gets the current
 * keys in addition to its stale ones, then the stale ones are dropped: a link by the keys of both versions never ends in
 * between. Each step of an account is one transaction.
 */
export async function recomputeMatchKeys(
  viewer: Viewer,
  accounts: Accounts,
  run: RecomputeRun,
): Promise<void> {
  assertMay(viewer, 'account.rebuild');
  const recompute = (step: RecomputeStep) =>
    recomputeRows(
      run,
      (after, limit) => findAccountsToRecompute(viewer.project.database, step, after, limit),
      async ({ account_id }) => {
        const isKnown = await accounts.recomputeMatchKeys(viewer, account_id, step);
        return isKnown && step === 'add' ? 'recomputed' : 'unchanged';
      },
    );
  if (await recompute('add')) await recompute('drop');
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
