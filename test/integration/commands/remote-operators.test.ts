import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseResult, tableOf, whileReceiving } from '../../support/email-imports.ts';
import { type Body, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { type Caller, type CommandWorld, openCommandWorld } from './support.ts';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld({ MX_LOOKUPS: 'off' });
  world.environment.MX_LOOKUPS = 'off';
});
afterAll(() => world.close());

/** Runs one command as both callers; their output is the same. */
async function both(group: string, command: string, ...args: string[]): Promise<string> {
  const local = await world.local.call(group, command, ...args);
  expect(local).toMatchObject({ code: 0, errors: '' });
  expect(await world.remote.call(group, command, ...args)).toEqual(local);
  return local.output;
}

const folderOf = () => mkdtemp(path.join(world.folder, 'files-'));
const domain = () => `${unique('mail')}.com`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('a local database and a gateway print the same', async () => {
  for (const json of [[], ['--json']]) {
    await both('project', 'settings', ...json);
    await both('key', 'list', ...json);
    await both('audit', 'list', ...json);
    await both('operations', 'list', ...json);
    await both('email domains', 'list', ...json);
    await both('email imports', 'list', ...json);
  }
  await both('audit', 'export');
});

describe.each(['local', 'remote'] as const)('%s commands', (name) => {
  let caller: Caller;
  beforeAll(() => {
    caller = world[name];
  });

  it('change settings of the project', async () => {
    const days = name === 'local' ? 40 : 41;
    const set = ['--set', `seenFaceDays=${days}`, 'face_matching=standard', 'introspection=true'];
    const changed = await caller.json('project', 'settings', ...set);
    expect(changed).toMatchObject({ seen_face_days: days, face_matching: 'standard', introspection: true });
    const domains = await caller.json(
      'project',
      'settings',
      '--set',
      'trustedDomains=a.example.com,B.example.com',
    );
    expect(domains.trusted_domains).toEqual(['a.example.com', 'b.example.com']);
    const fewer = await caller.json('project', 'settings', '--set', 'trustedDomains=b.example.com');
    expect(fewer.trusted_domains).toEqual(['b.example.com']);
    const threshold = await caller.call('project', 'settings', '--set', 'suspiciousFrom=0', '--json');
    expect(threshold).toMatchObject({ code: 2, output: '' });
    expect(JSON.parse(threshold.errors).error).toMatchObject({
      code: 'input.invalid',
      field: 'suspicious_from',
    });
    await caller.json('project', 'settings', '--yes', '--set', 'suspiciousFrom=0');
    await caller.json('project', 'settings', '--set', 'suspiciousFrom=0.4');
  });

  it('change domains of emails', async () => {
    const trash = domain();
    const added = await caller.json('email domains', 'add', '--disposable', trash);
    expect(added.disposable).toContain(trash);
    const removed = await caller.json('email domains', 'remove', '--disposable', trash);
    expect(removed.disposable).not.toContain(trash);
    const wrong = await caller.call('email domains', 'add', '--trusted', 'co.uk', '--json');
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.errors).error).toMatchObject({ code: 'input.invalid', field: 'trusted.0' });
  });

  it('erase the checks of an address', async () => {
    const email = `${unique('ann')}@${domain()}`;
    await world.project.rest('POST', '/email', { email });
    expect(await caller.json('email', 'erase', email, '--yes')).toMatchObject({ checks: 1 });
    const unconfirmed = await caller.call('email', 'erase', email);
    expect([unconfirmed.code, unconfirmed.errors]).toEqual([
      2,
      'vouchgraph: --yes: required when the input is not a terminal\n',
    ]);
  });

  it('register, list and delete operations', async () => {
    const text = `query ${unique('Name').replaceAll('-', '')} { project { name } }`;
    const file = path.join(await folderOf(), 'persisted.json');
    await writeFile(file, JSON.stringify({ [sha256(text)]: text }));
    const [registered] = await caller.json('operations', 'register', file);
    expect(registered.sha256_hash).toBe(sha256(text));
    expect(await caller.json('operations', 'list')).toContainEqual(registered);
    expect(await caller.json('operations', 'delete', sha256(text), sha256('unknown'))).toEqual({
      deleted: 1,
    });
    await writeFile(file, JSON.stringify({ [sha256('{ nothing }')]: '{ nothing }' }));
    const { code, errors } = await caller.call('operations', 'register', file);
    expect(code).toBe(1);
    expect(errors).toContain(`${file}: ${sha256('{ nothing }')}: Cannot query field "nothing"`);
  });

  it('read the audit log by action, target and account', async () => {
    const [list, account] = [unique('list'), unique('account')];
    await world.project.authenticate({ id: account });
    await caller.json('list', 'create', list);
    await caller.json('list', 'add', list, account);
    const actions = async (...args: string[]) =>
      (await caller.json('audit', 'list', ...args)).map(({ action }: Body) => action);
    expect(await actions('--target', `list:${list}`)).toEqual(['list.add_accounts', 'list.create']);
    expect(await actions('--account', account)).toEqual(['list.add_accounts']);
    expect(await actions('--target', `list:${list}`, '--action', 'list.c')).toEqual(['list.create']);
    const out = path.join(await folderOf(), 'audit.ndjson');
    expect((await caller.call('audit', 'export', '--action', 'list.create', '--out', out)).code).toBe(0);
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ action: 'list.create', target: `list:${list}` });
  });

  it('import a file of addresses, and read, write and erase the import', async () => {
    const folder = await folderOf();
    const file = path.join(folder, 'contacts.csv');
    await writeFile(file, `${tableOf(1200, domain())}9999,,x\n`);
    const imported = await caller.call('email', 'import', file, '--name', 'Spring', '--json');
    expect(imported).toMatchObject({ code: 1, errors: '' });
    const { import_id: id, ...summary } = JSON.parse(imported.output);
    expect(summary).toMatchObject({
      name: 'Spring',
      status: 'completed',
      rows_received: 1201,
      bad_rows: 1,
      problems: [{ line: 1202, code: 'email_missing' }],
      result_file: path.join(folder, 'contacts.results.csv'),
    });
    const result = await readFile(path.join(folder, 'contacts.results.csv'), 'utf8');
    expect(parseResult(result)).toHaveLength(1201);
    // The same command again changes nothing.
    const again = await caller.call('email', 'import', file, '--name', 'Spring', '--json');
    expect(JSON.parse(again.output).import_id).toBe(id);
    expect((await caller.json('email imports', 'list')).map((each: Body) => each.import_id)).toContain(id);
    expect(await both('email imports', 'show', id)).toContain('1,200 of 1,201 rows checked, 1 bad:');
    const out = path.join(folder, 'again.csv');
    await caller.json('email imports', 'result', id, out);
    expect(await readFile(out, 'utf8')).toBe(result);
    await writeFile(file, `${tableOf(1300, domain())}`);
    const differs = await caller.call('email', 'import', file);
    expect([differs.code, differs.errors]).toEqual([
      1,
      expect.stringMatching(
        /^vouchgraph: The file differs from the file of this import .* --restart imports /,
      ),
    ]);
    expect(await caller.json('email imports', 'erase', id)).toEqual({ import_id: id, erased: true });
    const gone = await caller.call('email imports', 'show', id, '--json');
    expect([gone.code, JSON.parse(gone.errors).error.code]).toEqual([1, 'email.import_not_found']);
  });

  it('reject a file without a column of addresses, and leave no other file', async () => {
    const file = path.join(await folderOf(), 'notes.csv');
    await writeFile(file, 'id,note\n1,x\n');
    const { code, errors } = await caller.call('email', 'import', file, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(errors).error).toMatchObject({
      code: 'input.invalid',
      field: 'email_column',
      message: expect.stringContaining('no column contains addresses'),
    });
    await expect(readFile(`${file}.email-import.json`)).rejects.toThrow('ENOENT');
  });
});

it('an upload that was killed continues as the same import', async () => {
  const rows = 3_000;
  const file = path.join(await folderOf(), 'contacts.csv');
  // More bytes than the sockets of a killed client still hold.
  await writeFile(file, tableOf(rows, domain()).replaceAll(',x\n', `,${'x'.repeat(4_000)}\n`));
  const owner = await connectAs(world.gateway.database, 'owner');
  const find = async () =>
    (await world.project.rest('GET', '/email/imports')).body.imports.find(
      (each: Body) => each.name === 'Killed',
    );
  try {
    await whileReceiving(
      owner,
      world.project.projectId,
      () => world.remote.start('email', 'import', file, '--name', 'Killed'),
      (upload) => {
        upload.signal('SIGKILL');
        return upload.exited;
      },
    );
  } finally {
    await owner.end();
  }
  const { import_id: id, rows_received: received } = await find();
  expect(received).toBeLessThan(rows);
  const finished = await world.remote.json('email', 'import', file, '--name', 'Killed');
  expect(finished).toMatchObject({ import_id: id, status: 'completed', completed_count: rows });
});
