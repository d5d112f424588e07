import type { Velocity } from '@vouchgraph/decisions';
import { IDENTIFIER_KINDS, type IdentifierKey, MATCH_KEY_VERSION } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { StoredHistory } from '@vouchgraph/signals';
import type { Call, ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import { toVelocity, VELOCITY_COLUMNS } from '../decisions/velocity-store.ts';
import type { AccountRow, ListMembership } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { HISTORY_COLUMNS, HISTORY_JOINS, toHistory } from '../sessions/history-store.ts';
import { PREFIXED_SESSION_COLUMNS, prefixedSession, type StoredSession } from '../sessions/session-store.ts';
import { FIND_BY_ACCOUNT_ID } from './account-store.ts';
import {
  ALL_CAPPED,
  ALL_LINKING,
  byKind,
  LINKING_COLUMNS,
  type Linking,
  MATCHED,
  OWN,
  OWN_WITH_SESSION_LOCK,
  toLinking,
  WANTED,
} from './linking-read-store.ts';

/*
 * The hot path of writes: two round trips of prepared statements.
 *
 * Trip 1: BEGIN, the account's lock, the locks of the session and the identifiers, then one read. The locks are separate
 * statements, because a statement sees the snapshot of its start: a read that started before a lock was granted would miss
 * the commit of the previous lock holder. Every transaction acquires its account's lock first and the locks of its identifiers
 * after it in ascending order, which prevents deadlocks. An identifier over its sharing limit links no accounts and gets a
 * shared lock; a change that leaves it enqueues a recalculation, which counts it under an exclusive lock.
 * Trip 2: one write for a typical change, and COMMIT.
 */

const K = IDENTIFIER_KINDS;

/*
 * Settings of the transaction. `lock_timeout` comes from `app.lock_timeout` of the connections that serve requests; imports
 * and rebuilds have none and wait for each other. Generic plans, because planning these statements costs more than running
 * them, and no parameter values need another plan. No sequential scans, because all of these statements read by keys: a plan
 * made for an empty table would otherwise scan the table until it is analyzed, whatever its size. Until then a plan can still
 * use an index by the project alone.
 */
const SETTINGS = `set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true),
           set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`;

/** Acquires an account's lock, and sets the settings of the transaction. */
export const LOCK_ACCOUNT: Statement = {
  name: 'account.lock',
  text: `select ${SETTINGS}, pg_advisory_xact_lock($1::bigint)`,
};

/**
 * Whether the account moves to another group, so that its identifiers are counted in both groups. A request without a group
 * does not move the account.
 */
const MOVES =
  '($6::text is not null and $6::text is distinct from coalesce((select account_group from account), $6::text))';

/**
 * Locks the session's row, then the identifiers. An identifier over its sharing limit gets a shared lock: it links no accounts,
 * so their changes need not wait for each other.
 */
export const LOCK_IDENTIFIERS: Statement = {
  name: 'identifier.lock',
  text: `with ${OWN_WITH_SESSION_LOCK}
    select case when locks.is_over_limit then pg_advisory_xact_lock_shared(locks.key)
      else pg_advisory_xact_lock(locks.key) end
    from (
      select ('x' || encode(substr(w.value_hash, 1, 8), 'hex'))::bit(64)::bigint as key, bool_and(
        w.kind in (${ALL_CAPPED}) and not (${MOVES}) and exists (
          select 1 from identifiers o
          where o.project_id = $1 and o.kind = w.kind and o.value_hash = w.value_hash
            and o.account_group = (select account_group from me)
          offset ${byKind((cap) => cap, 0)} limit 1
        )
      ) as is_over_limit
      from (${WANTED}) w
      where w.kind in (${ALL_LINKING})
      group by key
      order by key
    ) locks`,
};

/**
 * All inputs of a change, as one row: the account, the session, their binding, the accounts that share identifiers, the history
 * before the session, and the velocity around it. $7: whether accounts of the domain are counted. $8: hash of the domain; null
 * for the domain of the account's email. $9: maximum count.
 */
const READ_CHANGE: Statement = {
  name: 'account.read_for_change',
  text: `with ${OWN}, ${MATCHED}
         select ${accountColumns('a')}, ${PREFIXED_SESSION_COLUMNS},
           s.trace as s_trace, b.scores as bound_scores,
           exists (select 1 from account_sessions x where x.project_id = $1 and x.session_id = $2) as session_bound,
           exists (select 1 from verification_sessions v where v.project_id = $1 and v.session_id = $2) as has_check,
           coalesce(a.match_key_version <> ${MATCH_KEY_VERSION} or a.holds_stale_keys, false) as has_stale_keys,
           (select p.rules_version from projects p where p.project_id = $1) as rules_version,
           array(
             select m.rule_id::text from rule_matches m
             where m.project_id = $1 and m.account_id = a.id and m.session_id = $2 and not m.shadow
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
             where w.project_id = $1 and w.account_id = $3
           ) end as waiting,
           case when $7::boolean then (
             select count(*)::int from (
               select 1 from identifiers i
               where i.project_id = $1 and i.kind = ${K.email_domain} and i.account_id is distinct from a.id
                 and i.value_hash = coalesce($8::bytea,
                   (select o.value_hash from own o where o.kind = ${K.email_domain} limit 1))
               limit $9::int
             ) counted
           ) end as others_from_domain,
           ${LINKING_COLUMNS}, ${HISTORY_COLUMNS}, ${VELOCITY_COLUMNS}
         from me
         left join account a on true
         left join s on true
         left join account_sessions b on b.project_id = $1 and b.account_id = a.id and b.session_id = s.session_id
         ${HISTORY_JOINS}`,
};

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
  /** Whether the account has stale match keys, alone or beside the current ones. */
  hasStaleKeys: boolean;
  /** Number of other accounts with an email of the same domain, up to the limit. */
  othersFromDomain: number;
  /** Existing lists of the requested names. */
  lists: ListMembership[];
};

