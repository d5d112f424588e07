import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';

const deleteMembers = deleteOfAccount('list_members');
const deleteKeepOffs = deleteOfAccount('list_keep_offs');

/** Memberships, and the lists that rules may not put the account on. */
export const listsErasure: AccountErasure = {
  deletes: (account) => [deleteMembers(account), deleteKeepOffs(account)],
};
