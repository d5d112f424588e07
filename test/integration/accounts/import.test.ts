import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccountService } from '../../../src/domain/accounts/account-service.ts';
import { importAccounts } from '../../../src/domain/accounts/import/import-accounts.ts';
import { recalculateLinks } from '../../../src/domain/linking/recalculation-worker.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import { bindSessionOfCheck } from '../../../src/domain/verification/result/bind-check-service.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/** Imports into a file by appending the writes; the write `holdAt` never completes. */
const IMPORT = `
  import { appendFile } from 'node:fs/promises';
  import { importAccounts } from ${JSON.stringify(new URL('../../../src/domain/accounts/import/import-accounts.ts', import.meta.url).href)};
  const [file, holdAt] = process.argv.slice(1);
  let writes = 0;
  const write = async (input) => {
    writes += 1;
    if (writes > Number(holdAt)) {
      if (writes === Number(holdAt) + 1) console.log('blocked');
      await new Promise(() => setInterval(() => {}, 1000));
    }
    await appendFile(file + '.stored', JSON.stringify(input) + '\\n');
  };
  const paths = { progressFile: file + '.progress', problemsFile: file + '.problems' };
  try {
    console.log(JSON.stringify(await importAccounts({ file, format: 'ndjson', ...paths, write })));
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }
`;

let folder: string;
let file: string;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-import-'));
  file = path.join(folder, 'accounts.ndjson');
  const lines = Array.from({ length: 3000 }, (_, index) =>
    index % 100 === 3 ? 'bad' : JSON.stringify({ id: `a${(index * 7) % 1000}`, username: `u${index}` }),
  );
  await writeFile(file, lines.join('\n'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(folder, { recursive: true });
});

function startImport(holdAt = Number.POSITIVE_INFINITY): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', IMPORT, file, String(holdAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  return child;
}

/** First output line of an import: its totals, its error, or `blocked`. */
async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return chunk.toString().trimEnd();
}

const runImport = async () => JSON.parse(await firstLine(startImport())) as unknown;

/** The last username of each account, as a store would keep it. */
async function stored(): Promise<Map<string, string>> {
  const lines = (await readFile(`${file}.stored`, 'utf8')).trimEnd().split('\n');
  return new Map(lines.map((line) => JSON.parse(line)).map(({ id, username }) => [id, username]));
}

const TOTALS = { imported: 2970, rejected: 30, repeated: 1980, state: 'finished' };

describe('an import with a killed process', () => {
  it('continues at the next run, with the same accounts, problems and totals', async () => {
    const killed = startImport(1500);
    expect(await firstLine(killed)).toBe('blocked');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(await runImport()).toEqual(TOTALS);

    const accounts = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== 'bad');
    expect(await stored()).toEqual(
      new Map(accounts.map((line) => JSON.parse(line)).map(({ id, username }) => [id, username])),
    );
    const problems = (await readFile(`${file}.problems`, 'utf8')).trimEnd().split('\n');
    expect(problems.map((line) => JSON.parse(line).line)).toEqual(
      Array.from({ length: 30 }, (_, index) => index * 100 + 4),
    );
    expect(await runImport()).toEqual({ ...TOTALS, state: 'finished_before' });
  });
});

describe('a second process', () => {
  it('is rejected while the first one runs, and continues when it is dead', async () => {
    const first = startImport(10);
    expect(await firstLine(first)).toBe('blocked');
    expect(await runImport()).toEqual({
      code: 'import.conflict',
      message: `Another process (pid ${first.pid}) imports with "accounts.ndjson.progress"`,
    });
    first.kill('SIGKILL');
    await once(first, 'close');
    expect(await runImport()).toEqual(TOTALS);
  });
});