export type ChangeScope = {
  accountLock: bigint;
  accountId: string;
  sessionId: string | null;
  /** Null: the group is unchanged. */
  group: string | null;
  identifiers: readonly IdentifierKey[];
  listNames: readonly string[];
  /** Hash of the domain whose accounts are counted. `own`: the account's domain. `uncounted`: accounts are not counted. */
  domain: Buffer | 'own' | 'uncounted';
};

/** Trip 1: acquires the locks and reads the inputs of the change. */
export async function lockAndRead(
  database: ProjectDatabase,
  transaction: Transaction,
  scope: ChangeScope,
): Promise<ChangeContext> {
  const { projectId } = database;
  const { accountLock, accountId, sessionId, group, domain } = scope;
  const kinds = scope.identifiers.map(({ kind }) => kind);
  const hashes = scope.identifiers.map(({ hash }) => hash);
  const wanted = [projectId, sessionId, accountId, kinds, hashes, group];
  const lists: Call[] = scope.listNames.length > 0 ? [listsCall(projectId, scope.listNames)] : [];
  const counting = [
    domain !== 'uncounted',
    Buffer.isBuffer(domain) ? domain : null,
    LIMITS.accountsFromDomain,
  ];
  const results = await transaction.run(
    [LOCK_ACCOUNT, [accountLock.toString()]],
    ...lists,
    [LOCK_IDENTIFIERS, wanted],
    [READ_CHANGE, [...wanted, ...counting]],
  );
  return toContext(results.at(-1)![0]!, lists.length > 0 ? results[1]! : []);
}

function toContext(row: Row, lists: readonly Row[]): ChangeContext {
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
    hasCheck: row.has_check,
    hasStaleKeys: row.has_stale_keys,
    ...toLinking(row),
    othersFromDomain: row.others_from_domain ?? LIMITS.accountsFromDomain,
    lists: lists.map(toList),
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

/** Acquires the account's lock and reads its row only, for changes whose identifiers depend on stored fields. */
export async function lockAndReadAccount(
  database: ProjectDatabase,
  transaction: Transaction,
  accountLock: bigint,
  accountId: string,
): Promise<AccountRow | null> {
  const [, rows] = await transaction.run(
    [LOCK_ACCOUNT, [accountLock.toString()]],
    [FIND_BY_ACCOUNT_ID, [database.projectId, accountId]],
  );
  return rows?.[0] ?? null;
}
