import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayProcess, run } from '../../acceptance/gateway-process.ts';
import { parseResult, tableOf, whileReceiving } from '../../support/email-imports.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;
let owner: pg.Client;
let folder: string;
let file: string;
const started: GatewayProcess[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  system = await connectAs(gateway.database, 'vouchgraph_system');
  owner = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await system.end();
  await owner.end();
  await gateway.close();
});
beforeEach(async () => {
  project = await gateway.project();
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-email-import-'));
  file = path.join(folder, 'contacts.csv');
});
afterEach(async () => {
  for (const child of started.splice(0)) child.signal('SIGKILL');
  await rm(folder, { recursive: true });
});

const environment = () => ({
  DATABASE_URL: gateway.database.ownerUrl,
  MASTER_KEY: masterKey,
  MX_LOOKUPS: 'off',
});
const emailCommand = (...args: string[]) => runCommand(['email', ...args], environment());

function start(args: readonly string[]): GatewayProcess {
  const child = run(['email', ...args], environment());
  started.push(child);
  return child;
}

const startImport = (...options: string[]) => start(['import', project.projectId, file, ...options]);

async function importFile(...options: string[]) {
  const { code, output, errors } = await emailCommand(
    'import',
    project.projectId,
    file,
    '--json',
    ...options,
  );
  if (errors !== '') return { code, errors: JSON.parse(errors).error.message };
  return { code, errors: '', ...JSON.parse(output) };
}

const domain = () => `${unique('mail')}.com`;
const resultOf = async (name = 'contacts.results.csv') => readFile(path.join(folder, name), 'utf8');
const importsOf = async () => (await project.rest('GET', '/email/imports')).body.imports;

