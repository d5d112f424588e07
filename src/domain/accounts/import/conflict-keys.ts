import { isBlockingKind, isLinkingKind, kindOfNumber } from '@vouchgraph/linking';
import type { ConflictKeys } from '../change-batches.ts';
import type { QueuedChange } from '../change-queue-service.ts';
import { groupedKey } from '../grouped-identifiers.ts';

/**
 * Keys that an imported account must not share with other accounts that are stored concurrently, so that batches of new accounts do
 * not wait for the locks of each other. Accounts of one batch can share blocking keys: each is compared with the accounts before it in the batch.
 */
export function conflictKeys(
  { request: { accountId, changes }, identifiers, dependsOn }: QueuedChange,
  overLimit: { has(key: string): boolean },
): ConflictKeys {
  const inBatch = [`account ${accountId}`, ...(dependsOn === null ? [] : [dependsOn])];
  const acrossBatches: string[] = [];
  for (const one of identifiers ?? []) {
    if (!isLinkingKind(kindOfNumber(one.kind))) continue;
    const key = groupedKey(changes.group ?? '', one);
    if (!overLimit.has(key)) (isBlockingKind(one.kind) ? acrossBatches : inBatch).push(key);
  }
  return { inBatch, acrossBatches };
}
