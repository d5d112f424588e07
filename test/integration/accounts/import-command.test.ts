import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayProcess, run, until } from '../../acceptance/gateway-process.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let folder: string;
let file: string;
const started: GatewayProcess[] = [];
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());
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

const MANY = 25_000;
/** Enough lines that the import is still running when its progress is first saved. */
const writeMany = () =>
  writeFile(file, Array.from({ length: MANY }, (_, n) => JSON.stringify({ id: `m${n}` })).join('\n'));

async function startAndWait(): Promise<GatewayProcess> {
  const child = start();
  await until('the first progress', async () => {
    if (child.child.exitCode !== null) throw new Error(child.output());
    return (await filesBeside()).includes(FILES[2]!);
  });
  return child;
}

describe('vouchgraph import accounts', () => {
  it('exits with 0 when every line was imported, and leaves no lock', async () => {
    await writeFile(file, '{"id":"one"}\n{"id":"two"}\n');
    expect(await importFile()).toMatchObject({ code: 0, imported: 2, refused: 0, state: 'finished' });
    expect(await filesBeside()).toEqual(FILES);
  });

  it('exits with 1 when lines were rejected, also when it is repeated', async () => {
    await writeFile(file, '{"id":"one"}\n{"email":"a@example.com"}\n{"id":"two"}\n');
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, refused: 1, state: 'finished' });
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, refused: 1, state: 'finished_before' });
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
    expect(await importFile()).toMatchObject({ code: 1, imported: 2, refused: 1 });
    expect(await readFile(path.join(folder, FILES[1]!), 'utf8')).toBe(
      '{"line":2,"reason":"date_of_birth: must be an existing date in the format YYYY-MM-DD"}\n',
    );
    file = path.join(folder, 'customers.csv');
    await writeFile(file, 'id,date_of_birth,identifiers\ntable,1990-01-02,passport:DE:C01X00T48\njson,,\n');
    expect(await importFile()).toMatchObject({ code: 0, imported: 2, refused: 0 });
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
      const child = await startAndWait();
      child.signal(signal);
      expect(await child.exited).toBe(1);
      expect(JSON.parse(child.output())).toMatchObject({ state: 'stopped' });
      expect(await filesBeside()).toEqual(FILES);
      await expectWhole();
    },
  );

  it('continues after SIGKILL: the lock of the dead process is replaced and removed', async () => {
    await writeMany();
    const child = await startAndWait();
    child.signal('SIGKILL');
    await once(child.child, 'close');
    expect(await filesBeside()).toContain('customers.ndjson.progress.json.lock');
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

/** Completes the import. A shorter file cannot, because the progress belongs to the original file. */
async function expectWhole(): Promise<void> {
  expect(await importFile('--concurrency', '16')).toMatchObject({
    code: 0,
    imported: MANY,
    refused: 0,
    state: 'finished',
  });
  expect(await filesBeside()).toEqual(FILES);
}
