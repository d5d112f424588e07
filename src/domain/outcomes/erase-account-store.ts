import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';

const deleteOutcomes = deleteOfAccount('account_outcomes');

/** Reported outcomes. */
export const outcomesErasure: AccountErasure = { deletes: (account) => [deleteOutcomes(account)] };
