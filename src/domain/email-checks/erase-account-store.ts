import type { AccountErasure } from '../model/account-erasure-store.ts';
import { eraseLocked, lockErasedCalls } from './email-erase-store.ts';

/** Checks of the account, and those of its mailboxes, with their events and deliveries. */
export const emailChecksErasure: AccountErasure = {
  finds: ({ projectId, id, addressHashes }) => lockErasedCalls(projectId, { accountId: id, addressHashes }),
  async found(rows, { projectId }, transaction) {
    const { checkIds, deliveryIds } = await eraseLocked(transaction, projectId, rows.at(-1)!);
    return { deliveries: deliveryIds, subjects: checkIds };
  },
};
