import { NO_AGGREGATES } from '@vouchgraph/decisions/internals/account/aggregates';
import {
  contactIdentifiers,
  IDENTIFIER_KINDS,
  type IdentifierKind,
  isBlockingKind,
  type LinkingKind,
  MATCH_KEY_VERSION,
  packBlockingKeys,
  sessionIdentifiers,
} from '@vouchgraph/linking';
import { type PairLink, scorePair } from '@vouchgraph/linking/internals/pair-score';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import { newId } from '@vouchgraph/platform/ids';
import { BLOCKING_KEYS } from '../account-rows.ts';
import { type BulkTable, insertRows } from '../bulk-insert.ts';
import { insertSessions, type SessionMaker } from '../sessions.ts';
import type { Workbench } from '../workbench.ts';
import type { LinkNetwork, Shape } from './link-network.ts';
import { personOf } from './people.ts';

const DAY_MS = 86_400_000;
const ACCOUNTS_AT_ONCE = 2000;
const EDGES_AT_ONCE = 5000;

const KINDS_OF_SHAPE: Readonly<Record<Shape, readonly LinkingKind[]>> = {
  browser: ['browser'],
  household: ['device', 'network'],
};

/** The rows that the service would store for a link of each shape. */
export const LINK_OF_SHAPE = {
  browser: linkOf('browser'),
  household: linkOf('household'),
} satisfies Record<Shape, PairLink>;

function linkOf(shape: Shape): PairLink {
  const period = { firstSeen: new Date(0), lastSeen: new Date(0) };
  const shared = KINDS_OF_SHAPE[shape].map((kind) => ({ kind, accounts: 2, mine: period, theirs: period }));
  return scorePair(shared)!;
}

