import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { componentsOf } from '@vouchgraph/linking';
import { type AccountPair, linkAll } from '@vouchgraph/linking/internals/link-all';
import pg from 'pg';
import { importLine } from './support/linking/import-line.ts';
import { makeAccounts } from './support/linking/population.ts';
import { toSubject } from './support/linking/subject.ts';
import { RESULTS } from './support/options.ts';
import { familyTime, processTime, residentMegabytes } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { COUNTS_STATEMENTS, printStatementCosts, takeStatementCosts } from './support/statement-costs.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * `vouchgraph import accounts` of a file of accounts into an empty project, then `links rebuild` of them, each a process of
 * its own. The accounts are those of the written model of people (support/linking): some people have several accounts,
 * rings share phones and mailboxes, frequent names are frequent. Links and identity groups are compared with a
 * recomputation in memory; a difference fails the run, a time never does. --statements prints the statements by their
 * time, --profile writes CPU profiles of the commands.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: 'string' },
    quick: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    'skip-rebuild': { type: 'boolean', default: false },
  },
});
const ACCOUNTS = Number(values.accounts ?? (values.quick ? 5000 : 100_000));
if (!(ACCOUNTS >= 1000)) throw new Error('--accounts must be at least 1000');
const SEED = 20;
const MAX_SECONDS = 90;
const SHOWN_PAIRS = 5;

const SETTINGS = values.statements ? COUNTS_STATEMENTS : undefined;

type Run = {
  seconds: number;
  nodeSeconds: number;
  postgresSeconds: number;
  megabytes: number;
  output: string;
};

const accounts = makeAccounts(ACCOUNTS, SEED)
  .slice(0, ACCOUNTS)
  .sort((a, b) => a.registeredAt.getTime() - b.registeredAt.getTime());

