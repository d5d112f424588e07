import { LIMITS } from '../../platform/limits.ts';
import type { ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import type { Velocity } from '../decisions/velocity.ts';
import { toVelocity, velocityCall } from '../decisions/velocity-store.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { type IdentifierKey, MATCH_KEY_VERSION } from '../linking/account-identifiers.ts';
import { rankedIdentifiers } from '../linking/history-limits.ts';
import { COMPARING_NUMBERS, personTimes } from '../linking/known-person.ts';
import {
  BRIDGE_CAP,
  LINK_WEIGHTS,
  LINKING_KINDS,
  MIN_NAMES_OF_SHARED_MAILBOX,
} from '../linking/link-weights.ts';
import { mailboxNames } from '../linking/mailbox-names-sql.ts';
import type { HeldIdentifier, Match, StoredLink } from '../linking/plan-links.ts';
import type { PersonRow } from '../linking/read-persons.ts';
import type { MailboxNames } from '../linking/shared-mailboxes.ts';
import type { AccountRow, ListMembership } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { historyCall, type StoredHistory, toHistory } from '../sessions/history-store.ts';
import { PREFIXED_SESSION_COLUMNS, prefixedSession, type StoredSession } from '../sessions/session-store.ts';

/*
 * The hot write: two round trips of prepared statements.
 *
 * Trip 1: BEGIN, the account's lock, the session's row, the locks of its identifiers, then the reads. The locks are statements of
 * their own, because a statement sees the database as it was when it began: reads that began before a lock was
 * granted would miss what its former holder committed. Every transaction takes its account's lock first and its
 * identifiers' locks after it, in ascending order, so that two of them never wait for each other in a circle. An
 * identifier that more accounts share than its cap allows links nobody and is locked together with others only; whoever
 * leaves such a crowd has it counted again afterwards, alone.
 * Trip 2: all writes, and COMMIT.
 */

const K = IDENTIFIER_KINDS;
const ALL_LINKING = LINKING_KINDS.map((kind) => K[kind]).join(', ');
const CAPPED_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].crowds);
const ALL_CAPPED = CAPPED_KINDS.map((kind) => K[kind]).join(', ');
/** Candidates read for a full match: the strongest 1,500 are stored. */
const FULL_MATCH_LIMIT = LIMITS.linksPerAccount;

/** A number for each capped kind, made of its cap, and one for all others; `w` is the identifier. */
const byKind = (ofCap: (cap: number) => number, others: number) =>
  `case w.kind ${CAPPED_KINDS.map((kind) => `when ${K[kind]} then ${ofCap(LINK_WEIGHTS[kind].cap)}`).join(' ')} else ${others} end`;
/** One more than may link, so that a crowd that has passed its cap is told from one that is about to. */
const HOLDERS_BY_KIND = byKind((cap) => cap + 1, FULL_MATCH_LIMIT);

/**
 * Sets the time limit of locks (`app.lock_timeout`, of the connections that serve requests) also for the locks after it.
 * Imports and rebuilds have none: they wait for each other.
 */
export const LOCK_ACCOUNT: Statement = {
  name: 'account.lock',
  text: `select set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true),
           pg_advisory_xact_lock($1::bigint)`,
};

/** The group that the account has, or gets by this request. $3 account id, $6 group or null. */
const GROUP = `coalesce($6::text, (select a.account_group from accounts a where a.project_id = $1 and a.account_id = $3), '')`;

/** $4, $5: kinds and hashes of the request; the session $2 adds its own; the account `me` those it holds (`own`). */
const WANTED = `
  select i.kind, i.value_hash from unnest($4::smallint[], $5::bytea[]) as i (kind, value_hash)
  union
  select v.kind, v.value_hash from sessions s cross join lateral (values
    (${K.browser}::smallint, s.browser_hash), (${K.device}::smallint, s.device_hash),
    (${K.network}::smallint, s.network_hash), (${K.neighbourhood}::smallint, s.neighbourhood_hash)
  ) as v (kind, value_hash)
  where s.project_id = $1 and s.session_id = $2 and v.value_hash is not null
  union
  select ${K.device_part}::smallint, p.value_hash from sessions s cross join lateral unnest(s.device_part_hashes) as p (value_hash)
  where s.project_id = $1 and s.session_id = $2
  union
  select o.kind, o.value_hash from own o where o.kind in (${ALL_LINKING})`;

