import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { newId } from '@vouchgraph/platform/ids';
import { insertAccounts } from '../account-rows.ts';
import { computeStandings, insertLists, insertMemberships, progress } from '../data-set.ts';
import { importLine } from '../linking/import-line.ts';
import type { ModelAccount } from '../linking/model-account.ts';
import { makeAccounts } from '../linking/population.ts';
import { MODEL_ENDS } from '../linking/world.ts';
import type { SessionMaker } from '../sessions.ts';
import { createRandom } from '../signals/random.ts';
import type { PeopleFacts, Workbench } from '../workbench.ts';
import { type PackedAccounts, packAccounts } from './packed-accounts.ts';

/** Accounts of the written model of people (support/linking): stored ones, and those that have not arrived yet. */
export type People = { readonly known: PackedAccounts; readonly arrivals: readonly ModelAccount[] };

type DrawnPeople = { readonly [Part in keyof People]: readonly ModelAccount[] };

const packed = ({ known, arrivals }: DrawnPeople): People => ({ known: packAccounts(known), arrivals });

const SEED = 36;
const CHUNK = 2000;
const ON_LISTS = 0.7;
/** Accounts for which the networks of the model are made; those of more accounts are more. */
const ACCOUNTS_OF_NETWORKS = 10_000;
const MAX_IMPORT_STOPS = 5;

/**
 * Fills the project with accounts of people and rings, with their sessions, identifiers and lists. Links, identity groups and
 * standings are computed by the product, so that they follow from the stored identifiers. `arrivals` more accounts, drawn from
 * the same people, are not stored.
 */
export async function loadPeople(
  bench: Workbench,
  facts: PeopleFacts,
  makeSession: SessionMaker,
): Promise<People> {
  const { size } = facts;
  const startedAt = performance.now();
  const drawn = drawPeople(facts);
  const listIds = await insertLists(bench);
  await insertPeople(bench, drawn.known, makeSession, async (ids) => {
    await insertMemberships(bench, listIds, ids.slice(0, Math.round(ON_LISTS * ids.length)));
  });
  await bench.analyze();
  progress(`links of ${size} accounts`);
  await runCommand(bench, 'links', 'rebuild', bench.project.projectId, '--json');
  await computeStandings(bench, size);
  for (const statement of [DECIDE_SESSIONS, ADD_SIGHTINGS])
    await bench.system.query(statement, [bench.project.projectId]);
  await bench.analyze();
  const seconds = (performance.now() - startedAt) / 1000;
  const sessions = drawn.known.reduce((sum, account) => sum + account.sessions.length, 0);
  progress(`${size} accounts, ${sessions} sessions loaded in ${seconds.toFixed(1)} s\n`);
  return packed(drawn);
}

/** Stores the accounts by `vouchgraph import accounts`, which makes links, identity groups and standings. None has a session. */
export async function importPeople(bench: Workbench, facts: PeopleFacts): Promise<People> {
  const { size } = facts;
  const startedAt = performance.now();
  const drawn = drawPeople(facts);
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-bench-accounts-'));
  try {
    const file = path.join(folder, 'accounts.ndjson');
    await writeFile(file, linesOf(drawn.known));
    progress(`import of ${size} accounts`);
    await importFile(bench, file);
  } finally {
    await rm(folder, { recursive: true });
  }
  await bench.analyze();
  const seconds = (performance.now() - startedAt) / 1000;
  progress(`${size} accounts imported in ${seconds.toFixed(1)} s\n`);
  return packed(drawn);
}

/** A stopped import continues: a long one may meet a moment in which the server does not answer in time. */
async function importFile(bench: Workbench, file: string): Promise<void> {
  for (let left = MAX_IMPORT_STOPS; ; left -= 1) {
    try {
      return await runCommand(bench, 'import', 'accounts', bench.project.projectId, file, '--json');
    } catch (error) {
      if (left === 0 || !String(error).includes('service.unavailable')) throw error;
      progress('the import was stopped and continues\n');
    }
  }
}

