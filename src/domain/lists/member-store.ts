import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { AuditAuthor } from '../audit/audit-entry.ts';
import { AUTHOR_COLUMNS, AUTHOR_VALUES, authorValues } from '../audit/audit-store.ts';
import { EVENT_OF_ACCOUNT, insertEventsCall, insertEventsCtes } from '../events/insert-events-store.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';
import type { MembershipEvent } from './list-events.ts';
import { LIST_COLUMNS, type StoredList } from './list-store.ts';
import type { MoveOutcome } from './member-outcomes.ts';

/*
 * Changes of memberships. The locks of the accounts come first, in a statement of their own: a statement sees the database
 * as it was when it began, and one that began before the locks were granted would miss what their former holders
 * committed. Then one statement judges and changes. It holds the rows of the lists it names, so that a list is deleted
 * before it or after it. An expired member counts as removed, whether or not its row was deleted yet.
 */

type Call = readonly [Statement, readonly unknown[]];

/**
 * Calls with more accounts share PLACES_OF_MANY places over all projects: the server's lock table has room for some
 * thousands of locks, and a request that exceeds it fails.
 */
const MANY_ACCOUNTS = 100;
const PLACES_OF_MANY = 4;
const PLACE_SPACE = 0x6c697374;

const LOCK_ACCOUNTS: Statement = {
  name: 'account.lock_many',
  text: `select case when l.place is null then pg_advisory_xact_lock(l.key)
             else pg_advisory_xact_lock(${PLACE_SPACE}, l.place) end
         from (
           select null::bigint as key, $2::int as place where $2::int is not null
           union all
           select k.key, null::int from unnest($1::bigint[]) as k (key)
         ) l`,
};

/** Acquires the locks one after the other, in ascending order, in which they must be passed. */
function lockCall(locks: readonly bigint[]): Call {
  const ascending = [...new Set(locks)].sort((a, b) => (a < b ? -1 : 1));
  const place = ascending.length > MANY_ACCOUNTS ? Math.floor(Math.random() * PLACES_OF_MANY) : null;
  return [LOCK_ACCOUNTS, [ascending.map(String), place]];
}

const isLive = (member: string, now: string) =>
  `(${member}.expires_at is null or ${member}.expires_at > ${now})`;

/** The accounts `accountIds` that exist, with whether each is on the list `list` at the time `now`. */
const KNOWN = `list as (
    select ${LIST_COLUMNS} from lists where project_id = :projectId and name = :list for key share
  ), known as (
    select w.place, w.account_id, a.id, l."listId" as list_id, l.standard, m.account_id is not null as is_member,
      m.expires_at
    from unnest(:accountIds::text[]) with ordinality as w (account_id, place)
    cross join list l
    join accounts a on a.project_id = :projectId and a.account_id = w.account_id
    left join list_members m on m.project_id = :projectId and m.list_id = l."listId" and m.account_id = a.id
      and ${isLive('m', ':now')}
  )` as const;

const SHOW_KNOWN = `(select row_to_json(l) from list l) as list, (
    select coalesce(json_agg(json_build_object('id', k.id, 'accountId', k.account_id, 'isMember', k.is_member,
      'expiresAt', k.expires_at) order by k.place), '[]') from known k
  ) as known`;

/** Allows rules to add the known accounts to the list again. */
const LIFT_KNOWN = `delete from list_keep_offs o using known k
      where o.project_id = :projectId and o.list_id = k.list_id and o.account_id = k.id returning k.account_id, k.place`;
const SHOW_LIFTED = `(
    select coalesce(json_agg(f.account_id order by f.place), '[]') from lifted f
  ) as lifted`;