/**
 * The account $3 with its group, and what it holds: of each limited kind the newest, one more than it keeps. Only an
 * account that was stored before the limits has that one.
 */
const OWN = `me as materialized (
      select (select a.id from accounts a where a.project_id = $1 and a.account_id = $3) as id, ${GROUP} as account_group
    ), own as materialized (
      select * from (${rankedIdentifiers('(select id from me)')}) ranked where place <= kept + 1
    )`;

/** Whether the account leaves its group, whose crowds then count besides those of the group that it joins. */
const MOVES = `$6::text is distinct from coalesce(
  (select a.account_group from accounts a where a.project_id = $1 and a.account_id = $3), $6::text)`;

/** A crowd beyond its cap links nobody, so that those who join or leave it need not wait for each other. */
export const LOCK_IDENTIFIERS: Statement = {
  name: 'identifier.lock',
  text: `with ${OWN}
    select case when locks.is_crowd then pg_advisory_xact_lock_shared(locks.key)
      else pg_advisory_xact_lock(locks.key) end
    from (
      select ('x' || encode(substr(w.value_hash, 1, 8), 'hex'))::bit(64)::bigint as key, bool_and(
        w.kind in (${ALL_CAPPED}) and not (${MOVES}) and exists (
          select 1 from identifiers o
          where o.project_id = $1 and o.kind = w.kind and o.value_hash = w.value_hash
            and o.account_group = (select account_group from me)
          offset ${byKind((cap) => cap, 0)} limit 1
        )
      ) as is_crowd
      from (${WANTED}) w
      where w.kind in (${ALL_LINKING})
      group by key
      order by key
    ) locks`,
};

/**
 * The session's row is held before anything is read of it: nobody adds facts between the locks and the reads, and an
 * account that is erased meanwhile does not take it along.
 */
const LOCK_SESSION: Statement = {
  name: 'session.lock_for_binding',
  text: 'select 1 from sessions where project_id = $1 and session_id = $2 for update',
};

const READ_CONTEXT: Statement = {
  name: 'account.read_for_change',
  text: `select ${accountColumns('a')}, ${PREFIXED_SESSION_COLUMNS},
           s.trace as s_trace, b.scores as bound_scores,
           exists (select 1 from account_sessions x where x.project_id = $1 and x.session_id = $2) as session_bound,
           exists (select 1 from verification_sessions v where v.project_id = $1 and v.session_id = $2) as has_check,
           coalesce(a.match_key_version < ${MATCH_KEY_VERSION} or a.holds_earlier_keys, false) as keeps_earlier_keys,
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
               'standard', l.standard, 'createdAt', l.created_at, 'source', w.source, 'actor', w.actor, 'reason', '',
               'sealedReason', encode(w.sealed_reason, 'base64'), 'expiresAt', w.expires_at)
             from pending_list_members w join lists l on l.project_id = $1 and l.list_id = w.list_id
             where w.project_id = $1 and w.account_id = $3
           ) end as waiting
         from (select 1) as one
         left join accounts a on a.project_id = $1 and a.account_id = $3
         left join sessions s on s.project_id = $1 and s.session_id = $2
         left join account_sessions b on b.project_id = $1 and b.account_id = a.id and b.session_id = s.session_id`,
};

/**
 * Own identifiers (account_id null), then for each wanted one the other accounts of the group that hold it (of a crowd
 * beyond its cap one, with how many there are), then the stored links (with a score), then the first names that others come
 * with under an email, where one more may contradict them (with names), then the encrypted fields of the accounts that the
 * account is compared with (with personal): one statement, since each costs more by itself than by what it reads.
 */
