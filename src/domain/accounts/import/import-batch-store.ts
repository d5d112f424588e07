import { LIMITS } from '../../../platform/limits.ts';
import type { Call, Statement } from '../../../storage/database.ts';
import { packedTime, unpackRows } from '../../../storage/packed-rows.ts';
import {
  type EventOfAccount,
  eventArrays,
  insertEvents,
  UNNESTED,
  unnestEvents,
} from '../../events/insert-events-store.ts';
import { IDENTIFIER_KINDS } from '../../identifiers/identifier-kinds.ts';
import { MATCH_KEY_VERSION } from '../../linking/account-identifiers.ts';
import { COMPARING_NUMBERS, personTimes } from '../../linking/known-person.ts';
import { MIN_NAMES_OF_SHARED_MAILBOX } from '../../linking/link-weights.ts';
import { mailboxNames } from '../../linking/mailbox-names-sql.ts';
import type { StoredLink } from '../../linking/plan-links.ts';
import type { AccountRow } from '../../model/account-row.ts';
import type { AccountChange } from '../account-write-store.ts';
import { byKind } from '../linking-read-store.ts';
import { BLOCK_KINDS, type GroupedIdentifier, type Holder } from './batch-matches.ts';

/*
 * The statements of a batch of imported accounts that are new: two round trips for all of them, as two for each account
 * elsewhere. Accounts of a batch share no identifier that links, other than blocks (batch-holders.ts), so that what one reads does
 * not depend on another.
 */

const K = IDENTIFIER_KINDS;
const BLOCKS = BLOCK_KINDS.map((kind) => K[kind]).join(', ');

const HOLDERS_BY_KIND = byKind((cap) => cap + 1, LIMITS.linksPerAccount);

/**
 * The locks of all accounts of a batch, or of all their identifiers, in the order of the keys. All accounts come before all
 * identifiers, as in every change, so that nobody waits in a circle. Identifiers over their sharing limit are locked
 * together with others.
 */
const LOCK: Statement = {
  name: 'import.lock',
  text: `select case when k.is_shared then pg_advisory_xact_lock_shared(k.key) else pg_advisory_xact_lock(k.key) end
    from unnest($1::bigint[], $2::boolean[]) as k (key, is_shared)`,
};

/**
 * Settings for this transaction, and the version of the rows that it writes (`CANDIDATES`). Its statements are planned once per connection, while the tables may be empty: they read
 * few rows by an index whatever the planner then knows of the tables.
 */
const SETTINGS: Statement = {
  name: 'import.settings',
  text: `select set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
    (pg_current_xact_id()::text::numeric % 4294967296)::text as version`,
};

/** Accounts that exist, or for which list memberships wait: they are changed one by one. */
const FIND_OTHERS: Statement = {
  name: 'import.find_others',
  text: `select account_id from accounts where project_id = $1 and account_id = any($2::text[])
    union all select account_id from pending_list_members where project_id = $1 and account_id = any($2::text[])`,
};

/** Holders of the identifier `w` in its group. */
const HOLDERS = `from identifiers i
  where i.project_id = $1 and i.kind = w.kind and i.value_hash = w.value_hash and i.account_group = w.account_group`;

/** Identifiers with their places in the arrays, from 1. */
const IDENTIFIERS =
  'unnest($2::smallint[], $3::bytea[], $4::text[]) with ordinality as w (kind, value_hash, account_group, place)';

/**
 * The holders of identifiers, up to one more than may link, and the version of each account that an account of the batch may
 * be compared with. They are counted outside: a window function costs more than the look-up of an identifier. Blocks have
 * most of the holders: a row for each block instead of one for each holder, joined by `||` rather than by `concat_ws`,
 * and versions by one array take a third off the time of the statement.
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
 * Holders by the keys of identifiers, from packed rows that begin with the place of the identifier, from 1: with all accounts of
 * a block, or one account of another identifier.
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

/** Those of the identifiers that were over their sharing limit and no longer are, by their places. */
const FIND_ENDED_CROWDS: Statement = {
  name: 'import.find_ended_crowds',
  text: `select w.place::int as place from ${IDENTIFIERS}
    where not exists (select 1 ${HOLDERS} offset ${HOLDERS_BY_KIND} - 1 limit 1)`,
};

/** The first names that others come with under emails, by the places of the emails. */
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
 * The encrypted fields of accounts to compare with. Every change of an account writes its row, so that its version says
 * whether what is known of it still holds.
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

/** Number of accounts with an address of each domain, up to the limit $3. */
const COUNT_FROM_DOMAINS: Statement = {
  name: 'import.count_from_domains',
  text: `select d.hash, c.accounts from unnest($2::bytea[]) as d (hash) cross join lateral (
      select count(*)::int as accounts from (
        select 1 from identifiers i where i.project_id = $1 and i.kind = ${K.email_domain} and i.value_hash = d.hash limit $3
      ) counted
    ) c`,
};

/** What a batch reads. Each identifier once. */
export type BatchScope = {
  readonly accountIds: readonly string[];
  readonly accountLocks: readonly bigint[];
  /** Those below their sharing limits, as far as is known. */
  readonly identifiers: readonly GroupedIdentifier[];
  /** Those that were over their limits: their locks are shared. */
  readonly crowds: readonly GroupedIdentifier[];
  readonly emails: readonly GroupedIdentifier[];
  readonly domains: readonly Buffer[];
};

