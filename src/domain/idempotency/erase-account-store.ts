import type { AccountErasure } from '../model/account-erasure-store.ts';
import { eraseAnswersCall } from './idempotency-store.ts';

/** Stored answers that contain data of the account, or of what is erased with it. Last: their statement locks the project's row. */
export const answersErasure: AccountErasure = {
  lastDeletes: ({ projectId, id }, { subjects }) => [eraseAnswersCall(projectId, [id, ...subjects])],
};
