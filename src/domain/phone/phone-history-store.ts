import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import type { Statement } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';

/** How much of a number that many accounts share is read. */
const PHONE_HISTORY_LIMITS = {
  /** Accounts are counted up to this number. */
  accounts: 1000,
  /** The newest accounts, whose sessions, countries, lists and decisions are read. */
  examinedAccounts: 100,
  /** Lists of one account. */
  listsPerAccount: 100,
} as const;

/** What this project itself stored of a phone number before, in any spelling. */
export type PhoneHistory = {
  /** First account with the number, or change of one; null when it was never seen before. */
  readonly firstSeen: Date | null;
  readonly lastSeen: Date | null;
  /** Accounts with the number; stops at 1,000. The values below are those of the 100 newest of them. */
  readonly accounts: number;
  readonly sessions: number;
  /** Countries of their sessions, ISO 3166-1 alpha-2, in order, each once. */
  readonly countries: readonly string[];
  /** Lists that they are on, by name. */
  readonly lists: readonly { readonly name: string; readonly effect: 'block' | 'allow' | 'none' }[];
  /** Number of accounts whose latest decision is Fake. */
  readonly fakeAccounts: number;
};

const { phone: PHONE, placeholder_phone: PLACEHOLDER } = IDENTIFIER_KINDS;
const { accounts: MAX_ACCOUNTS, examinedAccounts: MAX_EXAMINED } = PHONE_HISTORY_LIMITS;

const holdersOf = (kind: number, hash: string) => `(
    select i.account_id, i.first_seen, i.last_seen from identifiers i
    where i.project_id = $1 and i.kind = ${kind} and i.value_hash = ${hash}
    order by i.account_group, i.account_id desc limit ${MAX_ACCOUNTS}
  )`;

/**
 * Histories of numbers: $2 their hashes as phones, $3 as placeholders; $4 time at which lists are read. Each part is a
 * look-up by index with a limit (`limit 1` keeps the planner from joining whole tables), so that the limits bound the cost
 * of a number.
 */
const FIND: Statement = {
  name: 'phone.find_histories',
  text: `with asked as materialized (
      select * from unnest($2::bytea[], $3::bytea[]) with ordinality as a (phone_hash, placeholder_hash, n)
    ), holders as materialized (
      select asked.n, h.*, row_number() over (partition by asked.n order by h.account_id desc) as place
      from asked cross join lateral (
        select account_id, min(first_seen) as first_seen, max(last_seen) as last_seen
        from (${holdersOf(PHONE, 'asked.phone_hash')} union all ${holdersOf(PLACEHOLDER, 'asked.placeholder_hash')}) found
        group by account_id
      ) h
    ), seen as materialized (
      select n, least(count(*), ${MAX_ACCOUNTS})::int as accounts, min(first_seen) as first_seen, max(last_seen) as last_seen
      from holders group by n
    ), examined as materialized (
      select h.n, a.id, a.num_sessions, a.countries, (
          select d.decision from decisions d
          where d.project_id = $1 and d.account_id = h.account_id order by d.decision_id desc limit 1
        ) as decision
      from holders h cross join lateral (
        select x.id, x.num_sessions, x.countries from accounts x
        where x.project_id = $1 and x.id = h.account_id limit 1
      ) a
      where h.place <= ${MAX_EXAMINED}
    ), counted as materialized (
      select n, least(sum(num_sessions), 2147483647)::int as sessions,
        (count(*) filter (where decision = 'Fake'))::int as fakes,
        string_agg(array_to_string(countries, ','), ',') as countries
      from examined group by n
    ), listed as materialized (
      select m.n, json_agg(json_build_object('name', m.name, 'effect', m.effect) order by m.name) as lists
      from (
        select distinct e.n, l.name, l.effect from examined e cross join lateral (
          select m.list_id from list_members m
          where m.project_id = $1 and m.account_id = e.id and (m.expires_at is null or m.expires_at > $4)
          limit ${PHONE_HISTORY_LIMITS.listsPerAccount}
        ) m cross join lateral (
          select x.name, x.effect from lists x where x.project_id = $1 and x.list_id = m.list_id limit 1
        ) l
      ) m
      group by m.n
    )
    select s.accounts, s.first_seen, s.last_seen, c.sessions, c.fakes, c.countries, l.lists
    from asked left join seen s on s.n = asked.n left join counted c on c.n = asked.n
      left join listed l on l.n = asked.n
    order by asked.n`,
};

/** Of a number of which nothing is known all columns are null. */
type HistoryRow = {
  accounts: number | null;
  first_seen: Date | null;
  last_seen: Date | null;
  sessions: number | null;
  fakes: number | null;
  countries: string | null;
  lists: PhoneHistory['lists'] | null;
};

/** Histories of numbers in the project by their match keys, in their order, in one statement. */
export async function findPhoneHistories(
  { database, cipher }: Project,
  matchKeys: readonly string[],
  at: Date,
): Promise<PhoneHistory[]> {
  const rows = await database.query<HistoryRow>(FIND, [
    database.projectId,
    matchKeys.map((key) => cipher.blindIndex('phone', key)),
    matchKeys.map((key) => cipher.blindIndex('placeholder_phone', key)),
    at,
  ]);
  return rows.map((row) => ({
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    accounts: row.accounts ?? 0,
    sessions: row.sessions ?? 0,
    countries: [...new Set((row.countries ?? '').split(',').filter((country) => country !== ''))].sort(),
    lists: row.lists ?? [],
    fakeAccounts: row.fakes ?? 0,
  }));
}