const ADD = namedStatement(
  'list.add_accounts',
  `with ${KNOWN}, excluded_lists as (
      delete from list_members m using known k, lists o
      where k.standard and o.project_id = :projectId and o.standard and o.list_id <> k.list_id
        and m.project_id = :projectId and m.list_id = o.list_id and m.account_id = k.id and ${isLive('m', ':now')}
      returning k.id, k.account_id, k.place, o.name
    ), written as (
      insert into list_members (project_id, list_id, account_id, encrypted_reason, actor, source, added_at, expires_at)
      select :projectId, k.list_id, k.id, r.encrypted_reason, :actor, 'api', :now, :expiresAt::timestamptz
      from known k left join unnest(:reasons::bytea[]) with ordinality as r (encrypted_reason, place) on r.place = k.place
      where not k.is_member or (not :keepsMembers::boolean and (:changesReasons::boolean or :expiresAt::timestamptz is not null))
      on conflict (project_id, list_id, account_id) do update set
        encrypted_reason = case when :changesReasons or list_members.expires_at <= :now then excluded.encrypted_reason
                             else list_members.encrypted_reason end,
        expires_at = case when list_members.expires_at <= :now then excluded.expires_at
                          else coalesce(:expiresAt::timestamptz, list_members.expires_at) end,
        actor = case when list_members.expires_at <= :now then excluded.actor else list_members.actor end,
        source = case when list_members.expires_at <= :now then excluded.source else list_members.source end,
        added_at = case when list_members.expires_at <= :now then excluded.added_at else list_members.added_at end
      returning account_id, xmax <> 0 as is_replaced
    ), lifted as (${LIFT_KNOWN}), flagged as (
      ${flagStandings('select id as account_id from known where not is_member')}
    )
    select ${SHOW_KNOWN}, ${SHOW_LIFTED}, (
      select coalesce(json_agg(json_build_object('id', x.id, 'accountId', x.account_id, 'list', x.name)
        order by x.place), '[]') from excluded_lists x
    ) as excluded, (
      select coalesce(json_agg(k.account_id order by k.place), '[]')
      from known k join written w on w.account_id = k.id where w.is_replaced and not k.is_member
    ) as expired`,
);

const REMOVE = namedStatement(
  'list.remove_accounts',
  `with ${KNOWN}, gone as (
      delete from list_members m using known k
      where k.is_member and m.project_id = :projectId and m.list_id = k.list_id and m.account_id = k.id
    ), kept_off as (
      insert into list_keep_offs (project_id, account_id, list_id, actor, since)
      select :projectId, k.id, k.list_id, :actor, :now from known k where :keepsOff::boolean
      on conflict (project_id, account_id, list_id) do nothing
      returning account_id
    ), flagged as (
      ${flagStandings('select id as account_id from known where is_member')}
    )
    select ${SHOW_KNOWN}, (
      select coalesce(json_agg(k.account_id order by k.place), '[]')
      from kept_off o join known k on k.id = o.account_id
    ) as "keptOff"`,
);

/** `expiresAt`: the end of its membership as JSON of the database; null for none. */
export type KnownAccount = { id: string; accountId: string; isMember: boolean; expiresAt: string | null };

export type MembershipCall = {
  list: string;
  /** Distinct, in the order sent. */
  accountIds: readonly string[];
  locks: readonly bigint[];
  now: Date;
};

export type Added = {
  list: StoredList | null;
  /** As they were before. */
  known: KnownAccount[];
  /** The other standard lists that accounts were removed from. */
  excluded: { id: string; accountId: string; list: string }[];
  /** Accounts, by the clients' ids, that were kept off the list until now. */
  lifted: string[];
  /**
   * Accounts, by the clients' ids, whose expired membership the new one replaced. Read from the write: the worker removes
   * expired memberships without the locks of their accounts, and emits the event for those it removed.
   */
  expired: string[];
};

/**
 * Adds accounts to a list, or changes reason and end of those that are on it unless `keepsMembers`; nothing when the list does
 * not exist. `reasons` are encrypted, one for each account; null when none was given.
 */
