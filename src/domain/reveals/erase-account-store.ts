import type { Statement } from '../../storage/database.ts';
import type { AccountErasure } from '../model/account-erasure-store.ts';

const DELETE: Statement = {
  name: 'reveals.delete_of_account',
  text: `delete from reveals where project_id = $1 and (subject_id = $2 or subject_id = any($3::uuid[]))`,
};

/** Reveals of the account, and of its erased sessions, verifications and email checks. */
export const revealsErasure: AccountErasure = {
  deletes: ({ projectId, id }, { subjects }) => [[DELETE, [projectId, id, subjects]]],
};
