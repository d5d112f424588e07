import { addSession, NO_AGGREGATES, scoreVector } from '@vouchgraph/decisions/internals/account/aggregates';
import {
  contactIdentifiers,
  IDENTIFIER_KINDS,
  MATCH_KEY_VERSION,
  sessionIdentifiers,
} from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS, type PersonalFields } from '@vouchgraph/persons';
import { NIL_UUID, newId } from '@vouchgraph/platform/ids';
import { recalculateStandings } from '../../src/domain/accounts/standing-service.ts';
import { type BulkTable, insertRows } from './bulk-insert.ts';
import { createPopulation, type Person, type Population } from './population.ts';
import { insertSessions, type MadeSession, type SessionMaker } from './sessions.ts';
import type { Workbench } from './workbench.ts';

export type DataSet = { population: Population; ids: readonly string[] };

const DAY_MS = 86_400_000;
const CHUNK = 2000;
const LISTS = 20;

/** Fills the project with `size` accounts, two sessions each, with their identifiers, links and lists. */
export async function loadDataSet(
  bench: Workbench,
  size: number,
  makeSession: SessionMaker,
): Promise<DataSet> {
  const startedAt = performance.now();
  const population = createPopulation(size);
  // Known for up to a year, and all seen today, so that shared identifiers have their full weight.
  const now = Date.now();
  const seen = Array.from({ length: size }, (_, n) => ({
    first: new Date(now - (10 + (n % 300)) * DAY_MS),
    last: new Date(now - (n % 600) * 60_000),
  }));
  const ids = seen.map(({ first }) => newId(first.getTime()));
  const listIds = await insertLists(bench);
  for (let start = 0; start < size; start += CHUNK) {
    const members = Array.from({ length: Math.min(CHUNK, size - start) }, (_, index) => start + index);
    await insertAccounts(
      bench,
      members.map((n) => describe(population.personOf(n), ids[n]!, seen[n]!)),
      makeSession,
    );
    await insertMemberships(
      bench,
      listIds,
      members.filter((n) => n % 10 < 7).map((n) => ids[n]!),
    );
    progress(`accounts ${start + members.length} of ${size}`);
  }
  await insertLinks(bench, population, ids, seen);
  await computeStandings(bench, size);
  await bench.analyze();
  const seconds = (performance.now() - startedAt) / 1000;
  progress(`${size} accounts, ${2 * size} sessions loaded in ${seconds.toFixed(1)} s\n`);
  return { population, ids };
}

function progress(text: string): void {
  process.stdout.write(
    process.stdout.isTTY || text.endsWith('\n')
      ? `\r${text.padEnd(60)}${text.endsWith('\n') ? '\n' : ''}`
      : '',
  );
}

type Seen = { first: Date; last: Date };
type Described = { person: Person; id: string; seen: Seen };
const describe = (person: Person, id: string, seen: Seen): Described => ({ person, id, seen });

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
    num_sessions: 'int',
    unique_devices_1d: 'int',
    unique_devices_7d: 'int',
    unique_networks_1d: 'int',
    unique_networks_7d: 'int',
    aggregates: 'jsonb',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  computed: {
    expected_countries: `'{}'::text[]`,
    countries: 'array[given.country]',
    // Otherwise the gateway would rewrite the identifiers of all accounts during the measurement.
    match_key_version: String(MATCH_KEY_VERSION),
  },
};