/** The lines of a file, in texts that are written at once. */
function* linesOf(accounts: readonly ModelAccount[]): Iterable<string> {
  for (let start = 0; start < accounts.length; start += CHUNK)
    yield `${accounts
      .slice(start, start + CHUNK)
      .map(importLine)
      .join('\n')}\n`;
}

/** The sessions of an account were decided as the account is now. */
const DECIDE_SESSIONS = {
  name: 'bench.decide_sessions',
  text: `update account_sessions b set decision = t.decision, account_score = t.account_score from account_standing t
    where b.project_id = $1 and t.project_id = $1 and t.account_id = b.account_id`,
};

const ADD_SIGHTINGS = {
  name: 'bench.add_sightings',
  text: `insert into fraud_sightings (project_id, account_id, session_id, network_hash, compared_subnet_hash, seen_at)
    select $1, b.account_id, b.session_id, s.network_hash, s.compared_subnet_hash, b.session_start
    from account_sessions b join sessions s on s.project_id = $1 and s.session_id = b.session_id
    where b.project_id = $1 and b.decision = 'Fake' and s.network_hash is not null and s.compared_subnet_hash is not null`,
};

/** Accounts with their sessions and identifiers, without links and standings. */
export async function insertPeople(
  bench: Workbench,
  people: readonly ModelAccount[],
  makeSession: SessionMaker,
  onStored: (ids: readonly string[]) => Promise<void> = async () => {},
): Promise<void> {
  for (let start = 0; start < people.length; start += CHUNK) {
    const accounts = people.slice(start, start + CHUNK).map((account) => ({
      id: newId(account.registeredAt.getTime()),
      accountId: account.id,
      fields: account.fields,
      expectedCountries: account.expectedCountries,
      visits: account.sessions,
    }));
    await insertAccounts(bench, accounts, makeSession);
    await onStored(accounts.map(({ id }) => id));
    progress(`accounts ${start + accounts.length} of ${people.length}`);
  }
}

/** Fails when stored links, groups, counts or keys differ from a recomputation. */
export async function checkPeople(bench: Workbench): Promise<void> {
  await runCommand(bench, 'links', 'rebuild', bench.project.projectId, '--check');
}

/**
 * Whoever arrives later is drawn from all, so that many of them share identifiers with stored accounts. The last months of the
 * model end now.
 */
function drawPeople({ size, arrivals, drawnAt, presence }: PeopleFacts): DrawnPeople {
  const random = createRandom(SEED);
  const later = drawnAt - MODEL_ENDS.getTime();
  const kept = size + arrivals;
  const share = kept / Math.max(kept, size / presence);
  // Of random draws some more are needed.
  const drawn = share < 1 ? Math.ceil((1.02 * kept + 1000) / share) : kept;
  const scale = Math.max(1, Math.round(size / ACCOUNTS_OF_NETWORKS));
  const all = makeAccounts(drawn, SEED, scale, () => share === 1 || random.share() < share)
    .slice(0, kept)
    .map((account) => moved(account, later))
    .map((account) => ({ account, place: random.share() }))
    .sort((a, b) => a.place - b.place)
    .map(({ account }) => account);
  if (all.length < kept) throw new Error(`${all.length} instead of ${kept} accounts were drawn`);
  const known = all.slice(arrivals).sort((a, b) => a.registeredAt.getTime() - b.registeredAt.getTime());
  return { known, arrivals: all.slice(0, arrivals) };
}

function moved(account: ModelAccount, later: number): ModelAccount {
  const { country, registeredAt } = account;
  const move = (at: Date) => new Date(at.getTime() + later);
  const sessions = account.sessions.map((session) => ({ ...session, country, at: move(session.at) }));
  return { ...account, registeredAt: move(registeredAt), sessions };
}

/** Fails with the output of the command. */
async function runCommand({ environment }: Workbench, ...args: string[]): Promise<void> {
  const main = new URL('../../../src/main.ts', import.meta.url).pathname;
  await promisify(execFile)(process.execPath, [main, ...args], { env: { ...process.env, ...environment } });
}
