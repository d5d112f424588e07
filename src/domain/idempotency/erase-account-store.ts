import type { AccountErasure } from '../model/account-erasure-store.ts';
import { eraseAnswersCall } from './idempotency-store.ts';

/** Erases stored responses with data of the account or its sessions. Runs last, because it locks the project's row. */
export const answersErasure: AccountErasure = {
  lastDeletes: ({ projectId, id }, { subjects }) => [eraseAnswersCall(projectId, [id, ...subjects])],
};
