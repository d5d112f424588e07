import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { NIL_UUID, newId } from '@vouchgraph/platform/ids';
import { recalculateStandings } from '../../src/domain/accounts/standing-service.ts';
import { type AccountToStore, insertAccounts } from './account-rows.ts';
import { type BulkTable, insertRows } from './bulk-insert.ts';
import { createPopulation, type Person, type Population } from './population.ts';
import type { SessionMaker } from './sessions.ts';
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
      members.map((n) => toStore(population.personOf(n), ids[n]!, seen[n]!)),
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

export function progress(text: string): void {
  process.stdout.write(
    process.stdout.isTTY || text.endsWith('\n')
      ? `\r${text.padEnd(60)}${text.endsWith('\n') ? '\n' : ''}`
      : '',
  );
}

type Seen = { first: Date; last: Date };

/** Two sessions on the account's own device and address. */
function toStore(
  { accountId, ip, device, ...fields }: Person,
  id: string,
  { first, last }: Seen,
): AccountToStore {
  const visits = [first, last].map((at) => ({ at, ip, device }));
  return { id, accountId, fields, expectedCountries: [], visits };
}

export async function insertLists(bench: Workbench): Promise<string[]> {
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

/** Each account on one of the lists. */
export function insertMemberships(bench: Workbench, listIds: readonly string[], members: readonly string[]) {
  const rows = members.map((account_id, index) => ({ list_id: listIds[index % LISTS], account_id }));
  return insertRows(bench, { name: 'list_members', columns: { list_id: 'uuid', account_id: 'uuid' } }, rows);
}

/** Scores and decisions follow from accounts, links and lists: the product computes them. */
export async function computeStandings(bench: Workbench, size: number): Promise<void> {
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

export const LINKS: BulkTable = {
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
