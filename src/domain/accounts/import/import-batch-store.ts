import {
  COMPARING_NUMBERS,
  IDENTIFIER_KINDS,
  MIN_NAMES_OF_SHARED_MAILBOX,
  personTimes,
} from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Call, Statement } from '../../../storage/database.ts';
import { packedTime, unpackRows } from '../../../storage/packed-rows.ts';
import { mailboxNames } from '../../linking/mailbox-names-sql.ts';
import { BLOCK_KINDS, type GroupedIdentifier, type Holder } from '../batch-matches.ts';
import { byKind } from '../linking-read-store.ts';

/*
 * Statements of a batch of new imported accounts: two round trips for the whole batch, instead of two per account. Accounts of a
 * batch share no linking identifiers except for blocking keys (../batch-holders.ts), so that their reads are independent.
 */

const K = IDENTIFIER_KINDS;
const BLOCKS = BLOCK_KINDS.map((kind) => K[kind]).join(', ');

const HOLDERS_BY_KIND = byKind((cap) => cap + 1, LIMITS.linksPerAccount);

/**
 * Locks all accounts of a batch, or all their identifiers, in the order of the keys. Accounts come before identifiers, as in
 * every change, which prevents deadlocks. Identifiers over their sharing limit get shared locks.
 */
const LOCK: Statement = {
  name: 'import.lock',
  text: `select case when k.is_shared then pg_advisory_xact_lock_shared(k.key) else pg_advisory_xact_lock(k.key) end
    from unnest($1::bigint[], $2::boolean[]) as k (key, is_shared)`,
};

/**
 * Settings of the transaction, and the version of the rows that it writes. Its statements are planned once per connection,
 * possibly for empty tables: the settings make them read few rows by an index, whatever the planner's statistics.
 */
const SETTINGS: Statement = {
  name: 'import.settings',
  text: `select set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    (pg_current_xact_id()::text::numeric % 4294967296)::text as version`,
};

/** Accounts that exist or have pending list memberships: they are changed one by one. */
const FIND_OTHERS: Statement = {
  name: 'import.find_others',
  text: `select account_id from accounts where project_id = $1 and account_id = any($2::text[])
    union all select account_id from pending_list_members where project_id = $1 and account_id = any($2::text[])`,
};

/** Accounts with the identifier `w` in its group. */
const HOLDERS = `from identifiers i
  where i.project_id = $1 and i.kind = w.kind and i.value_hash = w.value_hash and i.account_group = w.account_group`;

/** Identifiers with their index in the arrays, from 1. */
const IDENTIFIERS =
  'unnest($2::smallint[], $3::bytea[], $4::text[]) with ordinality as w (kind, value_hash, account_group, place)';

/**
 * Accounts of each identifier, at most one more than its sharing limit, and the versions of the accounts to compare with. The
 * client counts them: a window function costs more than the look-up of an identifier. Most rows belong to blocking keys: one row
 * per key instead of one per account, `||` instead of `concat_ws`, and one array for the versions reduce the execution time by a
 * third.
 */
const READ_MATCHES: Statement = {
  name: 'import.read_matches',
  text: `with blocks as materialized (
      select w.place, h.ids from ${IDENTIFIERS} cross join lateral (
        select array_agg(o.account_id) as ids from (
          select i.account_id ${HOLDERS} order by i.account_id desc limit ${HOLDERS_BY_KIND}
        ) o
      ) h
      where w.kind in (${BLOCKS}) and h.ids is not null
    ), matched as materialized (
      select w.place, w.kind, o.* from ${IDENTIFIERS} cross join lateral (
        select i.account_id, i.first_seen, i.last_seen, i.uses ${HOLDERS}
        order by i.account_id desc limit ${HOLDERS_BY_KIND}
      ) o
      where w.kind not in (${BLOCKS})
    )
    select (select string_agg(b.place || '|' || array_to_string(b.ids, ','), ';') from blocks b) as blocks,
      (select string_agg(m.place || '|' || m.account_id || '|' || m.first_seen || '|' || m.last_seen || '|' || m.uses, ';')
       from matched m) as others,
      (select string_agg(a.id || '|' || a.xmin, ';') from accounts a where a.project_id = $1 and a.id = any(array(
        select unnest(b.ids) from blocks b
        union select m.account_id from matched m where m.kind in (${COMPARING_NUMBERS})
      ))) as versions`,
};

/**
 * Accounts by the keys of identifiers, from packed rows that start with the index of the identifier, from 1: a row has all
 * accounts of a blocking key, or one account of another identifier.
 */
