import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';

const deleteMatches = deleteOfAccount('rule_matches');

/** Matches of rules by the account. */
export const rulesErasure: AccountErasure = { deletes: (account) => [deleteMatches(account)] };
