import { orderLockKey } from '../model/delivery-order-sql.ts';

/*
 * A session that a check refers to, and that no account and no other check has, is kept for that check: it goes when the
 * check goes, or stops referring to it.
 */

/**
 * SQL: sessions that only verifications in the CTE `checks` (project_id, session_id, referring_session_id) refer to,
 * without the sessions of these verifications.
 */
export const sessionsReferredToBy = (checks: string): string => `
  select distinct k.project_id, k.referring_session_id as session_id from ${checks} k
  where k.referring_session_id is not null and not exists (
      select 1 from account_sessions b where b.project_id = k.project_id and b.session_id = k.referring_session_id
    ) and not exists (
      select 1 from verification_sessions v
      where v.project_id = k.project_id and v.session_id = k.referring_session_id and octet_length(v.secret_hash) > 0
    ) and not exists (
      select 1 from verification_sessions v
      where v.project_id = k.project_id and v.referring_session_id = k.referring_session_id
        and not exists (select 1 from ${checks} g where g.project_id = v.project_id and g.session_id = v.session_id)
    )`;

/**
 * Statements by name that remove these sessions of verifications of accounts, with the events that name them and their
 * deliveries: an account that is erased later cannot find them any more.
 */
export const removeReferringSessions = (checks: string): Record<string, string> => ({
  referring: sessionsReferredToBy(checks),
  referring_removed: `delete from sessions s using referring r
    where s.project_id = r.project_id and s.session_id = r.session_id`,
  // Before the events and their deliveries, as in every transaction that deletes deliveries.
  referring_locked: `select pg_advisory_xact_lock(${orderLockKey('p.project_id')})
    from (select distinct project_id from referring order by project_id) p`,
  referring_events: `delete from outbox_events e using referring r, (select count(*) from referring_locked) l
    where e.project_id = r.project_id and e.session_id = r.session_id
    returning e.project_id, e.event_id`,
  referring_deliveries: `delete from webhook_deliveries d using referring_events e
    where d.project_id = e.project_id and d.event_id = e.event_id returning d.project_id, d.delivery_id`,
  referring_attempts: `delete from webhook_attempts a using referring_deliveries d
    where a.project_id = d.project_id and a.delivery_id = d.delivery_id`,
});