/** Trip 1 of a batch: settings, two times locks, and the reads. */
export function batchReads(projectId: string, scope: BatchScope): Call[] {
  const { accountIds, accountLocks, identifiers, crowds, emails, domains } = scope;
  return [
    [SETTINGS, []],
    lockCall(accountLocks.map((key) => ({ key, isShared: false }))),
    lockCall([
      ...identifiers.map(({ hash }) => ({ key: lockOfHash(hash), isShared: false })),
      ...crowds.map(({ hash }) => ({ key: lockOfHash(hash), isShared: true })),
    ]),
    [FIND_OTHERS, [projectId, accountIds]],
    identifiersCall(READ_MATCHES, projectId, identifiers),
    identifiersCall(FIND_ENDED_CROWDS, projectId, crowds),
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

/** The lock of an identifier, as every change of an account that has it takes it. */
export const lockOfHash = (hash: Buffer): bigint => hash.readBigInt64BE(0);

/** Each lock once: shared when all that ask for it do. */
function lockCall(locks: readonly { key: bigint; isShared: boolean }[]): Call {
  const modes = new Map<bigint, boolean>();
  for (const { key, isShared } of locks) modes.set(key, isShared && (modes.get(key) ?? true));
  const keys = [...modes.keys()].sort((a, b) => (a < b ? -1 : 1));
  return [LOCK, [keys.map(String), keys.map((key) => modes.get(key)!)]];
}

/** As trip 2 of a change without a session (account-write-store.ts), for many accounts that were not stored. */
const WRITE: Statement = {
  name: 'import.write',
  text: `with account as (
      insert into accounts (project_id, id, account_id, account_group, personal, expected_countries, countries, aggregates,
        created_at, updated_at, match_key_version)
      select $1, a.id, a.account_id, a.account_group, a.personal, string_to_array(a.expected, ','), '{}', a.aggregates, $2, $2,
        ${MATCH_KEY_VERSION}
      from unnest($3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::jsonb[])
        as a (id, account_id, account_group, personal, expected, aggregates)
    ), standing as (
      insert into account_standing (project_id, account_id, account_group, account_score, decision, country, num_sessions,
        last_seen, created_at)
      select $1, s.id, s.account_group, s.score, s.decision, '', 0, null, $2
      from unnest($3::uuid[], $5::text[], $9::float8[], $10::text[]) as s (id, account_group, score, decision)
    ), flagged as (
      insert into standing_flags (project_id, account_id)
      select $1, f.account_id from unnest($11::uuid[]) as f (account_id)
      union all
      select $1, f.account_id from projects p cross join unnest($3::uuid[]) as f (account_id)
      where p.project_id = $1 and p.settings_version <> $12::int
    ), identifier as (
      insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
      select $1, i.account_id, i.kind, i.value_hash, i.account_group, $2, $2, 1
      from unnest($13::uuid[], $14::smallint[], $15::bytea[], $16::text[]) as i (account_id, kind, value_hash, account_group)
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select $1, l.account_id, l.linked_account_id, l.score, l.kinds, l.first_seen, l.last_seen, l.bridges
      from unnest($17::uuid[], $18::uuid[], $19::float8[], $20::int[], $21::timestamptz[], $22::timestamptz[], $23::boolean[])
        as l (account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
    ), identity as (
      insert into identity_marks (project_id, mark_id, account_id)
      select $1, gen_random_uuid(), m.account_id from unnest($24::uuid[]) as m (account_id)
    )
    ${insertEvents({ ...UNNESTED, createdAt: '$2', requestId: '$25::uuid' }, `from ${unnestEvents(26)}`)}`,
};

export type NewAccounts = {
  readonly requestId: string;
  readonly now: Date;
  readonly settingsVersion: number;
  readonly changes: readonly Pick<AccountChange, 'account' | 'standing' | 'identifiers' | 'links'>[];
  readonly events: readonly EventOfAccount[];
};

/** The statement that writes a batch of new accounts. */
export function writeAccountsCall(projectId: string, batch: NewAccounts): Call {
  const { requestId, now, settingsVersion, changes, events } = batch;
  const accounts = changes.map(({ account }) => account);
  const identifiers = changes.flatMap(({ account, identifiers: { written } }) =>
    written.map((one) => ({ ...one, account })),
  );
  const links = linkRows(changes);
  return [
    WRITE,
    [
      projectId,
      now,
      accounts.map(({ id }) => id),
      accounts.map(({ account_id }) => account_id),
      accounts.map(({ account_group }) => account_group),
      accounts.map(({ personal }) => personal),
      accounts.map(({ expected_countries }) => expected_countries.join(',')),
      accounts.map(({ aggregates }) => JSON.stringify(aggregates)),
      changes.map(({ standing }) => standing.score),
      changes.map(({ standing }) => standing.decision),
      changes.flatMap((change) => change.links.rescored),
      settingsVersion,
      identifiers.map(({ account }) => account.id),
      identifiers.map(({ kind }) => kind),
      identifiers.map(({ hash }) => hash),
      identifiers.map(({ account }) => account.account_group),
      links.map(({ from }) => from),
      links.map(({ to }) => to),
      links.map(({ link }) => link.score),
      links.map(({ link }) => link.kinds),
      links.map(({ link }) => link.firstSeen),
      links.map(({ link }) => link.lastSeen),
      links.map(({ link }) => link.bridges),
      changes.filter((change) => change.links.movesIdentity).map(({ account }) => account.id),
      requestId,
      ...eventArrays(events),
    ],
  ];
}

type LinkRow = { from: string; to: string; link: StoredLink };

/** Both directions of each link, in one order, so that two writers meet in the same order. */
function linkRows(
  changes: readonly { account: Pick<AccountRow, 'id'>; links: { changed: readonly StoredLink[] } }[],
) {
  const rows = changes.flatMap(({ account: { id }, links: { changed } }) =>
    changed.flatMap((link): LinkRow[] => [
      { from: id, to: link.accountId, link },
      { from: link.accountId, to: id, link },
    ]),
  );
  return rows.sort((a, b) => (a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1));
}
