import { type AuthenticateAccount, rejectFutureBirth } from '@vouchgraph/decisions';
import pLimit from 'p-limit';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { createBatches } from './change-batches.ts';
import { type ChangeDependencies, changeAccount } from './change-queue-service.ts';
import type { ChangeInput } from './change-request.ts';
import { type ImportOutcome, importBatch } from './import/import-batch-service.ts';
import {
  conflictKeys,
  createImportMemory,
  type ImportedAccount,
  importedAccount,
} from './import/imported-account.ts';
import { checkLists } from './plan-lists.ts';

/** Accounts per batch: each needs its own lock and about ten locks of identifiers. */
const BATCH_SIZE = 50;

/** Connections per batch for accounts that are changed one by one. */
const SINGLE_CHANGES = 4;

/**
 * Opens an import of new or known accounts without sessions. Returns the function that stores one account; concurrent calls are
 * stored in batches, of which `batches` run concurrently. Links between other accounts, and identities, are enqueued for
 * recalculation.
 */
export function openImport(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  { batches }: { batches: number },
): (account: AuthenticateAccount) => Promise<void> {
  assertMay(viewer, 'account.import');
  const { project, actor } = viewer;
  const single = pLimit(SINGLE_CHANGES * batches);
  const memory = createImportMemory();
  const store = createBatches<ImportedAccount, ImportOutcome>({
    maxSize: BATCH_SIZE,
    concurrency: batches,
    keysOf: (account) => conflictKeys(account, memory),
    run: (accounts) => importBatch(deps, project, accounts, memory),
  });
  return async ({ id: accountId, lists = null, ...changes }) => {
    checkLists(lists ?? []);
    rejectFutureBirth(changes, deps.clock.now(), ['date_of_birth']);
    const options = { sessionId: null, listNames: lists ?? [], imports: true };
    const input: ChangeInput = { project, actor, requestId, accountId, changes, options };
    const account = importedAccount(input);
    let outcome = await store(account);
    // The first account of a batch depends on no other, so each attempt stores at least one of the dependent accounts.
    while (outcome === 'again') outcome = await store(account);
    if (outcome instanceof Error) throw outcome;
    if (outcome === 'other') await single(() => changeAccount(deps, input));
  };
}
