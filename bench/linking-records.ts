import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LINK_WEIGHTS_VERSION } from '@vouchgraph/linking';
import { csvFields } from '@vouchgraph/platform/csv';
import { printTable } from './support/report.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

const HELP = `Accuracy of linking on a file of records whose true persons are known.

  npm run bench:linking-records -- FILE.csv [options]

The records are imported by "vouchgraph import accounts" into a temporary database. Links and identity groups are read
back from a gateway. Pairs of records are counted; a pair is true when both records have the same cluster.

  links       pairs that REST returns as linked (score of at least 0.5)
  identities  pairs in one identity group

Recall is the share of all true pairs, including those that share nothing. Each option names a column of the file:

  --id COLUMN             id of the record (unique_id), required in the file
  --cluster COLUMN        true person (cluster), required in the file
  --first-name COLUMN     first name (first_name)
  --last-name COLUMN      last name (surname)
  --date-of-birth COLUMN  date of birth, YYYY-MM-DD (dob)
  --email COLUMN          email (email)
  --phone COLUMN          phone (phone)
  --help                  this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    id: { type: 'string', default: 'unique_id' },
    'first-name': { type: 'string', default: 'first_name' },
    'last-name': { type: 'string', default: 'surname' },
    'date-of-birth': { type: 'string', default: 'dob' },
    email: { type: 'string', default: 'email' },
    phone: { type: 'string', default: 'phone' },
    cluster: { type: 'string', default: 'cluster' },
    help: { type: 'boolean', default: false },
  },
});
const [file] = positionals;
if (values.help || file === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

/** Columns of the import by the options that name those of the file. */
const IMPORTED = [
  ['id', values.id],
  ['first_name', values['first-name']],
  ['last_name', values['last-name']],
  ['date_of_birth', values['date-of-birth']],
  ['email', values.email],
  ['phone', values.phone],
] as const;

type Records = { csv: string; clusterOf: Map<string, string> };

function readRecords(): Records {
  const [header = '', ...lines] = readFileSync(file!, 'utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/);
  const names = csvFields(header).map((name) => name.trim());
  const used = IMPORTED.filter(([, name]) => names.includes(name));
  for (const name of [values.id, values.cluster])
    if (!names.includes(name)) throw new Error(`no column ${JSON.stringify(name)} in ${file}`);
  const clusterOf = new Map<string, string>();
  const rows = lines.map((line) => {
    const fields = csvFields(line);
    const read = (name: string) => (fields[names.indexOf(name)] ?? '').trim();
    const id = read(values.id);
    if (clusterOf.has(id)) throw new Error(`${id} is twice in ${file}`);
    clusterOf.set(id, read(values.cluster) || `alone ${id}`);
    return used.map(([column, name]) =>
      quoted(column === 'date_of_birth' ? isoDate(read(name)) : read(name)),
    );
  });
  const csv = [used.map(([column]) => column), ...rows].map((fields) => `${fields.join(',')}\n`).join('');
  return { csv, clusterOf };
}

/** `19560409` as in some data sets; a text that is not a valid date is omitted. */
function isoDate(text: string): string {
  const date = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const time = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? '' : date;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

async function importRecords(bench: Workbench, csv: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-records-'));
  try {
    const table = path.join(folder, 'records.csv');
    await writeFile(table, csv);
    const main = new URL('../src/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, 'import', 'accounts', bench.project.projectId, table], {
      env: { ...process.env, ...bench.environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'close');
    if (code === 0) return;
    const problems = await readFile(`${table}.problems.ndjson`, 'utf8').catch(() => '');
    if (problems === '') throw new Error(`the import ended with ${code}`);
    // Lines that the service rejects count as records without any link.
    console.log(`rejected lines:\n${problems}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const WAITING = {
  name: 'bench.waiting_links',
  text: 'select (select count(*) from link_recalculations) + (select count(*) from identity_recalculations) as waiting',
};

/** Until the gateway has recalculated all links and identities. */
async function settled(bench: Workbench): Promise<void> {
  for (;;) {
    const [row] = await bench.system.query<{ waiting: string }>(WAITING, []);
    if (Number(row!.waiting) === 0) return;
    await delay(200);
  }
}

type Found = { links: Set<string>; groupOf: Map<string, string> };

const pairKey = (a: string, b: string) => (a < b ? `${a}\n${b}` : `${b}\n${a}`);

async function readBack(bench: Workbench, url: URL, ids: readonly string[]): Promise<Found> {
  const base = url.href.replace(/\/$/, '');
  const headers = { 'x-api-key': bench.key, 'content-type': 'application/json' };
  const found: Found = { links: new Set(), groupOf: new Map() };
  for (const id of ids) {
    const response = await fetch(`${base}/account/${encodeURIComponent(id)}/accounts-linked`, { headers });
    // A line that the import rejected is an account that does not exist.
    if (response.status === 400) continue;
    const linked = await answer(response);
    for (const other of linked.accounts_linked as { account_id: string }[])
      found.links.add(pairKey(id, other.account_id));
    const query = 'query ($id: ID!) { account(accountId: $id) { identityGroup { groupId } } }';
    const body = JSON.stringify({ query, variables: { id } });
    const { data, errors } = await answer(await fetch(`${base}/graphql`, { method: 'POST', headers, body }));
    if (errors) throw new Error(JSON.stringify(errors));
    const group = data.account.identityGroup?.groupId;
    if (group) found.groupOf.set(id, group);
  }
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
async function answer(response: Response): Promise<any> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

function* pairsOf(ids: readonly string[]): Generator<[string, string]> {
  for (const [index, a] of ids.entries()) for (const b of ids.slice(index + 1)) yield [a, b];
}

function figures(pairs: ReadonlySet<string>, clusterOf: ReadonlyMap<string, string>, all: number): string[] {
  const isTrue = (pair: string) => {
    const [a = '', b = ''] = pair.split('\n');
    return clusterOf.get(a) === clusterOf.get(b);
  };
  const right = [...pairs].filter(isTrue).length;
  const [precision, recall] = [right / pairs.size, right / all];
  const f1 = (2 * precision * recall) / (precision + recall);
  return [String(pairs.size), String(right), ...[precision, recall, f1].map((value) => value.toFixed(4))];
}

const { csv, clusterOf } = readRecords();
await withWorkbench(
  { size: 1000, rounds: 1, seconds: 1, quick: false, profileFolder: null },
  async (bench) => {
    await importRecords(bench, csv);
    const gateway = await bench.startGateway();
    await settled(bench);
    const ids = [...clusterOf.keys()];
    const { links, groupOf } = await readBack(bench, gateway.url, ids);
    const clusters = [...Map.groupBy(ids, (id) => clusterOf.get(id)!).values()];
    const all = clusters.reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
    const groups = [...Map.groupBy([...groupOf.keys()], (id) => groupOf.get(id)!).values()];
    const joined = new Set(groups.flatMap((group) => [...pairsOf(group)].map(([a, b]) => pairKey(a, b))));
    console.log(
      `${ids.length} records of ${clusters.length} clusters, ${all} true pairs, weights of links ${LINK_WEIGHTS_VERSION}`,
    );
    printTable(
      ['pairs', 'found', 'true', 'precision', 'recall', 'F1'],
      [
        ['links', ...figures(links, clusterOf, all)],
        ['identities', ...figures(joined, clusterOf, all)],
      ],
    );
  },
);
