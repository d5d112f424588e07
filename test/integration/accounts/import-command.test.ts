import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayProcess, run } from '../../acceptance/gateway-process.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAs, expectBlocked } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
/** A connection that interrupts imports. */
let other: pg.Client;
let project: TestProject;
let folder: string;
let file: string;
const started: GatewayProcess[] = [];
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  other = await connectAs(gateway.database, 'vouchgraph_app');
});
afterAll(async () => {
  await other.end();
  await gateway.close();
});
beforeEach(async () => {
  project = await gateway.project();
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-import-command-'));
  file = path.join(folder, 'customers.ndjson');
});
afterEach(async () => {
  for (const child of started.splice(0)) child.signal('SIGKILL');
  await rm(folder, { recursive: true });
});

const argumentsOf = (options: readonly string[]) => [
  ...['import', 'accounts', project.projectId, file, '--json'],
  ...options,
];
const environment = () => ({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });

function start(...options: string[]): GatewayProcess {
  const child = run(argumentsOf(options), environment());
  started.push(child);
  return child;
}

async function importFile(...options: string[]) {
  const { code, output, errors } = await runCommand(argumentsOf(options), environment());
  return { code, ...JSON.parse(output + errors) };
}

const filesBeside = async () => (await readdir(folder)).sort();
const FILES = ['customers.ndjson', 'customers.ndjson.problems.ndjson', 'customers.ndjson.progress.json'];

const MANY = 2_000;
const writeMany = () =>
  writeFile(file, Array.from({ length: MANY }, (_, n) => JSON.stringify({ id: `m${n}` })).join('\n'));

/**
 * Starts the import, and acts on it while it waits in the middle of its file: another transaction has inserted an account of
 * that line, and ends only afterwards.
 */
async function stopAt(line: number, act: (child: GatewayProcess) => Promise<void> | void) {
  await other.query('begin');
  try {
    await other.query(`select set_config('app.project', $1, true)`, [project.projectId]);
    await other.query(
      `insert into accounts (project_id, id, account_id, personal, expected_countries, countries, match_key_version)
       values ($1, gen_random_uuid(), $2, '', '{}', '{}', 1)`,
      [project.projectId, `m${line}`],
    );
    const child = start();
    await expectBlocked(other);
    await act(child);
    return child;
  } finally {
    await other.query('rollback');
  }
}

describe('vouchgraph import accounts', () => {
  it('exits with 0 when every line was imported, and leaves no lock', async () => {
    await writeFile(file, '{"id":"one"}\n{"id":"two"}\n');
    expect(await importFile()).toMatchObject({ code: 0, imported: 2, rejected: 0, state: 'finished' });
    expect(await filesBeside()).toEqual(FILES);
  });

  it('exits with 1 when lines were rejected, also when it is repeated', async () => {
    await writeFile(file, '{"id":"one"}\n{"email":"a@example.com"}\n{"id":"two"}\n');
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, rejected: 1, state: 'finished' });
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, rejected: 1, state: 'finished_before' });
    expect(await readFile(path.join(folder, FILES[1]!), 'utf8')).toBe('{"line":2,"reason":"id: required"}\n');
    expect(await filesBeside()).toEqual(FILES);
  });

  it('imports dates of birth and id numbers from NDJSON and from CSV', async () => {
    const passport = { type: 'passport', value: 'C01X00T47', country: 'DE' };
    const accounts = [
      { id: 'json', date_of_birth: '1987-06-05', identifiers: [passport] },
      { id: 'bad', date_of_birth: '1987-06-31' },
      { id: 'json', date_of_birth: null },
    ];
    await writeFile(file, accounts.map((account) => JSON.stringify(account)).join('\n'));
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, rejected: 1 });
    expect(await readFile(path.join(folder, FILES[1]!), 'utf8')).toBe(
      '{"line":2,"reason":"date_of_birth: must be an existing date in the format YYYY-MM-DD"}\n',
    );
    file = path.join(folder, 'customers.csv');
    await writeFile(file, 'id,date_of_birth,identifiers\ntable,1990-01-02,passport:DE:C01X00T48\njson,,\n');
    expect(await importFile()).toMatchObject({ code: 0, imported: 2, rejected: 0 });
    const read = `query ($id: ID!) { account(accountId: $id) { dateOfBirth idNumbers { type country } } }`;
    const idNumbers = [{ type: 'PASSPORT', country: 'DE' }];
    expect((await project.graphql(read, { id: 'json' })).account).toEqual({
      dateOfBirth: '1987-06-05',
      idNumbers,
    });
    expect((await project.graphql(read, { id: 'table' })).account).toEqual({
      dateOfBirth: '1990-01-02',
      idNumbers,
    });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'exits with 1 on %s, leaves no lock and continues',
    async (signal) => {
      await writeMany();
      await expectStopped(signal);
      await expectWhole();
    },
  );

  it('continues after SIGKILL: the lock of the dead process is replaced and removed', async () => {
    await writeMany();
    // The progress of which the killed process knows.
    await expectStopped('SIGTERM');
    await stopAt(1_500, async (child) => {
      child.signal('SIGKILL');
      await once(child.child, 'close');
    });
    expect(await filesBeside()).toEqual([...FILES, 'customers.ndjson.progress.json.lock']);
    await expectWhole();
  });

  it('runs in one process at a time, and the last one leaves no lock', async () => {
    await writeFile(file, Array.from({ length: 300 }, (_, n) => JSON.stringify({ id: `s${n}` })).join('\n'));
    const children = Array.from({ length: 3 }, () => start());
    const codes = await Promise.all(children.map(({ exited }) => exited));
    const states = children.map((child, index) =>
      codes[index] === 0 ? (JSON.parse(child.output()).state as string) : messageOf(child.errors()),
    );
    expect(states.filter((state) => state === 'finished')).toHaveLength(1);
    for (const state of states) {
      expect([
        'finished',
        'finished_before',
        'Another process (pid N) imports with "customers.ndjson.progress.json"',
      ]).toContain(state);
    }
    expect(await filesBeside()).toEqual(FILES);
  });
});

const messageOf = (errors: string): string => JSON.parse(errors).error.message.replace(/\d+/, 'N');

/** Stops the import with a signal after a part of its lines. */
async function expectStopped(signal: NodeJS.Signals): Promise<void> {
  const child = await stopAt(700, (running) => running.signal(signal));
  expect(await child.exited).toBe(1);
  const { state, imported } = JSON.parse(child.output());
  expect(state).toBe('stopped');
  expect(imported).toBeGreaterThan(0);
  expect(imported).toBeLessThan(MANY);
  expect(await filesBeside()).toEqual(FILES);
}

/** Completes the import. A shorter file cannot, because the progress belongs to the original file. */
async function expectWhole(): Promise<void> {
  expect(await importFile('--concurrency', '16')).toMatchObject({
    code: 0,
    imported: MANY,
    rejected: 0,
    state: 'finished',
  });
  expect(await filesBeside()).toEqual(FILES);
}