export async function addMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  call: MembershipCall & {
    actor: string;
    reasons: readonly (Buffer | null)[] | null;
    expiresAt: Date | null;
    keepsMembers: boolean;
  },
): Promise<Added> {
  const { list, accountIds, locks, now, actor, reasons, expiresAt, keepsMembers } = call;
  const [, rows] = await transaction.run(
    lockCall(locks),
    ADD.call({
      projectId,
      list,
      accountIds,
      now,
      actor,
      changesReasons: reasons !== null,
      expiresAt,
      reasons: reasons ?? [],
      keepsMembers,
    }),
  );
  return rows![0];
}

export type Removed = {
  list: StoredList | null;
  /** As they were before. */
  known: KnownAccount[];
  /** Accounts, by the clients' ids, that are kept off the list from now on. */
  keptOff: string[];
};

/**
 * Removes accounts from a list; does nothing when the list does not exist. `keepOff`: rules may not add them again,
 * whether or not they were on it.
 */
export async function removeMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  { list, accountIds, locks, now, keepOff, actor }: MembershipCall & { keepOff: boolean; actor: string },
): Promise<Removed> {
  const [, rows] = await transaction.run(
    lockCall(locks),
    REMOVE.call({ projectId, list, accountIds, now, keepsOff: keepOff, actor }),
  );
  return rows![0];
}

const LIFT = namedStatement(
  'list.lift_keep_off',
  `with ${KNOWN}, lifted as (${LIFT_KNOWN}) select ${SHOW_KNOWN}, ${SHOW_LIFTED}`,
  ['now'],
);

/** Allows rules to add accounts to a list again; does nothing when the list does not exist. */
export async function liftKeepOffs(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  { list, accountIds, locks, now }: MembershipCall,
): Promise<Omit<Added, 'excluded' | 'expired'>> {
  const [, rows] = await transaction.run(lockCall(locks), LIFT.call({ projectId, list, accountIds, now }));
  return rows![0];
}

/*
 * A move is one statement after the locks. It receives the events and the audit entry encrypted for every account, and
 * drops those of accounts that do not move.
 */
const MOVE = namedStatement(
  'list.move_accounts',
  `with named as (
      select ${LIST_COLUMNS} from lists where project_id = :projectId and name in (:sourceList, :targetList) for key share
    ), ends as (
      select s."listId" as source_id, t."listId" as target_id, t.standard as excludes
      from named s join named t on s.name = :sourceList and t.name = :targetList
    ), judged as (
      select w.*, a.id, e.source_id, e.target_id, m.encrypted_reason, m.expires_at, case
          when exists (
            select 1 from list_members t
            where t.project_id = :projectId and t.list_id = e.target_id and t.account_id = a.id and ${isLive('t', ':now')}
          ) or (e.excludes and exists (
            select 1 from list_members o join lists l on l.project_id = :projectId and l.list_id = o.list_id
            where o.project_id = :projectId and o.account_id = a.id and l.standard and o.list_id <> e.source_id
              and ${isLive('o', ':now')}
          )) then 'CONFLICT'
          when m.account_id is null then 'NOT_FOUND'
          else 'MOVED'
        end as outcome
      from unnest(:accountIds::text[], :auditHashes::text[], :removedIds::uuid[], :removedPayloads::bytea[], :addedIds::uuid[],
        :addedPayloads::bytea[], :expiredIds::uuid[],
        :expiredPayloads::bytea[]) with ordinality
        as w (account_id, audit_hash, removed_id, removed, added_id, added, expired_id, expired, place)
      cross join ends e
      left join accounts a on a.project_id = :projectId and a.account_id = w.account_id
      left join list_members m on m.project_id = :projectId and m.list_id = e.source_id and m.account_id = a.id
        and ${isLive('m', ':now')}
    ), moved as (
      select * from judged where outcome = 'MOVED'
    ), gone as (
      delete from list_members m using moved j
      where m.project_id = :projectId and m.list_id = j.source_id and m.account_id = j.id
    ), arrived as (
      insert into list_members (project_id, list_id, account_id, encrypted_reason, actor, source, added_at, expires_at)
      select :projectId, j.target_id, j.id, j.encrypted_reason, :actor, 'api', :now, j.expires_at from moved j
      on conflict (project_id, list_id, account_id) do update set
        encrypted_reason = excluded.encrypted_reason, actor = excluded.actor, source = excluded.source,
        added_at = excluded.added_at, expires_at = excluded.expires_at
      returning account_id, xmax <> 0 as is_replaced
    ), lifted as (
      delete from list_keep_offs o using moved j
      where o.project_id = :projectId and o.list_id = j.target_id and o.account_id = j.id
      returning j.audit_hash, j.place
    ), flagged as (
      ${flagStandings('select id as account_id from moved')}
    ), ${insertEventsCtes(
      { ...EVENT_OF_ACCOUNT, createdAt: ':now', requestId: ':requestId::uuid' },
      `from (
        select 0 as step, j.removed_id as event_id, 'list.account_removed' as type, j.id as account_id,
          j.removed as payload
        from moved j
        union all
        select 0, j.expired_id, 'list.account_removed', j.id, j.expired
        from moved j join arrived r on r.account_id = j.id where r.is_replaced
        union all
        select 1, j.added_id, 'list.account_added', j.id, j.added from moved j
      ) e order by e.step`,
    )}, audited as (
      insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target, after)
      select :projectId, :auditId::uuid, :now, ${AUTHOR_VALUES}, 'list.move_accounts', :auditTarget::text,
        jsonb_build_object(
        'targetList', :targetList, 'accounts', (select jsonb_agg(j.audit_hash order by j.place) from moved j)
      ) || coalesce((
        select jsonb_build_object('liftedKeepOff', jsonb_agg(f.audit_hash order by f.place)) from lifted f
        having count(*) > 0
      ), '{}')
      where exists (select 1 from moved)
    )
    select (select row_to_json(n) from named n where n.name = :sourceList) as source,
           (select row_to_json(n) from named n where n.name = :targetList) as target,
           (select coalesce(json_agg(j.outcome order by j.place), '[]') from judged j) as outcomes`,
);

