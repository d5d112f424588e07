import type { OutboxEvent } from '@vouchgraph/events';
import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { AuditAuthor, AuditEntry } from '../audit/audit-entry.ts';
import { AUTHOR_COLUMNS, auditCall, authorOfRow, authorValues } from '../audit/audit-store.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import { rejectResembling } from '../lists/errors.ts';
import { FIND_EFFECTIVE } from '../lists/list-store.ts';
import { deletePendingCall } from '../lists/pending-member-store.ts';
import type { JoinedList, LeftList } from './plan-lists.ts';

type Call = readonly [Statement, readonly unknown[]];

const CREATE_LISTS: Statement = {
  name: 'list.create_missing',
  text: `insert into lists (project_id, list_id, name, created_at)
         select $1, l.list_id, l.name, $4 from unnest($2::uuid[], $3::text[]) as l (list_id, name)
         order by l.name on conflict (project_id, name) do nothing returning name`,
};

/**
 * Creates missing lists of a request. Waits for a concurrent transaction that creates the same list. Returns the created names.
 * Throws if a name looks like that of a list with an effect.
 */
export async function createLists(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  lists: readonly { listId: string; name: string }[],
  now: Date,
): Promise<string[]> {
  const names = lists.map(({ name }) => name);
  const [effective = [], rows = []] = await transaction.run(
    [FIND_EFFECTIVE, [projectId]],
    [CREATE_LISTS, [projectId, lists.map(({ listId }) => listId), names, now]],
  );
  rejectResembling(
    names,
    effective.map(({ name }) => name),
    'account.lists',
  );
  return rows.map(({ name }) => name);
}

/** Event and audit entry of a changed membership. */
export type EmittedMembership = {
  readonly event: OutboxEvent;
  /** Null: no audit entry is written. */
  readonly auditId: string | null;
  readonly auditActor: string;
};

export type ListWrites = {
  /** Audit entries of created lists. */
  readonly audits: readonly AuditEntry[];
  /** Author of the request; null if no list changes. */
  readonly author: AuditAuthor | null;
  /** Lists to which rules can add the account again. */
  readonly lifted: readonly {
    readonly listId: string;
    readonly name: string;
    /** Null: no audit entry is written. */
    readonly auditId: string | null;
    readonly auditActor: string;
  }[];
  readonly added: readonly (JoinedList &
    EmittedMembership & {
      readonly ended: OutboxEvent;
      readonly reasonBytes: Buffer | null;
      readonly expiresAt: Date | null;
    })[];
  readonly removed: readonly (LeftList & EmittedMembership)[];
  /** The client's id of an account with a pending membership, expired or not; null without one. */
  readonly pendingAccountId: string | null;
  /** Pseudonym of the account in the audit log. */
  readonly pseudonym: string;
};

const EVENTS = {
  createdAt: ':now',
  accountId: ':accountId',
  sessionId: ':sessionId::uuid',
  requestId: ':requestId::uuid',
} as const;

/** Emits events of the rows that it deletes only: a concurrent transaction may have deleted others. */
const LEAVE_LISTS = namedStatement(
  'list.leave',
  `with n as materialized (
      select * from unnest(:listIds::uuid[], :names::text[], :eventIds::uuid[], :eventPayloads::bytea[], :auditIds::uuid[],
        :auditActors::text[])
        as n (list_id, name, event_id, event, audit_id, audit_actor)
    ), deleted as (
      delete from list_members m using n
      where m.project_id = :projectId and m.account_id = :accountId and m.list_id = n.list_id returning m.list_id
    ), audited as (
      insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target, before)
      select :projectId, n.audit_id, :now, ${authorOfRow('n.audit_actor')}, 'list.remove_accounts', 'list:' || n.name, :audited::jsonb
      from n join deleted using (list_id) where n.audit_id is not null
    ), ${insertEvents(
      { ...EVENTS, eventId: 'n.event_id', type: `'list.account_removed'`, payload: 'n.event' },
      'from n join deleted using (list_id) order by n.name',
    )}`,
  ['sessionId'],
);

const LIFT_KEEP_OFFS = namedStatement(
  'list.lift_keep_offs',
  `with n as materialized (
      select * from unnest(:listIds::uuid[], :names::text[], :auditIds::uuid[], :auditActors::text[]) as n (list_id, name,
        audit_id, audit_actor)
    ), lifted as (
      delete from list_keep_offs k using n
      where k.project_id = :projectId and k.account_id = :accountId and k.list_id = n.list_id returning k.list_id
    )
    insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target, before)
    select :projectId, n.audit_id, :now, ${authorOfRow('n.audit_actor')}, 'list.lift_keep_off', 'list:' || n.name, :audited::jsonb
    from n join lifted using (list_id) where n.audit_id is not null`,
);

