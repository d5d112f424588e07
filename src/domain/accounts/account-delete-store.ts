import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { DELETE_ATTEMPTS, eraseLocked, lockErasedCalls } from '../email-checks/email-erase-store.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
import { eraseAnswersCall } from '../idempotency/idempotency-store.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { LINKING_KINDS } from '../linking/link-weights.ts';
import { LOCK_FACES } from '../model/face-lock-store.ts';
import { sessionsReferredToBy } from '../sessions/referring-sessions.ts';
import { LOCK_ACCOUNT, LOCK_IDENTIFIERS } from './account-change-store.ts';

/**
 * Waits for a request that is binding one of the account's sessions, or one that its checks refer to: what follows then sees that it
 * is bound. Before the locks of identifiers, as everywhere. Returns which of these are the account's.
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
         select s.session_id, s.session_id in (select session_id from own) as is_own from sessions s
         where s.project_id = $1
           and s.session_id = any(array(select session_id from own union select referring_session_id from referring))
         order by s.session_id for update`,
};

const FIND: Statement = {
  name: 'account.find_to_delete',
  text: 'select id, personal from accounts where project_id = $1 and account_id = $2',
};

const LINKING_NUMBERS = LINKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** What was told of other accounts and names this one. */
const DELETE_NAMING: Statement = {
  name: 'outbox_events.delete_naming_account',
  text: 'delete from outbox_events where project_id = $1 and other_account_id = $2',
};

/** Both directions of every link: the other's rows are found through one's own. */
const DELETE_LINKS: Statement = {
  name: 'link.delete_of_account',
  text: `with own as (
           delete from links where project_id = $1 and account_id = $2 returning linked_account_id
         )
         delete from links l using own
         where l.project_id = $1 and l.account_id = own.linked_account_id and l.linked_account_id = $2`,
};

/** The crowds that it leaves, where two others remain at least, are looked at again afterwards. */
const MARK_CROWDS: Statement = {
  name: 'link.mark_left_by_account',
  text: `insert into link_rescores (project_id, mark_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), i.kind, i.value_hash, i.account_group from identifiers i
         where i.project_id = $1 and i.account_id = $2 and i.kind = any($3::smallint[]) and exists (
           select 1 from identifiers o
           where o.project_id = $1 and o.kind = i.kind and o.value_hash = i.value_hash
             and o.account_group = i.account_group
           offset 2
         )`,
};

/**
 * The identity that it leaves is looked at again, told by the deletion itself: it may be moved to another one until
 * then. Who moves it after that finds the mark of the account.
 */
const LEAVE_IDENTITY: Statement = {
  name: 'identity.leave',
  text: `with gone as (
           delete from identity_members where project_id = $1 and account_id = $2 returning group_id
         )
         insert into identity_marks (project_id, mark_id, account_id, group_id)
         select $1, gen_random_uuid(), $2, (select group_id from gone)`,
};

/** Events are found by the bindings, which stay when the retention of sessions removes these. */
const DELETE_SESSIONS: Statement = {
  name: 'session.delete_of_account',
  text: `with own as materialized (
           select b.session_id from account_sessions b
           where b.project_id = $1 and b.account_id = $2 and not exists (
             select 1 from account_sessions o
             where o.project_id = $1 and o.session_id = b.session_id and o.account_id <> $2
           )
         ), gone as (
           delete from sessions s using own where s.project_id = $1 and s.session_id = own.session_id
         ), told as (
           delete from outbox_events e using own where e.project_id = $1 and e.session_id = own.session_id
             and e.account_id is distinct from $2
         )
         delete from account_sessions b where b.project_id = $1 and b.account_id = $2`,
};