const BINDINGS: BulkTable = {
  name: 'account_sessions',
  columns: {
    account_id: 'uuid',
    session_id: 'uuid',
    session_start: 'timestamptz',
    bound_at: 'timestamptz',
    request_id: 'uuid',
    country: 'text',
    account_score: 'float8',
    decision: 'text',
  },
  computed: { scores: 'array_fill(0::float8, array[12])' },
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

async function insertAccounts(
  bench: Workbench,
  accounts: readonly Described[],
  makeSession: SessionMaker,
): Promise<void> {
  const withSessions = accounts.map((account) => {
    const { first, last } = account.seen;
    const sessions = [first, last].map((start) => makeSession(account.person, start, false));
    return { account, sessions };
  });
  await insertRows(
    bench,
    ACCOUNTS,
    withSessions.map(({ account, sessions }) => accountRow(bench, account, sessions)),
  );
  await insertSessions(
    bench,
    withSessions.flatMap(({ sessions }) => sessions),
  );
  await insertRows(
    bench,
    BINDINGS,
    withSessions.flatMap(({ account, sessions }) => bindingRows(account, sessions)),
  );
  await insertRows(
    bench,
    IDENTIFIERS,
    withSessions.flatMap(({ account, sessions }) => identifierRows(bench, account, sessions)),
  );
}

function accountRow({ project }: Workbench, { person, id, seen }: Described, sessions: MadeSession[]) {
  const { email, phone, firstName, lastName, username } = person;
  const personal: PersonalFields = {
    ...NO_PERSONAL_FIELDS,
    ...{ email, phone, firstName, lastName, username },
  };
  const last = sessions[sessions.length - 1]!;
  const aggregates = sessions.reduce(
    (sum, { row, result }) =>
      addSession(
        sum,
        row.start_time,
        scoreVector(result.riskSignalScores, result.botScore, result.riskScore),
        null,
      ),
    NO_AGGREGATES,
  );
  return {
    id,
    account_id: person.accountId,
    personal: project.cipher.encryptJson('accounts', id, personal),
    first_seen: seen.first,
    last_seen: last.row.start_time,
    last_session: last.row.session_id,
    country: last.result.trueCountryCode,
    num_sessions: sessions.length,
    unique_devices_1d: 1,
    unique_devices_7d: 1,
    unique_networks_1d: 1,
    unique_networks_7d: 1,
    aggregates: JSON.stringify(aggregates),
    created_at: seen.first,
    updated_at: last.row.start_time,
  };
}

function bindingRows({ id }: Described, sessions: readonly MadeSession[]) {
  return sessions.map(({ row, result }) => ({
    account_id: id,
    session_id: row.session_id,
    session_start: row.start_time,
    bound_at: row.start_time,
    request_id: row.request_id,
    country: result.trueCountryCode,
    account_score: 0,
    decision: 'Real',
  }));
}

function identifierRows({ project }: Workbench, account: Described, sessions: readonly MadeSession[]) {
  const { person, id, seen } = account;
  const last = sessions[sessions.length - 1]!.row;
  const contact = contactIdentifiers(person, [], (kind, value) => project.cipher.blindIndex(kind, value));
  return [...contact, ...sessionIdentifiers(last)].map(({ kind, hash }) => ({
    account_id: id,
    kind,
    value_hash: hash,
    first_seen: seen.first,
    last_seen: last.start_time,
  }));
}

async function insertLists(bench: Workbench): Promise<string[]> {
  const lists = Array.from({ length: LISTS }, (_, index) => ({
    list_id: newId(),
    name: `list ${index}`,
    description: `List number ${index}`,
  }));
  await insertRows(
    bench,
    { name: 'lists', columns: { list_id: 'uuid', name: 'text', description: 'text' } },
    lists,
  );
  return lists.map(({ list_id }) => list_id);
}

/** Seven of ten accounts are on one list. */
function insertMemberships(bench: Workbench, listIds: readonly string[], members: readonly string[]) {
  const rows = members.map((account_id, index) => ({ list_id: listIds[index % LISTS], account_id }));
  return insertRows(bench, { name: 'list_members', columns: { list_id: 'uuid', account_id: 'uuid' } }, rows);
}

/** Scores and decisions follow from accounts, links and lists: the product computes them. */
async function computeStandings(bench: Workbench, size: number): Promise<void> {
  await bench.analyze();
  progress(`standings of ${size} accounts`);
  await bench.system.query(
    {
      name: 'bench.request_standings',
      text: `insert into standing_recalculations (project_id, position) values ($1, $2)
        on conflict (project_id) do update set position = $2, generation = standing_recalculations.generation + 1`,
    },
    [bench.project.projectId, NIL_UUID],
  );
  await recalculateStandings(bench.project);
}

const LINKS: BulkTable = {
  name: 'links',
  columns: {
    account_id: 'uuid',
    linked_account_id: 'uuid',
    score: 'float8',
    kinds: 'int',
    first_seen: 'timestamptz',
    last_seen: 'timestamptz',
  },
};

async function insertLinks(
  bench: Workbench,
  population: Population,
  ids: readonly string[],
  seen: readonly Seen[],
): Promise<void> {
  const linkRow = (from: number, to: number, score: number) => {
    const [a, b] = [seen[from]!, seen[to]!];
    return {
      account_id: ids[from],
      linked_account_id: ids[to],
      score,
      kinds: 1 << IDENTIFIER_KINDS.username,
      first_seen: a.first > b.first ? a.first : b.first,
      last_seen: a.last > b.last ? a.last : b.last,
    };
  };
  let rows: ReturnType<typeof linkRow>[] = [];
  for (const [first, members] of population.rings) {
    for (let a = first; a < first + members; a += 1) {
      for (let b = first; b < first + members; b += 1) if (a !== b) rows.push(linkRow(a, b, 1));
    }
    if (rows.length < 20_000) continue;
    await insertRows(bench, LINKS, rows);
    rows = [];
    progress(`links of ${first + members} of ${population.size} accounts`);
  }
  for (let partner = population.firstHubPartner; partner < population.size; partner += 1) {
    const score = 0.5 + (partner % 500) / 1000;
    rows.push(linkRow(0, partner, score), linkRow(partner, 0, score));
  }
  await insertRows(bench, LINKS, rows);
}