/** Emits the expiry of an earlier membership, if it was not removed yet, before the event of the new one. */
const JOIN_LISTS = namedStatement(
  'list.join',
  `with n as materialized (
      select * from unnest(:listIds::uuid[], :names::text[], :eventIds::uuid[], :eventPayloads::bytea[], :auditIds::uuid[],
        :auditActors::text[], :reasons::bytea[],
          :actors::text[], :sources::text[], :endedIds::uuid[], :endedPayloads::bytea[], :expiresAt::timestamptz[])
        as n (list_id, name, event_id, event, audit_id, audit_actor, encrypted_reason, actor, source, ended_id, ended, expires_at)
    ), joined as (
      insert into list_members (project_id, list_id, account_id, encrypted_reason, actor, source, added_at, expires_at)
      select :projectId, l.list_id, :accountId, n.encrypted_reason, n.actor, n.source, :now, n.expires_at
      from n join lists l on l.project_id = :projectId and l.list_id = n.list_id for key share of l
      on conflict (project_id, list_id, account_id) do update set
        encrypted_reason = excluded.encrypted_reason, actor = excluded.actor,
        source = excluded.source, added_at = excluded.added_at, expires_at = excluded.expires_at
      returning list_id, xmax <> 0 as had_ended
    ), audited as (
      insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target, after)
      select :projectId, n.audit_id, :now, ${authorOfRow('n.audit_actor')}, 'list.add_accounts', 'list:' || n.name, :audited::jsonb
      from n join joined using (list_id) where n.audit_id is not null
    ), ${insertEvents(
      { ...EVENTS, eventId: 'e.event_id', type: 'e.type', payload: 'e.event' },
      `from (
        select 0 as place, n.name, n.ended_id as event_id, 'list.account_removed' as type, n.ended as event
        from n join joined using (list_id) where joined.had_ended
        union all
        select 1, n.name, n.event_id, 'list.account_added', n.event from n join joined using (list_id)
      ) e order by e.place, e.name`,
    )}`,
  ['sessionId'],
);

/** Statements that change the lists of an account; most changes need none. */
export function listCalls(
  projectId: string,
  account: { id: string; sessionId: string | null; now: Date },
  { audits, author, lifted, added, removed, pendingAccountId, pseudonym }: ListWrites,
): Call[] {
  const { id, sessionId, now } = account;
  const accounts = JSON.stringify({ accounts: [pseudonym] });
  const by = { projectId, accountId: id, now, ...(author && authorValues(author)) };
  const sharedValues = (lists: readonly (EmittedMembership & { listId: string; name: string })[]) => ({
    ...by,
    sessionId,
    listIds: lists.map(({ listId }) => listId),
    names: lists.map(({ name }) => name),
    eventIds: lists.map(({ event }) => event.eventId),
    eventPayloads: lists.map(({ event }) => event.payload),
    auditIds: lists.map(({ auditId }) => auditId),
    auditActors: lists.map(({ auditActor }) => auditActor),
    audited: accounts,
  });
  const calls: Call[] = audits.map((entry) => auditCall(projectId, entry));
  if (lifted.length > 0)
    calls.push(
      LIFT_KEEP_OFFS.call({
        ...by,
        listIds: lifted.map(({ listId }) => listId),
        names: lifted.map(({ name }) => name),
        auditIds: lifted.map(({ auditId }) => auditId),
        auditActors: lifted.map(({ auditActor }) => auditActor),
        audited: JSON.stringify({ keptOff: [pseudonym] }),
      }),
    );
  if (removed.length > 0) calls.push(LEAVE_LISTS.call(sharedValues(removed)));
  if (added.length > 0)
    calls.push(
      JOIN_LISTS.call({
        ...sharedValues(added),
        reasons: added.map(({ reasonBytes }) => reasonBytes),
        actors: added.map(({ actor }) => actor),
        sources: added.map(({ source }) => source),
        endedIds: added.map(({ ended }) => ended.eventId),
        endedPayloads: added.map(({ ended }) => ended.payload),
        expiresAt: added.map(({ expiresAt }) => expiresAt),
      }),
    );
  if (pendingAccountId !== null) calls.push(deletePendingCall(projectId, pendingAccountId));
  return calls;
}