describe('an import into the database', () => {
  const masterKey = generateMasterKey();
  let gateway: Gateway;
  let project: TestProject;
  beforeAll(async () => {
    gateway = await startGateway({ masterKey });
    project = await gateway.project();
  });
  afterAll(() => gateway.close());

  async function importFile(
    content: string,
    format: 'csv' | 'ndjson',
    { into = project, concurrency = 200 } = {},
  ) {
    const { database } = gateway.app;
    const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
    const owner = (await access.findProjectById(into.projectId))!;
    const accounts = createAccountService({
      clock: systemClock,
      bindSessionOfCheck,
      erasures: [],
      mailExchangers: null,
    });
    const viewer = {
      project: owner,
      kind: 'key',
      role: 'operator',
      actor: 'command line',
      limitKey: '',
    } as const;
    await writeFile(file, content);
    const paths = { file, progressFile: `${file}.progress`, problemsFile: `${file}.problems` };
    const totals = await importAccounts({
      ...paths,
      format,
      concurrency,
      write: accounts.openImport(viewer, newId(), { batches: 2 }),
    });
    await recalculateLinks(owner, systemClock);
    return { totals, problems: await readFile(paths.problemsFile, 'utf8') };
  }

  it('stores the accounts of the file, and lists lines that the service rejects', async () => {
    const csv = [
      'id,email,first_name,expected_countries,metadata,lists',
      'import-1,one@example.com,"Ada ""A""",FR|de,"{""plan"":""free""}",early birds',
      'import-2,two@example.com,,,,allow|block',
      'import-1,,Augusta,,"{""age"":3}",vip',
    ];
    const { totals, problems } = await importFile(csv.join('\r\n'), 'csv');
    expect(totals).toEqual({ imported: 2, rejected: 1, repeated: 1, state: 'finished' });
    expect(problems).toMatch(/^{"line":3,"reason":"account.lists: must have at most one of [^"]+"}\n$/);
    const { body } = await project.rest('GET', '/account/import-1');
    expect(body.account).toMatchObject({
      id: 'import-1',
      email: 'one@example.com',
      first_name: 'Augusta',
      expected_countries: ['FR', 'DE'],
      metadata: { plan: 'free', age: 3 },
    });
    expect((await project.rest('GET', '/account/import-2')).status).toBe(400);
  });

  it('links accounts of one file that share an email, for any concurrency', async () => {
    const lines = Array.from({ length: 40 }, (_, index) =>
      JSON.stringify({ id: `linked-${index}`, email: `shared-${index % 4}@example.org` }),
    );
    const { totals } = await importFile(lines.join('\n'), 'ndjson');
    expect(totals).toMatchObject({ imported: 40, rejected: 0 });
    for (const id of ['linked-0', 'linked-17', 'linked-39']) {
      const { body } = await project.rest('GET', `/account/${id}?accounts_linked=true`);
      expect(body.accounts_linked).toBe(9);
    }
  });

  it('links accounts by near emails as if they were imported one by one, also across the sharing limit', async () => {
    const people = (count: number, name: string, domain: string) =>
      Array.from({ length: count }, (_, index) => ({
        id: `${name}-${index}`,
        // Every second account mistypes the address of the account before it.
        email: `${name}.${index % 2 === 0 ? 'walker' : 'walkers'}${index >> 1}@${domain}-mail.example`,
        first_name: name,
        last_name: 'Walker',
      }));
    const accounts = [...people(20, 'annika', 'few'), ...people(70, 'bertram', 'many')];
    const lines = accounts.map((account) => JSON.stringify(account)).join('\n');
    const [together, apart] = [await gateway.project(), await gateway.project()];
    await importFile(lines, 'ndjson', { into: together });
    await rm(`${file}.progress`);
    await importFile(lines, 'ndjson', { into: apart, concurrency: 1 });
    const linksOf = (one: TestProject) =>
      Promise.all(
        accounts.map(async ({ id }) => {
          const { body } = await one.rest('GET', `/account/${id}?accounts_linked=true`);
          return body.accounts_linked as number;
        }),
      );
    const links = await linksOf(together);
    expect(links).toEqual(await linksOf(apart));
    expect(links[0]).toBeGreaterThan(0);
  });
});
