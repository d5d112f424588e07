import type { Velocity } from '@vouchgraph/decisions';
import {
  BLOCKING_LIST,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  LINKING_LIST,
  MATCH_KEY_VERSION,
} from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { StoredHistory } from '@vouchgraph/signals';
import type { Call, ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { toVelocity, VELOCITY_COLUMNS } from '../decisions/velocity-store.ts';
import type { AccountRow, ListMembership } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { HISTORY_COLUMNS, HISTORY_JOINS, toHistory } from '../sessions/history-store.ts';
import { PREFIXED_SESSION_COLUMNS, prefixedSession, type StoredSession } from '../sessions/session-store.ts';
import { FIND_BY_ACCOUNT_ID } from './account-store.ts';
import {
  ALL_CAPPED,
  byKind,
  LINKING_COLUMNS,
  type Linking,
  MATCHED,
  OWN,
  toLinking,
  WANTED,
} from './linking-read-store.ts';

/*
 * Trip 1 of changes: BEGIN, the locks of the accounts, of the sessions and of the identifiers, then one read. The locks are
 * separate statements, because a statement sees the snapshot of its start: a read that started before a lock was granted would
 * miss the commit of the previous lock holder. Every transaction acquires its locks of accounts first and the locks of its
 * identifiers last, each in ascending order, which prevents deadlocks. An identifier over its sharing limit links no accounts
 * and gets a shared lock; a change that leaves it enqueues a recalculation, which counts it under an exclusive lock.
 */

const K = IDENTIFIER_KINDS;

/** How long a batch of several changes waits for a lock: each change is then repeated alone, so that only one of them waits. */
const BATCH_LOCK_TIMEOUT = '500ms';

/*
 * Settings of the transaction. `lock_timeout` comes from `app.lock_timeout` of the connections that serve requests, except for
 * batches of several changes; the connections of commands have none. Generic plans, because planning these
 * statements costs more than running them, and no parameter values need another plan. The other settings make plans independent
 * of the planner's statistics, which are missing while a table is new: all statements read by keys, and where they sort and limit,
 * an index has the order.
 */
const settings = (lockTimeout: string) => `
           set_config('lock_timeout', coalesce(${lockTimeout}, nullif(current_setting('app.lock_timeout', true), ''), '0'), true),
           set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_sort', 'off', true)`;

const LOCK_ACCOUNTS: Statement = {
  name: 'account.lock',
  text: `with settings as materialized (select ${settings('$2::text')})
    select pg_advisory_xact_lock(l.key) from settings cross join unnest($1::bigint[]) as l (key)`,
};

/** Acquires the locks of accounts, and sets the settings of the transaction. */
export function lockAccountsCall(locks: readonly bigint[]): Call {
  return [LOCK_ACCOUNTS, [ascending(locks), lockTimeoutOf(locks)]];
}

const lockTimeoutOf = (locks: readonly bigint[]) => (locks.length > 1 ? BATCH_LOCK_TIMEOUT : null);

function ascending(locks: readonly bigint[]): string[] {
  return [...new Set(locks)].sort((a, b) => (a < b ? -1 : 1)).map(String);
}

/**
 * The same, and then the rows of sessions, so that no facts are added to them and no erasure of another account deletes them
 * between the locks and the reads. The array is the result of a subquery, so that the planner does not know its length: the
 * statement would otherwise be planned at each execution, because it runs before the settings have an effect.
 */
const LOCK_ACCOUNTS_AND_SESSIONS: Statement = {
  name: 'account.lock_with_sessions',
  text: `with settings as materialized (select ${settings('$4::text')}), locks as materialized (
      select pg_advisory_xact_lock(l.key) from settings cross join unnest($3::bigint[]) as l (key)
    )
    select from unnest(array(select unnest($2::uuid[]))) as s (id) cross join lateral (
      select from sessions where project_id = $1 and session_id = s.id and (select count(*) from locks) > 0
      offset 0 for update
    ) locked`,
};

/** The changes of a batch, as rows for the parts of linking-read-store.ts. Each has a range of the request's identifiers. */
const ITEMS = `(
      select u.*, (:kinds::smallint[])[u.first : u.last] as kinds, (:hashes::bytea[])[u.first : u.last] as hashes
      from unnest(:sessionIds::uuid[], :accountIds::text[], :groups::text[], :firsts::int[], :lasts::int[],
        :countsDomains::boolean[], :domains::bytea[]) with ordinality
        as u (session_id, account_id, account_group, first, last, counts_domain, domain, place)
    ) item`;

const ITEM_PARAMETERS = [
  'projectId',
  'kinds',
  'hashes',
  'sessionIds',
  'accountIds',
  'groups',
  'firsts',
  'lasts',
  'countsDomains',
  'domains',
] as const;

/**
 * Whether the account moves to another group, so that its identifiers are counted in both groups. A request without a group
 * does not move the account.
 */
const MOVES = `(item.account_group is not null
  and item.account_group is distinct from coalesce((select account_group from account), item.account_group))`;

/** Whether more accounts of the group have the identifier or blocking key `w` than its sharing limit. */
const isOverLimit = (table: 'identifiers' | 'blocking_keys') => `exists (
              select 1 from ${table} o
              where o.project_id = $1 and o.kind = w.kind and o.value_hash = w.value_hash
                and o.account_group = (select account_group from me)
              offset ${byKind((cap) => cap, 0)} limit 1
            )`;

/**
 * Locks the identifiers of changes. An identifier over its sharing limit gets a shared lock: it links no accounts, so their
 * changes need not wait for each other.
 */
const LOCK_IDENTIFIERS = namedStatement(
  'identifier.lock',
  `select case when locks.is_over_limit then pg_advisory_xact_lock_shared(locks.key)
      else pg_advisory_xact_lock(locks.key) end
    from (
      select wanted.key, bool_and(wanted.is_over_limit) as is_over_limit
      from ${ITEMS} cross join lateral (
        with ${OWN}
        select ('x' || encode(substr(w.value_hash, 1, 8), 'hex'))::bit(64)::bigint as key,
          w.kind in (${ALL_CAPPED}) and not ${MOVES} and case
            when w.kind in (${BLOCKING_LIST}) then ${isOverLimit('blocking_keys')}
            else ${isOverLimit('identifiers')}
          end as is_over_limit
        from (${WANTED}) w
        where w.kind in (${LINKING_LIST})
      ) wanted
      group by wanted.key
      order by wanted.key
    ) locks`,
  ITEM_PARAMETERS,
);

/**
 * All inputs of changes, one row for each: the account, the session, their binding, the accounts that share identifiers, the
 * history before the session, and the velocity around it.
 */
const READ_CHANGES = namedStatement(
  'account.read_for_change',
  `select item.place::int as place, inputs.* from ${ITEMS} cross join lateral (
         with ${OWN}, ${MATCHED}
         select ${accountColumns('a')}, ${PREFIXED_SESSION_COLUMNS}, s.trace as s_trace,
           (
             select b.scores from account_sessions b
             where b.project_id = $1 and b.account_id = a.id and b.session_id = s.session_id
           ) as bound_scores,
           exists (
             select 1 from account_sessions x where x.project_id = $1 and x.session_id = item.session_id
           ) as session_bound,
           (
             select json_build_array(v.referring_session_id) from verification_sessions v
             where v.project_id = $1 and v.session_id = item.session_id
           ) as session_check,
           coalesce(a.match_key_version <> ${MATCH_KEY_VERSION} or a.holds_stale_keys, false) as has_stale_keys,
           (select p.rules_version from projects p where p.project_id = $1) as rules_version,
           array(
             select m.rule_id::text from rule_matches m
             where m.project_id = $1 and m.account_id = a.id and m.session_id = item.session_id and not m.shadow
           ) as acted_rules,
           array(
             select l.name from list_keep_offs k join lists l on l.project_id = $1 and l.list_id = k.list_id
             where k.project_id = $1 and k.account_id = a.id
           ) as kept_off,
           case when a.id is null then (
             select json_build_object('listId', l.list_id, 'name', l.name, 'description', l.description, 'effect', l.effect,
               'standard', l.standard, 'createdAt', l.created_at, 'source', w.source, 'actor', w.actor,
               'encryptedReason', encode(w.encrypted_reason, 'base64'), 'expiresAt', w.expires_at)
             from pending_list_members w join lists l on l.project_id = $1 and l.list_id = w.list_id
             where w.project_id = $1 and w.account_id = item.account_id
           ) end as waiting,
           case when item.counts_domain then (
             select count(*)::int from (
               select coalesce(item.domain, (select o.value_hash from own o where o.kind = ${K.email_domain} limit 1)) as hash
               offset 0
             ) domain cross join lateral (
               select 1 from identifiers i
               where i.project_id = $1 and i.kind = ${K.email_domain} and i.value_hash = domain.hash
                 and i.account_id is distinct from a.id
               limit ${LIMITS.accountsFromDomain}
             ) counted
           ) end as others_from_domain,
           ${LINKING_COLUMNS}, ${HISTORY_COLUMNS}, ${VELOCITY_COLUMNS}
         from me
         left join account a on true
         left join s on true
         ${HISTORY_JOINS}
       ) inputs
       order by item.place`,
  ITEM_PARAMETERS,
);

/** Also locks the lists, so that none is deleted between the read and the write. */
const READ_LISTS: Statement = {
  name: 'list.read_by_name',
  text: 'select list_id, name, description, effect, standard, created_at from lists where project_id = $1 and name = any($2) for key share',
};

/** A pending membership of an account that does not exist yet, as JSON. */
export type PendingMembership = ListMembership & { encryptedReason: string | null; expiresAt: string | null };

export type ChangeContext = Linking & {
  account: AccountRow | null;
  session: StoredSession | null;
  /** The session's encrypted trace; null without a session. */
  trace: Buffer | null;
  /** History before the session; null without a session. */
  past: StoredHistory | null;
  /** Stored scores of this account from this session; null when the pair is new. */
  boundScores: number[] | null;
  /** Velocity around the session; null without a session. */
  velocity: Velocity | null;
  /** Version of the project's rules. */
  rulesVersion: number;
  /** Ids of the rules that already matched this account with this session, without shadow matches. */
  actedRules: string[];
  /** Names of the lists to which rules must not add the account. */
  keptOff: string[];
  /** Pending membership of the account, possibly expired; null without one, and for a known account. */
  pendingMembership: PendingMembership | null;
  /** Whether any account is bound to the session. */
  sessionBound: boolean;
  /** Whether the session has a verification. */
  hasCheck: boolean;
  /** The session that this verification refers to; null without one. */
  referringSessionId: string | null;
  /** Whether the account has stale match keys, alone or beside the current ones. */
  hasStaleKeys: boolean;
  /** Number of other accounts with an email of the same domain, up to the limit. */
  othersFromDomain: number;
};

export type ChangeScope = {
  accountLock: bigint;
  accountId: string;
  sessionId: string | null;
  /** Null: the group is unchanged. */
  group: string | null;
  identifiers: readonly IdentifierKey[];
  /** Hash of the domain whose accounts are counted. `own`: the account's domain. `uncounted`: accounts are not counted. */
  domain: Buffer | 'own' | 'uncounted';
};

/** Trip 1: acquires the locks and reads the inputs of the changes, in their order. `listNames`: lists that they read. */
export async function lockAndRead(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  scopes: readonly ChangeScope[],
  listNames: readonly string[],
): Promise<{ contexts: ChangeContext[]; lists: ListMembership[] }> {
  const items = itemValues(projectId, scopes);
  const sessionIds = scopes.flatMap(({ sessionId }) => sessionId?.toLowerCase() ?? []);
  const lists: Call[] = listNames.length > 0 ? [listsCall(projectId, listNames)] : [];
  const locks = scopes.map(({ accountLock }) => accountLock);
  const results = await transaction.run(
    sessionIds.length === 0
      ? lockAccountsCall(locks)
      : [
          LOCK_ACCOUNTS_AND_SESSIONS,
          [projectId, sessionIds.toSorted(), ascending(locks), lockTimeoutOf(locks)],
        ],
    ...lists,
    LOCK_IDENTIFIERS.call(items),
    READ_CHANGES.call(items),
  );
  return {
    contexts: results.at(-1)!.map(toContext),
    lists: lists.length > 0 ? results[1]!.map(toList) : [],
  };
}

/** Acquires the locks of all identifiers of an account. */
export function lockIdentifiersCall(projectId: string, accountId: string): Call {
  const none = { sessionId: null, group: null, identifiers: [], domain: 'uncounted' } as const;
  return LOCK_IDENTIFIERS.call(itemValues(projectId, [{ accountId, ...none }]));
}

function itemValues(projectId: string, scopes: readonly Omit<ChangeScope, 'accountLock'>[]) {
  const identifiers = scopes.flatMap((scope) => scope.identifiers);
  let before = 0;
  const ends = scopes.map((scope) => {
    before += scope.identifiers.length;
    return before;
  });
  return {
    projectId,
    kinds: identifiers.map(({ kind }) => kind),
    hashes: identifiers.map(({ hash }) => hash),
    sessionIds: scopes.map(({ sessionId }) => sessionId),
    accountIds: scopes.map(({ accountId }) => accountId),
    groups: scopes.map(({ group }) => group),
    firsts: scopes.map((scope, place) => ends[place]! - scope.identifiers.length + 1),
    lasts: ends,
    countsDomains: scopes.map(({ domain }) => domain !== 'uncounted'),
    domains: scopes.map(({ domain }) => (Buffer.isBuffer(domain) ? domain : null)),
  };
}

function toContext(row: Row): ChangeContext {
  const hasSession = row.s_session_id !== null;
  return {
    account: row.id === null ? null : (row as AccountRow),
    session: hasSession ? prefixedSession(row) : null,
    trace: row.s_trace,
    past: hasSession ? toHistory(row) : null,
    velocity: hasSession ? toVelocity(row) : null,
    rulesVersion: row.rules_version,
    actedRules: row.acted_rules,
    keptOff: row.kept_off,
    pendingMembership: row.waiting,
    boundScores: row.bound_scores,
    sessionBound: row.session_bound,
    hasCheck: row.session_check !== null,
    referringSessionId: row.session_check?.[0] ?? null,
    hasStaleKeys: row.has_stale_keys,
    ...toLinking(row),
    othersFromDomain: row.others_from_domain ?? LIMITS.accountsFromDomain,
  };
}

function listsCall(projectId: string, names: readonly string[]): Call {
  return [READ_LISTS, [projectId, names]];
}

function toList(row: Row): ListMembership {
  return {
    listId: row.list_id,
    name: row.name,
    description: row.description,
    effect: row.effect,
    standard: row.standard,
    createdAt: row.created_at,
    source: '',
    actor: '',
    reason: '',
  };
}

/** Lists by name, in an open transaction. */
export async function readLists(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  names: readonly string[],
): Promise<ListMembership[]> {
  if (names.length === 0) return [];
  const [rows = []] = await transaction.run(listsCall(projectId, names));
  return rows.map(toList);
}

/** Acquires the account's lock and reads its row only, for changes that run alone and whose identifiers depend on stored fields. */
export async function lockAndReadAccount(
  database: ProjectDatabase,
  transaction: Transaction,
  accountLock: bigint,
  accountId: string,
): Promise<AccountRow | null> {
  const [, rows] = await transaction.run(lockAccountsCall([accountLock]), [
    FIND_BY_ACCOUNT_ID,
    [database.projectId, accountId],
  ]);
  return rows?.[0] ?? null;
}
