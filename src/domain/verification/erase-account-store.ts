import type { Statement } from '../../storage/database.ts';
import type { AccountErasure } from '../model/account-erasure-store.ts';
import { LOCK_FACES } from '../model/face-lock-store.ts';
import { sessionsReferredToBy } from '../sessions/referring-sessions.ts';

const LOCK_VERIFICATIONS: Statement = {
  name: 'verification.lock_of_account',
  text: `select 1 from verification_sessions
         where project_id = $1 and (bound_account_id = $2 or account_id = $3)
         order by session_id for update`,
};

/**
 * Erases the verifications created for the account or bound to it, with results and faces, and sessions without an account
 * that only these verifications refer to. Images get the state `gone`; their files are removed afterwards. Returns the
 * sessions of the images, all sessions of verifications and their referring sessions, and the deleted deliveries.
 */
const DELETE_VERIFICATIONS: Statement = {
  name: 'verification.delete_of_account',
  text: `with gone as (
           delete from verification_sessions
           where project_id = $1 and (bound_account_id = $2 or account_id = $3)
           returning project_id, session_id, referring_session_id
         ), referring as (${sessionsReferredToBy('gone')}
         ), named as materialized (
           select session_id from gone union select session_id from referring
         ), visits as (
           delete from sessions s using named where s.project_id = $1 and s.session_id = named.session_id and not exists (
             select 1 from account_sessions o where o.project_id = $1 and o.session_id = s.session_id
           )
         ), sent as (
           delete from webhook_deliveries d using named, outbox_events e
           where e.project_id = $1 and e.session_id = named.session_id and d.project_id = $1 and d.event_id = e.event_id
           returning d.delivery_id
         ), faces as (
           delete from face_templates f where f.project_id = $1
             and (f.account_id = $2 or f.session_id in (select session_id from gone))
         ), documents as (
           delete from document_sightings d where d.project_id = $1
             and (d.account_id = $2 or d.session_id in (select session_id from gone))
         ), events as (
           delete from outbox_events e using named
           where e.project_id = $1 and e.session_id = named.session_id and e.account_id is distinct from $2
         ), images as (
           update media_objects m set state = 'gone' from gone
           where m.project_id = $1 and m.session_id = gone.session_id
           returning m.session_id
         )
         select session_id, null::uuid as verification_id, null::uuid as delivery_id from images
         union all select null, session_id, null from named
         union all select null, null, delivery_id from sent`,
};

/** Verifications are locked before deliveries, as in the purges of verifications. */
export const verificationLocks: AccountErasure = {
  finds: ({ projectId, id, accountId }) => [[LOCK_VERIFICATIONS, [projectId, id, accountId]]],
};

/** Verifications with their faces, documents and images, and the sessions and events that belong only to them. */
export const verificationErasure: AccountErasure = {
  firstLocks: (projectId) => [[LOCK_FACES, [projectId]]],
  finds: ({ projectId, id, accountId }) => [[DELETE_VERIFICATIONS, [projectId, id, accountId]]],
  found([rows = []]) {
    const all = (key: 'session_id' | 'verification_id' | 'delivery_id'): string[] =>
      rows.flatMap((row) => row[key] ?? []);
    return {
      deliveries: all('delivery_id'),
      subjects: all('verification_id'),
      imagesOf: [...new Set(all('session_id'))],
    };
  },
};
