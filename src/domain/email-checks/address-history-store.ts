import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AddressHistory, mailboxKind, type ParsedEmail } from '@vouchgraph/email';
import { addressHashOf } from '@vouchgraph/email/checks';
import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { isPlaceholderFullName, isPlaceholderPhone, readPhone } from '@vouchgraph/persons';
import { LIMITS } from '@vouchgraph/platform/limits';
import { LRUCache } from 'lru-cache';
import type { Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { Project } from '../projects/project.ts';

/** Limits of the reads for an address that many accounts share. */
const ADDRESS_HISTORY_LIMITS = {
  /** Addresses of one call. */
  addresses: 1000,
  /** Accounts are counted up to this number. */
  accounts: 1000,
  /** The newest accounts, whose sessions, countries, lists and decisions are read. */
  examinedAccounts: 100,
  /** The newest accounts, whose names and phones are decrypted. */
  decryptedAccounts: 10,
  /** Lists of one account. */
  listsPerAccount: 100,
} as const;

const { email_domain: EMAIL_DOMAIN } = IDENTIFIER_KINDS;

/** Accounts with an address. */
const holdersOf = (columns: string, order: string, limit: number) => `(
    select ${columns} from identifiers i
    where i.project_id = $1 and i.kind = asked.kind and i.value_hash = asked.hash
    order by ${order} limit ${limit}
  )`;

/** In the order of the index, and against it. */
const NEWEST = 'i.account_group, i.account_id desc';
const OLDEST = 'i.account_group desc, i.account_id';

const { accounts: MAX_ACCOUNTS, examinedAccounts: MAX_EXAMINED } = ADDRESS_HISTORY_LIMITS;

const oneCheck = (direction: 'asc' | 'desc') => `(
    select c.created_at from email_checks c
    where c.project_id = $1 and c.address_hash = asked.check_hash and c.check_id not in (select unnest(:excludedChecks::uuid[]))
    order by c.created_at ${direction} limit 1
  )`;

/**
 * Histories of addresses, by kinds and hashes of their identifiers and by hashes of their checks; null where an address has no
 * history. `domainPlaces`: position of its domain in `domainHashes`, from 1; null where it is not counted. Lists are read at the
 * time `at`. Each part is a look-up by index with a limit (`limit 1` keeps the planner from joining whole tables), so that
 * the limits bound the cost of an address.
 */
const FIND = namedStatement(
  'email_check.find_histories',
  `with asked as materialized (
      select * from unnest(:kinds::smallint[], :hashes::bytea[], :checkHashes::bytea[], :domainPlaces::int[])
        with ordinality as a (kind, hash, check_hash, domain, n)
    ), holders as materialized (
      select asked.n, h.*, row_number() over (partition by asked.n order by h.account_id desc) as place
      from asked
      cross join lateral ${holdersOf('i.account_id, i.first_seen, i.last_seen, i.uses', NEWEST, MAX_EXAMINED + 1)} h
    ), known as materialized (
      select h.n, h.place, h.first_seen, h.last_seen, h.uses, a.id, a.num_sessions, a.countries, a.personal,
        a.expected_countries, (
          select d.decision from decisions d
          where d.project_id = :projectId and d.account_id = h.account_id order by d.decision_id desc limit 1
        ) as decision
      from holders h cross join lateral (
        select x.id, x.num_sessions, x.countries,
          case when h.place <= ${ADDRESS_HISTORY_LIMITS.decryptedAccounts} then x.personal end as personal,
          array_to_string(x.expected_countries, ',') as expected_countries
        from accounts x where x.project_id = :projectId and x.id = h.account_id limit 1
      ) a
      where h.place <= ${MAX_EXAMINED}
    ), counted as materialized (
      select n, count(*)::int as accounts, min(first_seen) as first_seen, max(last_seen) as last_seen,
        least(sum(uses), 2147483647)::int as sightings, least(sum(num_sessions), 2147483647)::int as sessions,
        string_agg(array_to_string(countries, ','), ',') as countries,
        (count(*) filter (where decision = 'Fake'))::int as fakes,
        array_agg(id order by place) filter (where personal is not null) as ids,
        array_agg(personal order by place) filter (where personal is not null) as personal,
        array_agg(expected_countries order by place) filter (where personal is not null) as expected_countries
      from known group by n
    ), listed as materialized (
      select m.n, json_agg(json_build_object('name', m.name, 'effect', m.effect) order by m.name) as lists
      from (
        select distinct k.n, l.name, l.effect from known k cross join lateral (
          select m.list_id from list_members m
          where m.project_id = :projectId and m.account_id = k.id and (m.expires_at is null or m.expires_at > :at)
          limit ${ADDRESS_HISTORY_LIMITS.listsPerAccount}
        ) m cross join lateral (
          select x.name, x.effect from lists x where x.project_id = :projectId and x.list_id = m.list_id limit 1
        ) l
      ) m
      group by m.n
    ), domains as materialized (
      select d.place, (
        select count(*)::int from (
          select 1 from identifiers i
          where i.project_id = :projectId and i.kind = ${EMAIL_DOMAIN} and i.value_hash = d.hash
          limit ${LIMITS.accountsFromDomain}
        ) one
      ) as accounts
      from unnest(:domainHashes::bytea[]) with ordinality as d (hash, place)
    )
    select c.*, l.lists, d.accounts as from_domain, ${oneCheck('asc')} as first_check, ${oneCheck('desc')} as last_check,
      case when c.accounts >= ${MAX_EXAMINED} then (
        select count(*)::int from ${holdersOf('1', NEWEST, MAX_ACCOUNTS)} one
      ) end as all_accounts,
      case when c.accounts >= ${MAX_EXAMINED} then ${holdersOf('i.first_seen', OLDEST, 1)} end as oldest
    from asked left join counted c on c.n = asked.n left join listed l on l.n = asked.n
      left join domains d on d.place = asked.domain
    order by asked.n`,
  ['excludedChecks'],
);

/**
 * A plan is cached by its connection, and can be made while a table is empty that an import then fills within the minute:
 * it must use the indexes from the start.
 */
const USE_INDEXES: Statement = {
  name: 'email_check.use_indexes',
  text: `select set_config('enable_seqscan', 'off', true)`,
};

/** All columns are null for an unknown address. */
type HistoryRow = {
  accounts: number | null;
  first_seen: Date | null;
  last_seen: Date | null;
  sightings: number | null;
  sessions: number | null;
  countries: string | null;
  fakes: number | null;
  ids: string[] | null;
  personal: Buffer[] | null;
  expected_countries: string[] | null;
  lists: AddressHistory['lists'] | null;
  from_domain: number | null;
  first_check: Date | null;
  last_check: Date | null;
  all_accounts: number | null;
  oldest: Date | null;
};

/** Domains over the limit, cached for a while: counting one again costs more than the rest of a look-up. */
const largeDomains = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

/** Number of addresses hashed, and of rows decrypted, per iteration of the event loop. */
const SLICE = 100;

/**
 * Histories of at most 1,000 addresses in the project, in their order; equal addresses share an object. Checks in
 * `before.checkIds` do not count: they are the ones that read the history.
 */
export async function findAddressHistories(
  project: Project,
  addresses: readonly ParsedEmail[],
  at: Date,
  before: { readonly checkIds: readonly string[] } = { checkIds: [] },
): Promise<AddressHistory[]> {
  if (addresses.length === 0) return [];
  const distinct = [...new Map(addresses.map((address) => [address.canonical, address])).values()];
  const asked = await hashesOf(project, distinct);
  const [, rows = []] = await project.database.transaction((transaction) =>
    transaction.commit(
      [USE_INDEXES, []],
      FIND.call({
        projectId: project.projectId,
        kinds: asked.kinds,
        hashes: asked.hashes,
        checkHashes: asked.checks,
        domainPlaces: asked.domains.map(({ place }) => place),
        domainHashes: asked.domainHashes,
        at,
        excludedChecks: before.checkIds,
      }),
    ),
  );
  const histories = new Map<string, AddressHistory>();
  for (const [index, row] of (rows as HistoryRow[]).entries()) {
    if (index > 0 && index % SLICE === 0) await nextTurn();
    const { key } = asked.domains[index]!;
    if (row.from_domain === LIMITS.accountsFromDomain) largeDomains.set(key, true);
    histories.set(distinct[index]!.canonical, toHistory(project, row, largeDomains.has(key)));
  }
  return addresses.map(({ canonical }) => histories.get(canonical)!);
}

async function hashesOf({ projectId, cipher }: Project, addresses: readonly ParsedEmail[]) {
  const kinds: number[] = [];
  const hashes: (Buffer | null)[] = [];
  const checks: (Buffer | null)[] = [];
  const domains: { key: string; place: number | null }[] = [];
  const places = new Map<string, number>();
  const domainHashes: Buffer[] = [];
  for (const [index, address] of addresses.entries()) {
    if (index > 0 && index % SLICE === 0) await nextTurn();
    const { canonical, registrableDomain } = address;
    const kind = mailboxKind(address);
    const isPlaceholder = kind === 'placeholder_email';
    kinds.push(IDENTIFIER_KINDS[kind]);
    hashes.push(isPlaceholder ? null : cipher.blindIndex(kind, canonical));
    checks.push(isPlaceholder ? null : addressHashOf(cipher, address));
    const key = `${projectId} ${registrableDomain}`;
    if (registrableDomain !== '' && !places.has(key) && !largeDomains.has(key))
      places.set(key, domainHashes.push(cipher.blindIndex('email_domain', registrableDomain)));
    domains.push({ key, place: places.get(key) ?? null });
  }
  return { kinds, hashes, checks, domains, domainHashes };
}

function toHistory(project: Project, row: HistoryRow, isCrowdedDomain: boolean): AddressHistory {
  return {
    firstSeen: earliest(row.first_seen, row.oldest, row.first_check),
    lastSeen: latest(row.last_seen, row.last_check),
    sightings: row.sightings ?? 0,
    accounts: row.all_accounts ?? row.accounts ?? 0,
    sessions: row.sessions ?? 0,
    countries: [...new Set(countriesIn(row.countries ?? ''))].sort(),
    lists: row.lists ?? [],
    fakeAccounts: row.fakes ?? 0,
    ...contactsOf(project, row),
    accountsFromDomain: isCrowdedDomain ? LIMITS.accountsFromDomain : (row.from_domain ?? 0),
  };
}

type Contact = { readonly firstName: string; readonly lastName: string; readonly phone: string };

/** Distinct names and phones of the newest accounts, without placeholders. */
function contactsOf({ cipher }: Project, row: HistoryRow): Pick<AddressHistory, 'names' | 'phones'> {
  const names = new Map<string, AddressHistory['names'][number]>();
  const phones = new Set<string>();
  for (const [index, personal] of row.personal?.entries() ?? []) {
    const { firstName, lastName, phone } = cipher.decryptJson<Contact>(
      'accounts',
      row.ids![index]!,
      personal,
    );
    if (!isPlaceholderFullName(firstName, lastName))
      names.set(JSON.stringify([firstName, lastName]), { firstName, lastName });
    const { valid, e164, matchKey } = readPhone(phone, countriesIn(row.expected_countries![index]!));
    const number = valid ? e164 : matchKey;
    if (number !== '' && (valid || !isPlaceholderPhone(number.replace('+', '')))) phones.add(number);
  }
  return { names: [...names.values()], phones: [...phones] };
}

function countriesIn(text: string): string[] {
  return text.split(',').filter((country) => country !== '');
}

function earliest(...dates: readonly (Date | null)[]): Date | null {
  return dates.reduce(
    (first, date) => (date !== null && (first === null || date < first) ? date : first),
    null,
  );
}

function latest(...dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((last, date) => (date !== null && (last === null || date > last) ? date : last), null);
}
