import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';

const deleteDecisions = deleteOfAccount('decisions');

/** Decisions on the sessions of the account. */
export const decisionsErasure: AccountErasure = { deletes: (account) => [deleteDecisions(account)] };