/** Runs a command to its end; its processor time and that of PostgreSQL meanwhile. */
async function run(bench: Workbench, ...args: string[]): Promise<Run> {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  if (values.profile) mkdirSync(RESULTS, { recursive: true });
  const options = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${RESULTS.pathname}`] : [];
  const postgresBefore = familyTime(bench.postgresPid);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...options, main, ...args], {
    env: { ...process.env, ...bench.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let megabytes = 0;
  let nodeSeconds = 0;
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, residentMegabytes(child.pid!) || 0);
    nodeSeconds = Math.max(nodeSeconds, processTime(child.pid!) / 1e6 || 0);
  }, 50);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    nodeSeconds,
    postgresSeconds: (familyTime(bench.postgresPid) - postgresBefore) / 1e6,
    megabytes,
    output,
  };
}

const STORED = {
  name: 'bench.stored',
  text: `select (select count(*)::int from accounts) as accounts, (select count(*)::int from account_standing) as standings,
    (select count(*)::int from identifiers) as identifiers, (select count(*)::int from links) as links,
    (select coalesce(sum(score), 0) from links where account_id < linked_account_id) as scores,
    (select count(*)::int from links l where exists (
      select 1 from links r where r.project_id = l.project_id and r.account_id = l.linked_account_id
        and r.linked_account_id = l.account_id and r.score = l.score and r.bridges = l.bridges)) as mirrored,
    (select count(*)::int from links where bridges and account_id < linked_account_id) as bridges,
    (select count(*)::int from identity_groups) as groups, (select count(*)::int from identity_members) as members,
    (select coalesce(sum(size), 0)::int from identity_groups) as sizes,
    (select count(distinct event_id)::int from outbox_events where type = 'account.updated') as updates,
    (select count(*)::int from outbox_events) as events,
    (select count(*)::int from link_recalculations) + (select count(*)::int from identity_recalculations) as waiting`,
};

type Stored = Record<
  | 'accounts'
  | 'standings'
  | 'identifiers'
  | 'links'
  | 'scores'
  | 'mirrored'
  | 'bridges'
  | 'groups'
  | 'members'
  | 'sizes'
  | 'updates'
  | 'events'
  | 'waiting',
  number
>;

const STORED_LINKS = {
  name: 'bench.stored_links',
  text: `select a.account_id as a, b.account_id as b, l.score from links l
    join accounts a on a.project_id = l.project_id and a.id = l.account_id
    join accounts b on b.project_id = l.project_id and b.id = l.linked_account_id where a.account_id < b.account_id`,
};

/** Examples of pairs with a missing or additional link, or another score. */
async function wrongPairs({ system }: Workbench, expected: readonly AccountPair[]): Promise<string[]> {
  const rows = await system.query<{ a: string; b: string; score: number }>(STORED_LINKS, []);
  const stored = new Map(rows.map(({ a, b, score }) => [`${a} ${b}`, score]));
  const wanted = new Map(expected.map(({ a, b, score }) => [`${a} ${b}`, score]));
  return [...new Set([...stored.keys(), ...wanted.keys()])]
    .filter((pair) => stored.get(pair) !== wanted.get(pair))
    .slice(0, SHOWN_PAIRS)
    .map((pair) => `${pair}: ${stored.get(pair)} instead of ${wanted.get(pair)}`);
}

const expectedLinks = () =>
  linkAll(accounts.map((account) => toSubject({ ...account, sessions: [] }).linkable));

/** Expected rows, computed from scratch. */
function expectedOf(links: readonly AccountPair[]): Partial<Stored> {
  const bridges = links.filter((link) => link.bridges);
  const components = componentsOf(bridges);
  const members = components.reduce((sum, ids) => sum + ids.length, 0);
  return {
    accounts: ACCOUNTS,
    standings: ACCOUNTS,
    links: links.length * 2,
    mirrored: links.length * 2,
    scores: links.reduce((sum, { score }) => sum + score, 0),
    bridges: bridges.length,
    groups: components.length,
    members,
    sizes: members,
    updates: ACCOUNTS,
    waiting: 0,
  };
}

function mistakesOf(expected: Partial<Stored>, stored: Stored): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const found = Number(stored[name as keyof Stored]);
    return Math.abs(found - value) < 1e-6 * Math.max(1, value)
      ? []
      : [`${name}: ${found} instead of ${value}`];
  });
}

async function measure(bench: Workbench, folder: string): Promise<void> {
  const file = path.join(folder, 'accounts.ndjson');
  writeFileSync(file, `${accounts.map(importLine).join('\n')}\n`);
  const owner = new pg.Client({ connectionString: bench.superuserUrl });
  await owner.connect();
  if (values.statements) await owner.query('create extension pg_stat_statements');
  const { projectId } = bench.project;
  const runs: [name: string, Run][] = [];
  const mistakes: string[] = [];
  const links = expectedLinks();
  const expected = expectedOf(links);
  const step = async (name: string, ...args: string[]): Promise<Stored> => {
    const measured = await run(bench, ...args);
    runs.push([name, measured]);
    console.log(
      `${name}: ${measured.seconds.toFixed(1)} s, Node ${measured.nodeSeconds.toFixed(1)} s, PostgreSQL ${measured.postgresSeconds.toFixed(1)} s`,
    );
    if (values.statements) printStatementCosts(name, await takeStatementCosts(owner));
    const [stored] = await bench.system.query<Stored>(STORED, []);
    mistakes.push(...mistakesOf(expected, stored!).map((text) => `after ${name}: ${text}`));
    mistakes.push(...(await wrongPairs(bench, links)).map((text) => `after ${name}: ${text}`));
    return stored!;
  };
  const stored = await step('import', 'import', 'accounts', projectId, file, '--json');
  if (!values['skip-rebuild']) await step('rebuild', 'links', 'rebuild', projectId, '--json');
  await owner.end();
  report(runs, stored, mistakes);
}

function report(runs: readonly (readonly [string, Run])[], stored: Stored, mistakes: string[]): void {
  printTable(
    ['command', 'seconds', 'accounts/s', 'Node µs/account', 'PostgreSQL µs/account', 'peak RSS MB'],
    runs.map(([name, each]) => [
      name,
      each.seconds.toFixed(1),
      (ACCOUNTS / each.seconds).toFixed(0),
      ((each.nodeSeconds * 1e6) / ACCOUNTS).toFixed(0),
      ((each.postgresSeconds * 1e6) / ACCOUNTS).toFixed(0),
      each.megabytes.toFixed(0),
    ]),
  );
  printTable(
    ['stored', 'rows'],
    Object.entries(stored).map(([name, rows]) => [name, String(rows)]),
  );
  const machine = describeMachine();
  console.log(`\n${machine}; ${ACCOUNTS} accounts; bar: import of 100,000 within ${MAX_SECONDS} s`);
  for (const mistake of mistakes) console.error(`WRONG  ${mistake}`);
  mkdirSync(RESULTS, { recursive: true });
  const result = { machine, accounts: ACCOUNTS, runs, stored, mistakes };
  writeFileSync(new URL('import.json', RESULTS), `${JSON.stringify(result, null, 2)}\n`);
  if (mistakes.length > 0) process.exitCode = 1;
}

const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-import-'));
try {
  const options = { size: ACCOUNTS, rounds: 1, seconds: 1, quick: values.quick, profileFolder: null };
  await withWorkbench(options, (bench) => measure(bench, folder), SETTINGS);
} finally {
  await rm(folder, { recursive: true, force: true });
}