describe('vouchgraph email import', () => {
  it('writes the results beside the table and exits with 0', async () => {
    await writeFile(file, tableOf(1500, domain()));
    const { code, ...summary } = await importFile();
    expect(code).toBe(0);
    expect(summary).toMatchObject({
      status: 'completed',
      rows_received: 1500,
      completed_count: 1500,
      bad_rows: 0,
      problems: [],
    });
    const rows = parseResult(await resultOf());
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 1500 }, (_none, index) => String(index)));
    expect(rows.every((row) => row.email_status === 'success')).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([
      'contacts.csv',
      'contacts.csv.email-import.json',
      'contacts.results.csv',
    ]);

    // The same command again changes nothing.
    expect(await importFile()).toMatchObject({ code: 0, import_id: summary.import_id, rows_received: 1500 });
    expect(await importsOf()).toHaveLength(1);
    const repeated = startImport();
    expect(await repeated.exited).toBe(0);
    expect(repeated.output()).toMatch(
      /^contacts\.csv was already imported\. --restart imports it again\.\n1,500 of 1,500 rows checked\n/,
    );
    expect(await importFile('--restart')).toMatchObject({ code: 0, completed_count: 1500 });
    expect(await importsOf()).toHaveLength(2);
  });

  it('names bad rows by line and exits with 1', async () => {
    await writeFile(file, `email,n\n,1\nann@${domain()},2\nbob@${domain()},3,4\n`);
    const child = startImport();
    expect(await child.exited).toBe(1);
    expect(child.output()).toContain('1 of 3 rows checked, 2 bad:');
    expect(child.output()).toContain('line 2: The address is empty. (email_missing)');
    expect(child.output()).toContain(
      'line 4: The row has more or fewer fields than the header. (wrong_field_count)',
    );
    expect(child.output()).toContain('contacts.results.csv');
    expect(parseResult(await resultOf()).map((row) => row.error)).toEqual([
      'email_missing',
      '',
      'wrong_field_count',
    ]);
  });

  it('uses the specified columns and encoding, and writes to the specified file', async () => {
    const name = domain();
    await writeFile(file, Buffer.from(`1|x@${name}|Jos\xe9\n`, 'latin1'));
    const out = path.join(folder, 'out.csv');
    const summary = await importFile(
      '--no-header',
      '--email-column',
      '2',
      '--encoding',
      'windows-1252',
      '--result',
      out,
      '--bom',
    );
    expect(summary).toMatchObject({ code: 0, columns: { has_header: false, email_column: 'column_2' } });
    const text = await resultOf('out.csv');
    expect(text.charCodeAt(0)).toBe(0xfeff);
    expect(parseResult(text)).toMatchObject([
      { column_2: `x@${name}`, column_3: 'José', email_status: 'success' },
    ]);
  });

  it('suggests another encoding for a file that is not UTF-8', async () => {
    await writeFile(file, Buffer.from(`email,name\nann@${domain()},Jos\u00e9\n`, 'latin1'));
    const child = startImport();
    expect(await child.exited).toBe(1);
    expect(child.output()).toContain('The file is not in UTF-8: try --restart --encoding windows-1252.');
  });

  it('reports the problem and leaves no files', async () => {
    await writeFile(file, 'id,note\n1,x\n');
    expect(await importFile()).toEqual({
      code: 2,
      errors: expect.stringContaining(
        'email_column: no column contains addresses; it must be one of the columns "id", "note"',
      ),
    });
    expect(await readdir(folder)).toEqual(['contacts.csv']);
    expect(await importFile('--result', file)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--result: must be another file'),
    });
    await rm(file);
    expect(await importFile()).toMatchObject({
      code: 1,
      errors: expect.stringContaining('cannot be read (ENOENT)'),
    });
    await writeFile(file, '');
    expect(await importFile()).toMatchObject({
      code: 1,
      errors: expect.stringContaining('The file is empty'),
    });
  });

  it('rejects a file that changes during the import', async () => {
    await writeFile(file, tableOf(1500, domain()));
    await importFile();
    await writeFile(file, tableOf(1501, domain()));
    expect(await importFile()).toMatchObject({
      code: 1,
      errors: expect.stringMatching(
        /^The file differs from the file of this import .*\. Nothing was changed\. contacts\.csv\.email-import\.json contains the id of this import; --restart imports the file as a new one$/,
      ),
    });
    const [only, ...others] = await importsOf();
    expect(only).toMatchObject({ rows_received: 1500 });
    expect(others).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'continues after %s, and each address completes once',
    async (signal) => {
      const rows = 3_000;
      await writeFile(file, tableOf(rows, domain()));
      const start = () => startImport('--emit-each');
      const child = await whileReceiving(owner, project.projectId, start, async (running) => {
        await expect.poll(async () => (await importsOf())[0].completed_count).toBe(1000);
        running.signal(signal);
      });
      expect(await child.exited).toBe(signal === 'SIGKILL' ? null : 1);
      const [stopped] = await importsOf();
      expect(stopped.completed_count).toBeLessThan(rows);
      if (signal === 'SIGINT') expect(child.output()).toContain('Stopped: run the same command to continue');

      const summary = await importFile('--emit-each');
      expect(summary).toMatchObject({
        code: 0,
        import_id: stopped.import_id,
        rows_received: rows,
        completed_count: rows,
      });
      const { rows: counted } = await system.query(
        `select (select count(*)::int from email_checks where project_id = $1 and status = 'success') as checks,
         (select count(*)::int from outbox_events where project_id = $1 and type = 'email.intelligence.completed') as events,
         (select count(*)::int from outbox_events where project_id = $1 and type = 'email.batch.completed') as batches`,
        [project.projectId],
      );
      expect(counted[0]).toEqual({ checks: rows, events: rows, batches: rows / 1000 });
      expect(parseResult(await resultOf())).toHaveLength(rows);
    },
  );
});

it('vouchgraph email imports lists, shows, writes and erases imports', async () => {
  await writeFile(file, `email,n\n,1\nann@${domain()},2\n`);
  const { import_id: id } = await importFile('--name', 'Spring');
  const imports = async (command: string, ...args: string[]) => {
    const { code, output, errors } = await emailCommand('imports', command, project.projectId, ...args);
    return { code, output: output + errors };
  };
  expect((await imports('list')).output).toMatch(new RegExp(`^${id} .* completed .* 2 of 2, 1 bad +Spring`));
  expect((await imports('show', id)).output).toContain('line 2: The address is empty.');
  const out = path.join(folder, 'again.csv');
  expect((await imports('result', id, out)).code).toBe(0);
  expect(await resultOf('again.csv')).toBe(await resultOf());
  expect(await imports('result', id, path.join(folder, 'missing', 'again.csv'))).toMatchObject({
    code: 1,
    output: expect.stringContaining('again.csv cannot be written: ENOENT'),
  });
  expect((await imports('erase', id)).code).toBe(0);
  expect(await importsOf()).toEqual([]);
  expect(await imports('show', id)).toMatchObject({
    code: 1,
    output: expect.stringContaining('Email import not found'),
  });
});
