import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../acceptance/gateway-process.ts';
import { snippetsOf } from '../../support/documents.ts';
import { type Body, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

const NOBODY = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11';

let world: CommandWorld;
const call = (...args: string[]) => runCommand(args, world.environment);

async function json(...args: string[]) {
  const { code, output, errors } = await call(...args, '--json');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return JSON.parse(output);
}

async function errorOf(...args: string[]) {
  const { code, output, errors } = await call(...args, '--json');
  expect(output).toBe('');
  return { exit: code, ...JSON.parse(errors).error };
}

/** The lists that contain an account. */
const listsOf = async (project: TestProject, account: string): Promise<string[]> =>
  (await json('account', 'show', project.projectId, account)).lists.map(({ name }: Body) => name);

describe('with one project', () => {
  let project: TestProject;
  beforeAll(async () => {
    world = await openCommandWorld();
    project = world.project;
  });
  afterAll(() => world.close());

  it.each([
    [['list', 'ls'], []],
    [['list', 'show'], ['block']],
    [
      ['account', 'list'],
      ['--number', '5'],
    ],
    [
      ['rule', 'ls'],
      ['--state', 'enabled', 'shadow'],
    ],
    [['webhook', 'list'], []],
    [['key', 'list'], []],
    [
      ['audit', 'list'],
      ['--number', '3'],
    ],
    [['project', 'settings'], []],
    [['operations', 'list'], []],
    [['email', 'domains', 'list'], []],
    [['email', 'imports', 'list'], []],
    [['calibrate'], ['--list']],
    [['links', 'rebuild'], ['--check']],
    [['stats', 'rebuild'], []],
    [['stats'], ['--days', '2']],
    [['verification', 'list'], []],
  ])('%j %j reads the only project', async (words, rest) => {
    expect(await json(...words, ...rest)).toEqual(await json(...words, project.projectId, ...rest));
  });

  it('commands change the only project', async () => {
    const account = unique('only');
    await json('list', 'create', 'watched');
    await project.authenticate({ id: account });
    await json('list', 'add', 'watched', account);
    await json('account', 'block', account, '--reason', 'chargeback');
    expect(await listsOf(project, account)).toEqual(['block', 'watched']);
    const { key_id } = await json('key', 'create', '--role', 'read');
    expect((await json('key', 'revoke', key_id)).key_id).toBe(key_id);
    const file = path.join(world.folder, 'accounts.ndjson');
    await writeFile(file, `${JSON.stringify({ id: unique('imported') })}\n`);
    expect(await json('import', 'accounts', file)).toMatchObject({ imported: 1 });
    expect(await json('email', 'erase', 'nobody@shop.example', '--yes')).toMatchObject({ checks: 0 });
  });

  it('the commands of docs/command-line.md print the same', async () => {
    const snippet = snippetsOf('docs/command-line.md').find(({ note }) =>
      note.includes('only-project.test'),
    )!;
    const lines = snippet.text.replaceAll('PROJECT_ID', project.projectId).trimEnd().split('\n');
    const shown = await Promise.all(lines.map((line) => call(...line.split(' ').slice(2))));
    expect(lines).toHaveLength(2);
    expect(shown[0]).toMatchObject({ code: 0, output: expect.stringContaining('block: effect block') });
    expect(shown[1]).toEqual(shown[0]);
  });

  it('an account in the form of a project id is an account', async () => {
    const account = crypto.randomUUID();
    await json('account', 'block', account);
    await project.authenticate({ id: account });
    expect(await listsOf(project, account)).toEqual(['block']);
    await json('list', 'remove', 'block', account);
    expect(await listsOf(project, account)).toEqual([]);
  });

  it('a command on the local database prints a notice if VOUCHGRAPH_URL is set', async () => {
    const environment = { ...world.environment, VOUCHGRAPH_URL: 'http://127.0.0.1:9' };
    const expected = await call('stats', 'rebuild');
    const message = 'VOUCHGRAPH_URL is set, but this command uses the local database.';
    expect(await runCommand(['stats', 'rebuild'], environment)).toEqual({
      ...expected,
      errors: `${message}\n`,
    });
    const { errors } = await runCommand(['stats', 'rebuild', '--json'], environment);
    expect(JSON.parse(errors)).toEqual({ notice: { message } });
  });

  it.each([
    [['account', 'block'], 'account'],
    [['account', 'clear'], 'account'],
    [['key', 'revoke'], 'key'],
    [['webhook', 'rotate'], 'endpoint'],
    [['webhook', 'pause'], 'endpoint'],
    [['list', 'delete'], 'list'],
    [['list', 'remove'], 'list'],
    [['email', 'imports', 'erase'], 'import'],
    [['email', 'erase', '--yes'], 'address'],
    [['rule', 'archive'], 'rule'],
    [['operations', 'register'], 'file'],
    [['import', 'accounts'], 'file'],
  ])('%j does not take the id of the project for another argument', async (args, field) => {
    expect(await errorOf(...args, project.projectId)).toEqual({
      exit: 2,
      code: 'usage.invalid',
      field,
      message: `missing required argument '${field}': ${project.projectId} is the id of a project`,
    });
  });

  it.each([
    [['list', 'add', 'block']],
    [['list', 'add', 'PROJECT', 'block', 'alice']],
    [['list', 'move', 'allow', 'block']],
    [['account', 'block', 'PROJECT']],
  ])('%j does not take the id of the project behind its own arguments for an account', async (args) => {
    const { projectId } = project;
    const all = args.map((arg) => (arg === 'PROJECT' ? projectId : arg));
    expect(await errorOf(...all, projectId)).toEqual({
      exit: 2,
      code: 'usage.invalid',
      field: 'account',
      message: `account: ${projectId} is the id of a project`,
    });
  });

  it('an optional argument that is the id of the project is the project', async () => {
    const resend = ['webhook', 'resend', '--since', '2027-01-01', '--endpoint'];
    const { id } = await json('webhook', 'add', 'https://shop.example/hook');
    expect(await json(...resend, id, project.projectId)).toEqual(await json(...resend, id));
    expect(await errorOf('webhook', 'resend', NOBODY)).toMatchObject({ code: 'webhook.delivery_not_found' });
    const test = ['rule', 'test', '--session', NOBODY];
    expect(await errorOf(...test, project.projectId)).toMatchObject({ exit: 2, field: 'rule' });
    expect(await errorOf(...test, NOBODY)).toMatchObject({ exit: 1, code: 'rule.not_found' });
  });

  it.each([
    [['list', 'show', 'PROJ', 'block']],
    [['list', 'ls', '']],
    [['account', 'block', '', 'alice']],
    [['key', 'revoke', 'shop', NOBODY]],
  ])('%j names what is no id of a project', async (args) => {
    expect(await errorOf(...args)).toMatchObject({ exit: 2, code: 'usage.invalid', field: 'project' });
  });

  it.each([
    [['account', 'block', NOBODY, 'alice']],
    [['list', 'add', NOBODY, 'block', 'alice']],
    [['list', 'ls', NOBODY]],
    [['key', 'revoke', NOBODY, NOBODY]],
  ])('%j reports an unknown project', async (args) => {
    expect(await errorOf(...args)).toMatchObject({ exit: 1, code: 'project.not_found' });
  });
});

describe('with several projects', () => {
  const others: TestProject[] = [];
  beforeAll(async () => {
    world = await openCommandWorld();
    for (let index = 0; index < 11; index += 1) others.push(await world.gateway.project());
  });
  afterAll(() => world.close());

  it.each([
    [['list', 'ls']],
    [['list', 'show', 'block']],
    [['account', 'block', 'alice']],
    [['account', 'block', NOBODY]],
    [['list', 'add', 'block', 'alice', NOBODY]],
    [['list', 'move', 'allow', 'block', 'alice']],
    [['list', 'delete', 'watched']],
    [['rule', 'archive', NOBODY]],
    [['webhook', 'resend', NOBODY]],
    [['webhook', 'pause', NOBODY]],
    [['key', 'create']],
    [['key', 'list']],
    [['key', 'revoke', NOBODY]],
    [['audit', 'list']],
    [['audit', 'export']],
    [['project', 'settings', '--set', 'fakeFrom=0.9']],
    [['operations', 'list']],
    [['operations', 'delete', 'a'.repeat(64)]],
    [['email', 'domains', 'add', '--disposable', 'trash.example']],
    [['email', 'erase', 'a@shop.example', '--yes']],
    [['email', 'import', 'package.json']],
    [['email', 'imports', 'erase', NOBODY]],
    [['import', 'accounts', 'accounts.ndjson']],
    [['calibrate']],
    [['links', 'rebuild']],
    [['stats', 'rebuild']],
    [['stats', '--days', '2']],
    [['verification', 'show', NOBODY]],
  ])('%j requires the project, and lists them', async (args) => {
    const { exit, code, field, message } = await errorOf(...args);
    expect({ exit, code, field }).toEqual({ exit: 2, code: 'usage.invalid', field: 'project' });
    const [first, ...lines] = message.split('\n');
    expect(first).toBe("missing argument 'project': the database contains 12 projects");
    expect(lines).toHaveLength(11);
    expect(lines[0]).toContain(world.project.projectId);
    expect(lines[10]).toBe('  and 2 more: see project list');
  });

  it('a project that is named is the only one that changes', async () => {
    const account = crypto.randomUUID();
    const [first, second] = others as [TestProject, TestProject];
    for (const project of [first, second]) await project.authenticate({ id: account });
    await json('account', 'block', second.projectId, account);
    expect(await listsOf(first, account)).toEqual([]);
    expect(await listsOf(second, account)).toEqual(['block']);
    expect(await errorOf('account', 'block', first.projectId)).toMatchObject({ exit: 2, field: 'account' });
    expect(await errorOf('list', 'remove', 'block', account)).toMatchObject({ exit: 2, field: 'project' });
    expect(await listsOf(second, account)).toEqual(['block']);
  });
});

describe('the id of another project', () => {
  beforeAll(async () => {
    world = await openCommandWorld();
  });
  afterAll(() => world.close());

  it.each([
    [['account', 'block', 'PROJECT', 'OTHER'], 'account'],
    [['account', 'label', 'PROJECT', 'OTHER', 'fraud'], 'account'],
    [['list', 'add', 'PROJECT', 'block', 'alice', 'OTHER'], 'account'],
    [['list', 'create', 'PROJECT', 'OTHER'], 'list'],
    [['key', 'revoke', 'PROJECT', 'OTHER'], 'key'],
  ])('is no other argument: %j', async (args, field) => {
    const { projectId } = await world.gateway.project();
    const ids: Body = { PROJECT: world.project.projectId, OTHER: projectId.toUpperCase() };
    expect(await errorOf(...args.map((arg) => ids[arg] ?? arg))).toEqual({
      exit: 2,
      code: 'usage.invalid',
      field,
      message: `${field}: ${projectId.toUpperCase()} is the id of a project`,
    });
  });
});

describe('without a project', () => {
  let made: Awaited<ReturnType<typeof makeFolder>>;
  beforeEach(async () => {
    made = await makeFolder();
  });
  afterEach(() => made.remove());

  it('names the command that creates one', async () => {
    const environment = { DATA_DIR: path.join(made.folder, 'data') };
    expect((await runCommand(['migrate'], environment)).code).toBe(0);
    for (const args of [
      ['list', 'ls'],
      ['key', 'create'],
      ['account', 'block', 'alice'],
    ]) {
      const { code, errors } = await runCommand([...args, '--json'], environment);
      expect({ exit: code, ...JSON.parse(errors).error }).toEqual({
        exit: 1,
        code: 'project.not_found',
        message: 'The database contains no project: create one with project create NAME',
      });
    }
  });
});