/**
 * Its verifications, with their results and faces; what they were made for by name as well as what they were bound to. With
 * them go sessions of no account that only these refer to.
 * Their pictures are marked as gone, and their files are removed afterwards. Returns the sessions of these, all
 * sessions of verifications and those that they referred to, and the deliveries that went.
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
         ), told as (
           delete from outbox_events e using named
           where e.project_id = $1 and e.session_id = named.session_id and e.account_id is distinct from $2
         ), pictures as (
           update media_objects m set state = 'gone' from gone
           where m.project_id = $1 and m.session_id = gone.session_id
           returning m.session_id
         )
         select session_id, null::uuid as verification_id, null::uuid as delivery_id from pictures
         union all select null, session_id, null from named
         union all select null, null, delivery_id from sent`,
};

const deleteWhereAccount = (table: string): Statement => ({
  name: `${table}.delete_of_account`,
  text: `delete from ${table} where project_id = $1 and account_id = $2`,
});
const DELETE_REST = [
  'identifiers',
  'list_members',
  'list_keep_offs',
  'fraud_sightings',
  'decisions',
  'rule_matches',
  'outbox_events',
].map(deleteWhereAccount);

/**
 * What was sent of it to receivers: also of events of others that name it, and of those of
 * sessions that go with it. Before these events are deleted. Returns what went.
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
           )
         ), naming as (
           delete from webhook_deliveries d using erased e
           where d.project_id = $1 and d.event_id = e.event_id and d.account_id is distinct from $2
           returning d.delivery_id
         )
         select delivery_id from own union all select delivery_id from naming`,
};

const DELETE_ACCOUNT: Statement = {
  name: 'account.delete',
  text: `with gone as (delete from accounts where project_id = $1 and id = $2 returning id),
         event as (
           insert into outbox_events (project_id, created_at, event_id, type, account_id, request_id, payload)
           select $1, $3, $4, $5, null, $6, $7 from gone
         )
         insert into audit_log (project_id, audit_id, at, actor, action, target, request_id)
         select $1, $8, $3, $9, 'account.delete', $10, $6 from gone`,
};

export type AccountDeletion = {
  accountId: string;
  accountLock: bigint;
  /** Keyed hashes of the mailboxes of an account, by its row: their checks are erased with it. */
  mailboxesOf: (row: { id: string; personal: Buffer }) => Buffer[];
  event: OutboxEvent;
  requestId: string;
  now: Date;
  audit: { auditId: string; actor: string; target: string };
};

/**
 * Erases everything that is stored of an account, in one transaction under the same locks as a change. What remains
 * is the event that tells it and an audit line with a keyed hash of the id. Returns the sessions whose pictures are to be
 * removed; null when there is no such account.
 */
export function deleteAccountRows(
  database: ProjectDatabase,
  deletion: AccountDeletion,
): Promise<string[] | null> {
  const { projectId } = database;
  const { accountId, event, audit } = deletion;
  return database.transaction(async (transaction) => {
    const [, , sessions, , found] = await transaction.run(
      [LOCK_FACES, [projectId]],
      [LOCK_ACCOUNT, [deletion.accountLock.toString()]],
      [LOCK_SESSIONS, [projectId, accountId]],
      [LOCK_IDENTIFIERS, [projectId, null, accountId, [], [], null]],
      [FIND, [projectId, accountId]],
    );
    const account: { id: string; personal: Buffer } | undefined = found?.[0];
    if (account === undefined) return null;
    const { id } = account;
    const gone = await transaction.run(
      [DELETE_DELIVERIES, [projectId, id]],
      [DELETE_VERIFICATIONS, [projectId, id, accountId]],
      ...lockErasedCalls(projectId, { accountId: id, addressHashes: deletion.mailboxesOf(account) }),
    );
    const all = (key: 'session_id' | 'verification_id' | 'delivery_id'): string[] =>
      gone.flat().flatMap((row) => row[key] ?? []);
    const checks = await eraseLocked(transaction, projectId, gone.at(-1)!);
    const visits: string[] = sessions!.filter(({ is_own }) => is_own).map(({ session_id }) => session_id);
    await transaction.commit(
      [DELETE_ATTEMPTS, [projectId, [...all('delivery_id'), ...checks.deliveryIds]]],
      [MARK_CROWDS, [projectId, id, LINKING_NUMBERS]],
      [LEAVE_IDENTITY, [projectId, id]],
      [DELETE_LINKS, [projectId, id]],
      [DELETE_SESSIONS, [projectId, id]],
      [DELETE_NAMING, [projectId, id]],
      ...DELETE_REST.map((statement) => [statement, [projectId, id]] as const),
      [
        DELETE_ACCOUNT,
        [
          projectId,
          id,
          deletion.now,
          event.eventId,
          event.type,
          deletion.requestId,
          event.payload,
          audit.auditId,
          audit.actor,
          audit.target,
        ],
      ],
      eraseAnswersCall(projectId, [id, ...visits, ...all('verification_id'), ...checks.checkIds]),
    );
    return [...new Set(all('session_id'))];
  });
}