export type AccountToMove = {
  accountId: string;
  lock: bigint;
  auditHash: string;
  /** Events of its move, with encrypted payloads. */
  removed: { eventId: string; payload: Buffer };
  added: { eventId: string; payload: Buffer };
  /** Event of an expired membership of the target list that the new one replaces. */
  expired: { eventId: string; payload: Buffer };
};

export type Move = {
  sourceList: string;
  targetList: string;
  /** Distinct, in the order sent. */
  accounts: readonly AccountToMove[];
  now: Date;
  author: AuditAuthor;
  audit: { auditId: string; target: string };
};

export type Moved = {
  source: StoredList | null;
  target: StoredList | null;
  /** One for each account; empty when a list does not exist. */
  outcomes: MoveOutcome[];
};

/** Moves all accounts that can be moved. A membership keeps its reason and its expiry. */
export async function moveMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  { sourceList, targetList, accounts, now, author, audit }: Move,
): Promise<Moved> {
  const [, rows] = await transaction.run(
    lockCall(accounts.map(({ lock }) => lock)),
    MOVE.call({
      projectId,
      sourceList,
      targetList,
      accountIds: accounts.map(({ accountId }) => accountId),
      now,
      ...authorValues(author),
      auditHashes: accounts.map(({ auditHash }) => auditHash),
      removedIds: accounts.map(({ removed }) => removed.eventId),
      removedPayloads: accounts.map(({ removed }) => removed.payload),
      addedIds: accounts.map(({ added }) => added.eventId),
      addedPayloads: accounts.map(({ added }) => added.payload),
      auditId: audit.auditId,
      auditTarget: audit.target,
      expiredIds: accounts.map(({ expired }) => expired.eventId),
      expiredPayloads: accounts.map(({ expired }) => expired.payload),
    }),
  );
  return rows![0];
}

/** The statements that insert events of memberships; empty without events. */
export function eventCalls(
  projectId: string,
  events: readonly MembershipEvent[],
  requestId: string,
  now: Date,
): Call[] {
  return events.length === 0 ? [] : [insertEventsCall(projectId, events, { requestId, now })];
}
