import type { Call, Statement } from '../../storage/database.ts';
import { type AccountErasure, isOfOtherCheck } from '../model/account-erasure-store.ts';
import { LOCK_ORDER } from './delivery-queue-store.ts';

/**
 * Deliveries of the account's events: also of events of other accounts that name it, and of events of sessions that are
 * erased with it. Before these events are deleted. Returns the deleted ids.
 */
const DELETE_DELIVERIES: Statement = {
  name: 'webhook_deliveries.delete_of_account',
  text: `with own as (
           delete from webhook_deliveries where project_id = $1 and account_id = $2 returning delivery_id
         ), erased as (
           select event_id from outbox_events where project_id = $1 and other_account_id = $2
           union all
           select e.event_id from account_sessions b join outbox_events e
             on e.project_id = $1 and e.session_id = b.session_id and e.account_id is distinct from $2
           where b.project_id = $1 and b.account_id = $2 and not exists (
             select 1 from account_sessions o
             where o.project_id = $1 and o.session_id = b.session_id and o.account_id <> $2
           ) and not ${isOfOtherCheck('b.session_id')}
         ), naming as (
           delete from webhook_deliveries d using erased e
           where d.project_id = $1 and d.event_id = e.event_id and d.account_id is distinct from $2
           returning d.delivery_id
         )
         select delivery_id from own union all select delivery_id from naming`,
};

/** Attempts that were being written when their delivery was deleted are seen by a later statement only. */
const DELETE_ATTEMPTS: Statement = {
  name: 'webhook_attempts.delete_of_deliveries',
  text: 'delete from webhook_attempts where project_id = $1 and delivery_id = any($2::uuid[])',
};

/** The statement that deletes the attempts of deliveries that an earlier one deleted. */
export function deleteAttemptsCall(projectId: string, deliveryIds: readonly string[]): Call {
  return [DELETE_ATTEMPTS, [projectId, deliveryIds]];
}

/**
 * Before the folders that delete events and further deliveries: deliveries are found by events, and the lock is for all of them.
 * Behind the locks of verifications and of checks of emails, as in every transaction that deletes these.
 */
export const webhooksErasure: AccountErasure = {
  finds: ({ projectId, id, accountId }) => [
    [LOCK_ORDER, [projectId]],
    [DELETE_DELIVERIES, [projectId, id, accountId]],
  ],
  found: ([, rows = []]) => ({ deliveries: rows.map(({ delivery_id }) => delivery_id) }),
  deletes: ({ projectId }, { deliveries }) => [deleteAttemptsCall(projectId, deliveries)],
};