const READ_MATCHES: Statement = {
  name: 'identifier.read_matches',
  text: `with ${OWN}, w as materialized (${WANTED}), matched as materialized (
      select w.kind, w.value_hash, o.account_id, o.first_seen, o.last_seen, o.uses, o.others
      from w cross join lateral (
        select h.*, count(*) over ()::int as others, row_number() over () as place from (
          select i.account_id, i.first_seen, i.last_seen, i.uses from identifiers i
          where i.project_id = $1 and i.kind = w.kind and i.value_hash = w.value_hash
            and i.account_group = (select account_group from me) and i.account_id is distinct from (select id from me)
          order by i.account_id desc limit ${HOLDERS_BY_KIND}
        ) h
      ) o
      where w.kind in (${ALL_LINKING}) and (o.place = 1 or o.others < ${HOLDERS_BY_KIND} or w.kind not in (${ALL_CAPPED}))
    )
    select m.kind::int as kind, m.value_hash, null::uuid as account_id, m.first_seen, m.last_seen, m.uses,
      null::float8 as score, null::boolean as bridges, null::int as others, null::bytea as written, null::bytea[] as names,
      null::bytea as personal
    from own m
    union all
    select m.kind, m.value_hash, m.account_id, m.first_seen, m.last_seen, m.uses, null, null, m.others, null, null, null
    from matched m
    union all
    select l.kinds, null, l.linked_account_id, l.first_seen, l.last_seen, null, l.score, l.bridges, null, null, null, null
    from links l where l.project_id = $1 and l.account_id = (select id from me)
    union all
    select w.kind, w.value_hash, null, null, null, null, null, null, null, n.written, n.names, null
    from w cross join lateral (${mailboxNames({
      hash: 'w.value_hash',
      group: '(select account_group from me)',
      except: '(select id from me)',
      least: MIN_NAMES_OF_SHARED_MAILBOX - 1,
    })}) n
    where w.kind = ${K.email}
    union all
    select 0, null, c.account_id, t.first_seen, t.last_seen, null, null, null, null, null, null, a.personal
    from (
      select distinct m.account_id from matched m where m.kind in (${COMPARING_NUMBERS}) and m.others < ${BRIDGE_CAP}
    ) c
    cross join lateral (select x.personal from accounts x where x.project_id = $1 and x.id = c.account_id offset 0) a
    cross join lateral ${personTimes('c.account_id')} t`,
};

/** How many accounts besides $2 have an address of a domain, whose hash is told by `hash`; $3 is the most. */
const countOfDomain = (hash: string) => `select count(*)::int as accounts from (
    select 1 from identifiers i
    where i.project_id = $1 and i.kind = ${K.email_domain} and i.value_hash = ${hash} and i.account_id is distinct from
      (select a.id from accounts a where a.project_id = $1 and a.account_id = $2)
    limit $3
  ) counted`;

// Two statements: one for both would be planned anew each time, since knowing the hash makes its plan so much cheaper.
const COUNT_FROM_STATED_DOMAIN: Statement = {
  name: 'account.count_from_domain',
  text: countOfDomain('$4'),
};
const COUNT_FROM_OWN_DOMAIN: Statement = {
  name: 'account.count_from_own_domain',
  text: countOfDomain(`(
    select o.value_hash from identifiers o
    where o.project_id = $1 and o.kind = ${K.email_domain} and o.account_id =
      (select a.id from accounts a where a.project_id = $1 and a.account_id = $2)
    limit 1
  )`),
};

/** Holds the lists as well: none is deleted between what is read of the account and what is written. */
const READ_LISTS: Statement = {
  name: 'list.read_by_name',
  text: 'select list_id, name, description, effect, standard, created_at from lists where project_id = $1 and name = any($2) for key share',
};

/** A membership that waits for an account, as JSON. */
export type WaitingMembership = ListMembership & { expiresAt: string | null };

