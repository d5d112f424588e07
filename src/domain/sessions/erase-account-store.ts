import type { Statement } from '../../storage/database.ts';
import { type AccountErasure, deleteOfAccount, isOfOtherCheck } from '../model/account-erasure-store.ts';

/**
 * Waits for a request that is binding a session of the account, or a session that its verifications refer to: the following
 * statements see the binding. Before the locks of identifiers, as everywhere. Returns those of them that are bound to the
 * account. Each is read by its key: with `order by` and without sorts, PostgreSQL before 17 would read all sessions in order.
 */
const LOCK_SESSIONS: Statement = {
  name: 'session.lock_of_account',
  text: `with account as materialized (
           select a.id from accounts a where a.project_id = $1 and a.account_id = $2
         ), own as materialized (
           select b.session_id from account_sessions b
           where b.project_id = $1 and b.account_id = (select id from account)
         ), referring as materialized (
           select v.referring_session_id from verification_sessions v
           where v.project_id = $1 and (v.bound_account_id = (select id from account) or v.account_id = $2)
             and v.referring_session_id is not null
         )
         select locked.session_id, x.is_own from (
           select t.session_id, bool_or(t.is_own) as is_own from (
             select session_id, true as is_own from own union all select referring_session_id, false from referring
           ) t (session_id, is_own) group by t.session_id order by t.session_id
         ) x cross join lateral (
           select s.session_id from sessions s where s.project_id = $1 and s.session_id = x.session_id offset 0 for update
         ) locked`,
};

/** Events are found by the bindings, which stay when the retention of sessions removes these. */
const DELETE_SESSIONS: Statement = {
  name: 'session.delete_of_account',
  text: `with own as materialized (
           select b.session_id from account_sessions b
           where b.project_id = $1 and b.account_id = $2 and not exists (
             select 1 from account_sessions o
             where o.project_id = $1 and o.session_id = b.session_id and o.account_id <> $2
           ) and not ${isOfOtherCheck('b.session_id')}
         ), gone as (
           delete from sessions s using own where s.project_id = $1 and s.session_id = own.session_id
         ), events as (
           delete from outbox_events e using own where e.project_id = $1 and e.session_id = own.session_id
             and e.account_id is distinct from $2
         )
         delete from account_sessions b where b.project_id = $1 and b.account_id = $2`,
};

const deleteFraudSightings = deleteOfAccount('fraud_sightings');

/** Bindings, and the sessions of neither another account nor its check, with the events of these. */
export const sessionsErasure: AccountErasure = {
  locks: ({ projectId, accountId }) => [[LOCK_SESSIONS, [projectId, accountId]]],
  found: ([rows = []]) => ({
    subjects: rows.filter(({ is_own }) => is_own).map(({ session_id }) => session_id),
  }),
  deletes: (account) => [
    [DELETE_SESSIONS, [account.projectId, account.id, account.accountId]],
    deleteFraudSightings(account),
  ],
};
