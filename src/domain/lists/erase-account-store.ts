import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';
import { deletePendingCall, eraseUnknownPending } from './pending-member-store.ts';

const deleteMembers = deleteOfAccount('list_members');
const deleteKeepOffs = deleteOfAccount('list_keep_offs');

/** Memberships, also pending ones of the same account id, and the lists that rules may not add the account to. */
export const listsErasure: AccountErasure = {
  deletes: (account) => [
    deleteMembers(account),
    deleteKeepOffs(account),
    deletePendingCall(account.projectId, account.accountId),
  ],
  ofUnknown: eraseUnknownPending,
};
