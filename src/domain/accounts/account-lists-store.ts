import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
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

const EVENTS = { createdAt: '$3', accountId: '$2', sessionId: '$4::uuid', requestId: '$5::uuid' } as const;

/** Emits events of the rows that it deletes only: a concurrent transaction may have deleted others. */
const LEAVE_LISTS: Statement = {
  name: 'list.leave',
  text: `with n as materialized (
      select * from unnest($6::uuid[], $7::text[], $8::uuid[], $9::bytea[], $10::uuid[], $11::text[])
        as n (list_id, name, event_id, event, audit_id, audit_actor)
    ), deleted as (
      delete from list_members m using n
      where m.project_id = $1 and m.account_id = $2 and m.list_id = n.list_id returning m.list_id
    ), audited as (
      insert into audit_log (project_id, audit_id, at, actor, action, target, request_id, before)
      select $1, n.audit_id, $3, n.audit_actor, 'list.remove_accounts', 'list:' || n.name, $5::uuid, $12::jsonb
      from n join deleted using (list_id) where n.audit_id is not null
    )
    ${insertEvents(
      { ...EVENTS, eventId: 'n.event_id', type: `'list.account_removed'`, payload: 'n.event' },
      'from n join deleted using (list_id) order by n.name',
    )}`,
};

const LIFT_KEEP_OFFS: Statement = {
  name: 'list.lift_keep_offs',
  text: `with n as materialized (
      select * from unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[]) as n (list_id, name, audit_id, audit_actor)
    ), lifted as (
      delete from list_keep_offs k using n
      where k.project_id = $1 and k.account_id = $2 and k.list_id = n.list_id returning k.list_id
    )
    insert into audit_log (project_id, audit_id, at, actor, action, target, request_id, before)
    select $1, n.audit_id, $3, n.audit_actor, 'list.lift_keep_off', 'list:' || n.name, $4::uuid, $9::jsonb
    from n join lifted using (list_id) where n.audit_id is not null`,
};

/** Emits the expiry of an earlier membership, if it was not removed yet, before the event of the new one. */
const JOIN_LISTS: Statement = {
  name: 'list.join',
  text: `with n as materialized (
      select * from unnest($6::uuid[], $7::text[], $8::uuid[], $9::bytea[], $10::uuid[], $11::text[], $13::bytea[],
          $14::text[], $15::text[], $16::uuid[], $17::bytea[], $18::timestamptz[])
        as n (list_id, name, event_id, event, audit_id, audit_actor, encrypted_reason, actor, source, ended_id, ended, expires_at)
    ), joined as (
      insert into list_members (project_id, list_id, account_id, encrypted_reason, actor, source, added_at, expires_at)
      select $1, l.list_id, $2, n.encrypted_reason, n.actor, n.source, $3, n.expires_at
      from n join lists l on l.project_id = $1 and l.list_id = n.list_id for key share of l
      on conflict (project_id, list_id, account_id) do update set
        encrypted_reason = excluded.encrypted_reason, actor = excluded.actor,
        source = excluded.source, added_at = excluded.added_at, expires_at = excluded.expires_at
      returning list_id, xmax <> 0 as had_ended
    ), audited as (
      insert into audit_log (project_id, audit_id, at, actor, action, target, request_id, after)
      select $1, n.audit_id, $3, n.audit_actor, 'list.add_accounts', 'list:' || n.name, $5::uuid, $12::jsonb
      from n join joined using (list_id) where n.audit_id is not null
    )
    ${insertEvents(
      { ...EVENTS, eventId: 'e.event_id', type: 'e.type', payload: 'e.event' },
      `from (
        select 0 as place, n.name, n.ended_id as event_id, 'list.account_removed' as type, n.ended as event
        from n join joined using (list_id) where joined.had_ended
        union all
        select 1, n.name, n.event_id, 'list.account_added', n.event from n join joined using (list_id)
      ) e order by e.place, e.name`,
    )}`,
};

/** Statements that change the lists of an account; most changes need none. */
export function listCalls(
  projectId: string,
  account: { id: string; sessionId: string | null; requestId: string; now: Date },
  { audits, lifted, added, removed, pendingAccountId, pseudonym }: ListWrites,
): Call[] {
  const { id, sessionId, requestId, now } = account;
  const accounts = JSON.stringify({ accounts: [pseudonym] });
  const sharedValues = (lists: readonly (EmittedMembership & { listId: string; name: string })[]) => [
    ...[projectId, id, now, sessionId, requestId],
    lists.map(({ listId }) => listId),
    lists.map(({ name }) => name),
    lists.map(({ event }) => event.eventId),
    lists.map(({ event }) => event.payload),
    lists.map(({ auditId }) => auditId),
    lists.map(({ auditActor }) => auditActor),
    accounts,
  ];
  const calls: Call[] = audits.map((entry) => auditCall(projectId, entry));
  if (lifted.length > 0)
    calls.push([
      LIFT_KEEP_OFFS,
      [
        ...[projectId, id, now, requestId],
        lifted.map(({ listId }) => listId),
        lifted.map(({ name }) => name),
        lifted.map(({ auditId }) => auditId),
        lifted.map(({ auditActor }) => auditActor),
        JSON.stringify({ keptOff: [pseudonym] }),
      ],
    ]);
  if (removed.length > 0) calls.push([LEAVE_LISTS, sharedValues(removed)]);
  if (added.length > 0) {
    const more = [
      added.map(({ reasonBytes }) => reasonBytes),
      added.map(({ actor }) => actor),
      added.map(({ source }) => source),
      added.map(({ ended }) => ended.eventId),
      added.map(({ ended }) => ended.payload),
      added.map(({ expiresAt }) => expiresAt),
    ];
    calls.push([JOIN_LISTS, [...sharedValues(added), ...more]]);
  }
  if (pendingAccountId !== null) calls.push(deletePendingCall(projectId, pendingAccountId));
  return calls;
}