/** Fills the project: an account with its own identifiers and one session for each number, and the links. */
export async function loadGraph(
  bench: Workbench,
  network: LinkNetwork,
  makeSession: SessionMaker,
): Promise<void> {
  const startedAt = performance.now();
  const now = Date.now();
  // Known for up to a year, and all seen today, so that shared identifiers have their full weight.
  const seen = Array.from({ length: network.size }, (_, n) => ({
    first: new Date(now - (10 + (n % 300)) * DAY_MS),
    last: new Date(now - (n % 600) * 60_000),
  }));
  const ids = seen.map(({ first }) => newId(first.getTime()));
  await inBatches(network.size, ACCOUNTS_AT_ONCE, (numbers) =>
    insertAccounts(
      bench,
      numbers.map((n) => describeAccount(bench, makeSession, { n, id: ids[n]!, seen: seen[n]! })),
    ),
  );
  await inBatches(network.edges.length, EDGES_AT_ONCE, (numbers) =>
    insertEdges(bench, network, numbers, ids),
  );
  await bench.analyze();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${network.size} accounts, ${network.edges.length} links both ways, loaded in ${seconds} s`);
}

/** Two batches at a time: one is generated while another is written. */
async function inBatches(
  count: number,
  atOnce: number,
  insert: (numbers: readonly number[]) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const first = next;
      next = Math.min(count, next + atOnce);
      await insert(Array.from({ length: next - first }, (_, index) => first + index));
    }
  };
  await Promise.all([work(), work()]);
}

const ACCOUNTS: BulkTable = {
  name: 'accounts',
  columns: {
    id: 'uuid',
    account_id: 'text',
    personal: 'bytea',
    first_seen: 'timestamptz',
    last_seen: 'timestamptz',
    last_session: 'uuid',
    country: 'text',
    aggregates: 'json',
    created_at: 'timestamptz',
    blocking_keys: 'bytea',
  },
  computed: {
    expected_countries: `'{}'::text[]`,
    countries: 'array[given.country]',
    num_sessions: '1',
    updated_at: 'given.last_seen',
    // Otherwise the running gateway would rewrite the identifiers while they are loaded.
    match_key_version: String(MATCH_KEY_VERSION),
  },
};

const BINDINGS: BulkTable = {
  name: 'account_sessions',
  columns: {
    account_id: 'uuid',
    session_id: 'uuid',
    session_start: 'timestamptz',
    request_id: 'uuid',
    country: 'text',
  },
  computed: { scores: 'array_fill(0::float8, array[12])', account_score: '0', decision: `'Real'` },
};

const IDENTIFIERS: BulkTable = {
  name: 'identifiers',
  columns: {
    account_id: 'uuid',
    kind: 'smallint',
    value_hash: 'bytea',
    first_seen: 'timestamptz',
    last_seen: 'timestamptz',
  },
};

type Described = ReturnType<typeof describeAccount>;

function describeAccount(
  { project: { cipher } }: Workbench,
  makeSession: SessionMaker,
  { n, id, seen }: { n: number; id: string; seen: { first: Date; last: Date } },
) {
  const person = personOf(n);
  const { email, phone, firstName, lastName, username } = person;
  const fields = { email, phone, firstName, lastName, username };
  const session = makeSession(person, seen.last, false);
  const { session_id, request_id } = session.row;
  const country = session.result.trueCountryCode;
  const contact = contactIdentifiers(fields, [], (kind, value) => cipher.blindIndex(kind, value));
  return {
    session,
    account: {
      id,
      account_id: person.accountId,
      personal: cipher.encryptJson('accounts', id, { ...NO_PERSONAL_FIELDS, ...fields }),
      first_seen: seen.first,
      last_seen: seen.last,
      last_session: session_id,
      country,
      aggregates: JSON.stringify(NO_AGGREGATES),
      created_at: seen.first,
      blocking_keys: packBlockingKeys(contact),
    },
    binding: { account_id: id, session_id, session_start: seen.last, request_id, country },
    identifiers: [...contact, ...sessionIdentifiers(session.row)].map(({ kind, hash }) => ({
      account_id: id,
      kind,
      value_hash: hash,
      first_seen: seen.first,
      last_seen: seen.last,
    })),
  };
}

async function insertAccounts(bench: Workbench, described: readonly Described[]): Promise<void> {
  await insertRows(
    bench,
    ACCOUNTS,
    described.map(({ account }) => account),
  );
  await insertSessions(
    bench,
    described.map(({ session }) => session),
  );
  await insertRows(
    bench,
    BINDINGS,
    described.map(({ binding }) => binding),
  );
  const rows = described.flatMap(({ identifiers }) => identifiers);
  await insertRows(
    bench,
    IDENTIFIERS,
    rows.filter(({ kind }) => !isBlockingKind(kind)),
  );
  await insertRows(
    bench,
    BLOCKING_KEYS,
    rows.filter(({ kind }) => isBlockingKind(kind)),
  );
}

/** Links in both directions and, for both accounts, the identifiers of each link, which no other account has. */
const INSERT_EDGES = {
  name: 'bench.insert_edges',
  text: `with edge as materialized (
      select e.*, a.first_seen as a_first_seen, a.last_seen as a_last_seen, b.first_seen as b_first_seen,
        b.last_seen as b_last_seen
      from unnest($2::int[], $3::uuid[], $4::uuid[], $5::float8[], $6::int[], $7::boolean[])
        as e (number, a, b, score, kinds, bridges)
      join accounts a on a.project_id = $1 and a.id = e.a
      join accounts b on b.project_id = $1 and b.id = e.b
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select $1, way.a, way.b, e.score, e.kinds, greatest(e.a_first_seen, e.b_first_seen),
        greatest(e.a_last_seen, e.b_last_seen), e.bridges
      from edge e cross join lateral (values (e.a, e.b), (e.b, e.a)) as way (a, b)
    )
    insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
    select $1, h.account_id, k.kind, decode(md5(k.kind || ' of ' || e.number), 'hex'), h.first_seen, h.last_seen
    from edge e
    join unnest($8::int[]) as k (kind) on (e.kinds & (1 << k.kind)) <> 0
    cross join lateral (
      values (e.a, e.a_first_seen, e.a_last_seen), (e.b, e.b_first_seen, e.b_last_seen)
    ) as h (account_id, first_seen, last_seen)`,
};

async function insertEdges(
  { system, project }: Workbench,
  network: LinkNetwork,
  numbers: readonly number[],
  ids: readonly string[],
): Promise<void> {
  const edges = numbers.map((number) => network.edges[number]!);
  const links = edges.map(({ shape }) => LINK_OF_SHAPE[shape]);
  const kinds: IdentifierKind[] = Object.values(KINDS_OF_SHAPE).flat();
  await system.query(INSERT_EDGES, [
    project.projectId,
    numbers,
    edges.map(({ a }) => ids[a]),
    edges.map(({ b }) => ids[b]),
    links.map(({ score }) => score),
    links.map((link) => link.kinds),
    links.map(({ bridges }) => bridges),
    kinds.map((kind) => IDENTIFIER_KINDS[kind]),
  ]);
}
