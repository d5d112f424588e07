import { type AuthenticateAccount, rejectFutureBirth } from '@vouchgraph/decisions';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { callerOf } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { runBatch } from './change-accounts-service.ts';
import { createBatches } from './change-batches.ts';
import {
  type ChangeDependencies,
  type ChangeOutcome,
  changeAlone,
  type QueuedChange,
  queuedChange,
  withStoredRow,
} from './change-queue-service.ts';
import type { ChangeInput } from './change-request.ts';
import { conflictKeys } from './import/conflict-keys.ts';
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
  const single = pLimit(SINGLE_CHANGES * batches);
  const own = { ...deps, overLimit: new LRUCache<string, true>({ max: 50_000, ttl: 60_000 }) };
  const store = createBatches<QueuedChange, ChangeOutcome>({
    maxSize: BATCH_SIZE,
    concurrency: batches,
    isFirst: ({ dependsOn }) => dependsOn !== null,
    keysOf: (change) => conflictKeys(change, own.overLimit),
    run: (changes) => runBatch(own, changes),
  });
  /** The first account of a batch depends on no other, so each attempt stores at least one of the dependent accounts. */
  const storeInTurn = async (change: QueuedChange) => {
    let outcome = await store(change);
    while (outcome !== 'alone' && 'dependsOn' in outcome)
      outcome = await store({ ...change, dependsOn: outcome.dependsOn });
    return outcome;
  };
  return async ({ id: accountId, lists = null, ...changes }) => {
    checkLists(lists ?? []);
    rejectFutureBirth(changes, deps.clock.now(), ['date_of_birth']);
    const options = { sessionId: null, listNames: lists ?? [], imports: true };
    const input: ChangeInput = { ...callerOf(viewer), requestId, accountId, changes, options };
    let change = await queuedChange(deps, input);
    let outcome = await storeInTurn(change);
    if (outcome === 'alone' && change.assumedRow === null) {
      // The account may be known: its identifiers then depend on its fields.
      change = await withStoredRow(change);
      if (change.assumedRow !== null) outcome = await storeInTurn(change);
    }
    if (outcome instanceof Error) throw outcome;
    if (outcome === 'alone') await single(() => changeAlone(own, change));
  };
}