export type ChangeContext = {
  account: AccountRow | null;
  session: StoredSession | null;
  /** The session's trace, sealed; null for one of an older version, or without a session. */
  trace: Buffer | null;
  /** What was there before the session; null without one. */
  past: StoredHistory | null;
  /** Scores that this account already has from this session, or null when the pair is new. */
  boundScores: number[] | null;
  /** How fast things happened around the session; null without one. */
  velocity: Velocity | null;
  /** Of the project's rules. */
  rulesVersion: number;
  /** Ids of the rules that matched this account with this session before, but for shadow. */
  actedRules: string[];
  /** Names of the lists that rules may not put the account on. */
  keptOff: string[];
  /** The membership that waits for the account, whose end may be over; null without one, and for a known account. */
  waiting: WaitingMembership | null;
  /** Whether any account is bound to the session. */
  sessionBound: boolean;
  /** Whether the session is that of a check. */
  hasCheck: boolean;
  /** Whether earlier identifiers of unchanged fields stay: of a known account whose match keys are being rewritten. */
  keepsEarlierKeys: boolean;
  mine: HeldIdentifier[];
  matches: Match[];
  links: StoredLink[];
  mailboxes: MailboxNames[];
  /** Encrypted fields of the accounts that the account is compared with. */
  persons: PersonRow[];
  /** Others with an address of the same domain, up to the limit. */
  othersFromDomain: number;
  /** Those of the lists that were asked for which exist. */
  lists: ListMembership[];
};

export type ChangeScope = {
  accountLock: bigint;
  accountId: string;
  sessionId: string | null;
  /** Null: the group stays as it is. */
  group: string | null;
  identifiers: readonly IdentifierKey[];
  listNames: readonly string[];
  /** The hash of the domain whose accounts are counted; `own`: the account's; `crowded`: there are too many to count. */
  domain: Buffer | 'own' | 'crowded';
};

type Call = readonly [Statement, readonly unknown[]];