export function holdersOf(
  identifiers: readonly GroupedIdentifier[],
  packed: { blocks: string | null; others: string | null },
): Map<string, Holder[]> {
  const byKey = new Map<string, Holder[]>();
  const add = (place: string, holder: Holder) => {
    const { key } = identifiers[Number(place) - 1]!;
    const holders = byKey.get(key);
    if (holders) holders.push(holder);
    else byKey.set(key, [holder]);
  };
  for (const [place, accountIds] of unpackRows(packed.blocks)) {
    const holders = accountIds!.split(',').map((accountId): Holder => ({ accountId, seen: null }));
    byKey.set(identifiers[Number(place) - 1]!.key, holders);
  }
  for (const [place, accountId, firstSeen, lastSeen, uses] of unpackRows(packed.others)) {
    const seen = { firstSeen: packedTime(firstSeen!), lastSeen: packedTime(lastSeen!), uses: Number(uses) };
    add(place!, { accountId: accountId!, seen });
  }
  return byKey;
}

/** Identifiers that are no longer over their sharing limit, by index. */
const FIND_BELOW_LIMIT: Statement = {
  name: 'import.find_below_limit',
  text: `select w.place::int as place from ${IDENTIFIERS}
    where not exists (select 1 ${HOLDERS} offset ${HOLDERS_BY_KIND} - 1 limit 1)`,
};

/** First names of other accounts with the emails, by index. */
const READ_MAILBOXES: Statement = {
  name: 'import.read_mailboxes',
  text: `select w.place::int as place, n.written, n.names from ${IDENTIFIERS} cross join lateral (${mailboxNames(
    {
      hash: 'w.value_hash',
      group: 'w.account_group',
      min: MIN_NAMES_OF_SHARED_MAILBOX - 1,
    },
  )}) n`,
};

/**
 * Encrypted fields of accounts to compare with. Every change of an account writes its row, so the version of the row validates
 * cached data.
 */
const READ_PERSONS: Statement = {
  name: 'import.read_persons',
  text: `select a.id, a.personal, t.first_seen, t.last_seen from unnest($2::uuid[]) as w (id)
    join accounts a on a.project_id = $1 and a.id = w.id cross join lateral ${personTimes('a.id')} t`,
};

export const personsCall = (projectId: string, ids: readonly string[]): Call => [
  READ_PERSONS,
  [projectId, ids],
];

/** Number of accounts with an email of each domain, up to the limit $3. */
const COUNT_FROM_DOMAINS: Statement = {
  name: 'import.count_from_domains',
  text: `select d.hash, c.accounts from unnest($2::bytea[]) as d (hash) cross join lateral (
      select count(*)::int as accounts from (
        select 1 from identifiers i where i.project_id = $1 and i.kind = ${K.email_domain} and i.value_hash = d.hash limit $3
      ) counted
    ) c`,
};

/** Inputs of a batch's reads. Each identifier occurs once. */
export type BatchScope = {
  readonly accountIds: readonly string[];
  readonly accountLocks: readonly bigint[];
  /** Identifiers not known to be over their sharing limits. */
  readonly identifiers: readonly GroupedIdentifier[];
  /** Identifiers over their sharing limits at the last read: they get shared locks. */
  readonly overLimit: readonly GroupedIdentifier[];
  readonly emails: readonly GroupedIdentifier[];
  readonly domains: readonly Buffer[];
};

/** Trip 1 of a batch: settings, locks of accounts, locks of identifiers, and reads. */
export function batchReads(projectId: string, scope: BatchScope): Call[] {
  const { accountIds, accountLocks, identifiers, overLimit, emails, domains } = scope;
  return [
    [SETTINGS, []],
    lockCall(accountLocks.map((key) => ({ key, isShared: false }))),
    lockCall([
      ...identifiers.map(({ hash }) => ({ key: lockOfHash(hash), isShared: false })),
      ...overLimit.map(({ hash }) => ({ key: lockOfHash(hash), isShared: true })),
    ]),
    [FIND_OTHERS, [projectId, accountIds]],
    identifiersCall(READ_MATCHES, projectId, identifiers),
    identifiersCall(FIND_BELOW_LIMIT, projectId, overLimit),
    identifiersCall(READ_MAILBOXES, projectId, emails),
    [COUNT_FROM_DOMAINS, [projectId, domains, LIMITS.accountsFromDomain]],
  ];
}

function identifiersCall(
  statement: Statement,
  projectId: string,
  identifiers: readonly GroupedIdentifier[],
): Call {
  const kinds = identifiers.map(({ kind }) => kind);
  const hashes = identifiers.map(({ hash }) => hash);
  return [statement, [projectId, kinds, hashes, identifiers.map(({ group }) => group)]];
}

/** Lock key of an identifier, as in every change of an account with it. */
const lockOfHash = (hash: Buffer): bigint => hash.readBigInt64BE(0);

/** Locks each key once. A lock is shared only if all requests for it are shared. */
function lockCall(locks: readonly { key: bigint; isShared: boolean }[]): Call {
  const modes = new Map<bigint, boolean>();
  for (const { key, isShared } of locks) modes.set(key, isShared && (modes.get(key) ?? true));
  const keys = [...modes.keys()].sort((a, b) => (a < b ? -1 : 1));
  return [LOCK, [keys.map(String), keys.map((key) => modes.get(key)!)]];
}
