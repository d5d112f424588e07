import type { Statement } from '../../storage/database.ts';
import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';

/** Deletes events of other accounts that name this one. */
const DELETE_NAMING: Statement = {
  name: 'outbox_events.delete_naming_account',
  text: 'delete from outbox_events where project_id = $1 and other_account_id = $2',
};

const deleteEvents = deleteOfAccount('outbox_events');

/** Events of the account, and those of other accounts that name it. */
export const eventsErasure: AccountErasure = {
  deletes: (account) => [[DELETE_NAMING, [account.projectId, account.id]], deleteEvents(account)],
};