/** Trip 1: takes the locks and reads all that the change depends on. */
export async function lockAndRead(
  database: ProjectDatabase,
  transaction: Transaction,
  scope: ChangeScope,
): Promise<ChangeContext> {
  const { projectId } = database;
  const kinds = scope.identifiers.map(({ kind }) => kind);
  const hashes = scope.identifiers.map(({ hash }) => hash);
  const wanted = [projectId, scope.sessionId, scope.accountId, kinds, hashes, scope.group];
  const counting = countFromDomain(projectId, scope);
  const lists: Call[] = scope.listNames.length > 0 ? [listsCall(projectId, scope.listNames)] : [];
  const past: Call[] =
    scope.sessionId === null
      ? []
      : [
          historyCall(projectId, scope.sessionId, scope.accountId, scope.group),
          velocityCall(projectId, scope.sessionId, scope.accountId, scope.group),
        ];
  const hold: Call[] = scope.sessionId === null ? [] : [[LOCK_SESSION, [projectId, scope.sessionId]]];
  const results = await transaction.run(
    [LOCK_ACCOUNT, [scope.accountLock.toString()]],
    ...hold,
    ...lists,
    [LOCK_IDENTIFIERS, wanted],
    [READ_CONTEXT, [projectId, scope.sessionId, scope.accountId]],
    [READ_MATCHES, wanted],
    ...counting,
    ...past,
  );
  const [contexts, evidence = [], ...others] = results.slice(2 + hold.length + lists.length);
  const context: Row = contexts?.[0];
  const counts = counting.length > 0 ? others[0] : undefined;
  const foundLists = lists.length > 0 ? results[1 + hold.length] : undefined;
  const [pastRow, velocityRow] = past.length > 0 ? others.slice(-2).map(([row]) => row) : [];
  return {
    account: context.id === null ? null : (context as AccountRow),
    session: context.s_session_id === null ? null : prefixedSession(context),
    trace: context.s_trace,
    past: pastRow ? toHistory(pastRow) : null,
    velocity: velocityRow ? toVelocity(velocityRow) : null,
    rulesVersion: context.rules_version,
    actedRules: context.acted_rules,
    keptOff: context.kept_off,
    waiting: context.waiting,
    boundScores: context.bound_scores,
    sessionBound: context.session_bound,
    hasCheck: context.has_check,
    keepsEarlierKeys: context.keeps_earlier_keys,
    ...toLinking(evidence),
    othersFromDomain: counts?.[0].accounts ?? LIMITS.accountsFromDomain,
    lists: (foundLists ?? []).map(toList),
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

/** Lists by name, in a transaction that is under way. */
export async function readLists(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  names: readonly string[],
): Promise<ListMembership[]> {
  if (names.length === 0) return [];
  const [rows = []] = await transaction.run(listsCall(projectId, names));
  return rows.map(toList);
}

/** What an account is linked by: its identifiers, who else holds them, and its links as they are stored. */
export type Linking = Pick<ChangeContext, 'mine' | 'matches' | 'links' | 'mailboxes' | 'persons'>;

export function toLinking(rows: readonly Row[]): Linking {
  return {
    mine: rows.filter((row) => row.account_id === null && row.names === null).map(toHeldIdentifier),
    mailboxes: rows
      .filter((row) => row.names !== null)
      .map((row) => ({ email: row.value_hash, written: row.written, names: row.names })),
    matches: rows
      .filter((row) => row.account_id !== null && row.score === null && row.personal === null)
      .map((row) => ({ ...toHeldIdentifier(row), accountId: row.account_id, others: row.others })),
    persons: rows
      .filter((row) => row.personal !== null)
      .map(({ account_id, ...row }) => ({ ...(row as PersonRow), id: account_id })),
    links: rows
      .filter((row) => row.score !== null)
      .map((row) => ({
        accountId: row.account_id,
        score: row.score,
        kinds: row.kind,
        bridges: row.bridges,
        firstSeen: row.first_seen,
        lastSeen: row.last_seen,
      })),
  };
}

/** What a change would read, without locks: of an account, or of whom a session alone points to. */
export async function readLinking(
  database: ProjectDatabase,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Promise<Linking> {
  const [statement, values] = linkingCall(database.projectId, of);
  return toLinking(await database.query<Row>(statement, values));
}

/** The statement behind it, whose rows `toLinking` takes. */
export function linkingCall(
  projectId: string,
  of: { accountId?: string; sessionId?: string; identifiers?: readonly IdentifierKey[] },
): Call {
  const { accountId = null, sessionId = null, identifiers = [] } = of;
  const kinds = identifiers.map(({ kind }) => kind);
  const hashes = identifiers.map(({ hash }) => hash);
  return [READ_MATCHES, [projectId, sessionId, accountId, kinds, hashes, null]];
}

function countFromDomain(projectId: string, { accountId, domain }: ChangeScope): Call[] {
  const values = [projectId, accountId, LIMITS.accountsFromDomain];
  if (domain === 'crowded') return [];
  return [
    domain === 'own' ? [COUNT_FROM_OWN_DOMAIN, values] : [COUNT_FROM_STATED_DOMAIN, [...values, domain]],
  ];
}

/** Takes the account's lock and reads its row alone, when the identifiers depend on what is stored. */
export async function lockAndReadAccount(
  database: ProjectDatabase,
  transaction: Transaction,
  accountLock: bigint,
  accountId: string,
): Promise<AccountRow | null> {
  const [, rows] = await transaction.run(
    [LOCK_ACCOUNT, [accountLock.toString()]],
    [READ_ACCOUNT, [database.projectId, accountId]],
  );
  return rows?.[0] ?? null;
}

const READ_ACCOUNT: Statement = {
  name: 'account.find_by_account_id',
  text: `select ${accountColumns('a')} from accounts a where a.project_id = $1 and a.account_id = $2`,
};

function toHeldIdentifier(row: Row): HeldIdentifier {
  const { kind, value_hash: hash, first_seen: firstSeen, last_seen: lastSeen, uses } = row;
  return { kind, hash, firstSeen, lastSeen, uses };
}
