import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../acceptance/gateway-process.ts';
import { runCommand } from '../../support/run-command.ts';

const PROJECT = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11';

let made: Awaited<ReturnType<typeof makeFolder>>;
beforeEach(async () => {
  made = await makeFolder();
});
afterEach(() => made.remove());

it.each([
  [['list', 'ls', PROJECT]],
  [['project', 'list']],
  [['project', 'settings', PROJECT]],
  [['key', 'create', PROJECT]],
  [['audit', 'list', PROJECT]],
  [['email', 'import', PROJECT, 'contacts.csv']],
  [['email', 'imports', 'list']],
  [['migrate', '--check']],
])('%j reports in one line that DATA_DIR contains no database, and creates nothing', async (args) => {
  const dataDir = path.join(made.folder, 'dta');
  expect(await runCommand(args, { DATA_DIR: dataDir })).toEqual({
    code: 1,
    output: '',
    errors: `vouchgraph: DATA_DIR ${dataDir} contains no database: correct DATA_DIR, or create the database with serve or project create\n`,
  });
  expect(await readdir(made.folder)).toEqual([]);
});

it('treats a folder without a database as one that does not exist', async () => {
  const dataDir = path.join(made.folder, 'volume');
  await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
  const { code, errors } = await runCommand(['list', 'ls', PROJECT, '--json'], { DATA_DIR: dataDir });
  expect({ code, error: JSON.parse(errors).error.code }).toEqual({ code: 1, error: 'database.unavailable' });
  const { output } = await runCommand(['doctor', '--json'], { DATA_DIR: dataDir });
  expect(JSON.parse(output)).toContainEqual(
    expect.objectContaining({ check: 'database', says: 'does not exist; the first start creates it' }),
  );
  expect(await readdir(dataDir, { recursive: true })).toEqual(['postgres']);
});

it('lets project create a database, which other commands then read', async () => {
  const environment = { DATA_DIR: path.join(made.folder, 'data') };
  const created = await runCommand(['project', 'create', 'Shop', '--json'], environment);
  expect(created.code).toBe(0);
  const { project_id } = JSON.parse(created.output);
  const lists = await runCommand(['list', 'ls', project_id, '--json'], environment);
  expect(lists.code).toBe(0);
});
