import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, unique } from '../../support/gateway.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

const END = '2099-01-31T00:00:00.000Z';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

async function account(): Promise<{ id: string; session_id: string }> {
  const id = unique('account');
  const { session_id } = await world.project.authenticate({ id, email: `${id}@example.com` });
  return { id, session_id };
}

/** Keys at every depth that are not in snake case. */
function otherKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(otherKeys);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, part]) => [
    ...(/^[a-z\d_.]+$/.test(key) ? [] : [key]),
    ...otherKeys(part),
  ]);
}

describe.each(['local', 'remote'] as const)('the command line on the %s project', (which) => {
  const json = async (...args: [string, string, ...string[]]): Promise<Body> => {
    const value = await world[which].json(...args);
    expect(otherKeys(value)).toEqual([]);
    return value;
  };
  const text = async (...args: [string, string, ...string[]]) => {
    const { code, output, errors } = await world[which].call(...args);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return output;
  };

  it('creates, changes, fills, empties and deletes a list', async () => {
    const [name, other] = [unique('list'), unique('list')];
    const [first, second] = [(await account()).id, (await account()).id];
    expect(await json('list', 'create', name, '--effect', 'block', '--description', 'Mules')).toMatchObject({
      name,
      effect: 'block',
      description: 'Mules',
      standard: false,
      member_count: 0,
    });
    expect(await text('list', 'create', other)).toBe(`Created the list ${other} with the effect none.\n`);
    const file = path.join(world.folder, `${name}.txt`);
    await writeFile(file, `${first}\n\n${second}\r\n`);
    expect(
      await json('list', 'add', name, '--file', file, '--reason', 'Seen', '--expires', '2099-01-31'),
    ).toEqual([
      { account_id: first, outcome: 'added', expires_at: END, previous_expires_at: null },
      { account_id: second, outcome: 'added', expires_at: END, previous_expires_at: null },
    ]);
    expect((await json('list', 'show', name)).members).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          account_id: first,
          reason: 'Seen',
          expires_at: '2099-01-31T00:00:00.000Z',
        }),
      ]),
    );
    expect(await text('list', 'show', name, '--number', '1')).toMatch(/\nand 1 more account: /);
    expect(await text('list', 'move', name, other, first)).toMatch(new RegExp(`\n${first} +moved\n$`));
    expect(await text('list', 'remove', name, second, '--keep-off')).toMatch(/ removed\n$/);
    expect(await json('list', 'update', name, '--effect', 'none')).toMatchObject({
      effect: 'none',
      member_count: 0,
    });
    const lists = await json('list', 'ls');
    expect(lists).toContainEqual(expect.objectContaining({ name: other, member_count: 1 }));
    expect(await json('list', 'delete', name)).toEqual({ name, deleted: true });
    expect(await text('list', 'ls')).not.toContain(name);
  });

  it('prints what adding a member again changes', async () => {
    const name = unique('list');
    const { id } = await account();
    await json('list', 'create', name);
    const add = (...options: string[]) => text('list', 'add', name, id, ...options);
    expect(await add()).toMatch(/ added\n$/);
    expect(await add()).toMatch(/ already on list, unchanged\n$/);
    expect(await add('--expires', '2099-01-31')).toMatch(
      / already on list, end changed from never to 2099-01-31T00:00Z\n$/,
    );
    expect(await add('--expires', '2099-01-31')).toMatch(/ already on list, unchanged\n$/);
    expect(await add('--expires', '2098-01-31', '--reason', 'x')).toMatch(
      / already on list, reason set, end changed from 2099-01-31T00:00Z to 2098-01-31T00:00Z\n$/,
    );
    expect(await json('list', 'add', name, id, '--expires', '2099-01-31', '--reason', 'x')).toEqual([
      {
        account_id: id,
        outcome: 'already_on_list',
        expires_at: END,
        previous_expires_at: '2098-01-31T00:00:00.000Z',
      },
    ]);
  });

  it('reads a CSV with a header, and changes nothing when a row is malformed', async () => {
    const [name, other] = [unique('list'), unique('list')];
    await json('list', 'create', name);
    await json('list', 'create', other);
    const [first, second, third] = [unique('a,1'), unique('say "hi"'), unique('plain')];
    for (const id of [first, second, third]) await world.project.authenticate({ id });
    const file = path.join(world.folder, `${name}.csv`);
    const quoted = (id: string) => `"${id.replaceAll('"', '""')}"`;
    const header = '\ufeffreason,account_id,expires_at\r\n';
    const rows = [`"card, stolen",${quoted(first)},2099-01-31`, `,${quoted(second)},`];
    await writeFile(file, `${header}${rows.join('\r\n')}\r\nlate,${third},tomorrow\r\n`);
    const refused = await world[which].call('list', 'add', name, '--file', file, '--json');
    expect({ ...refused, errors: JSON.parse(refused.errors).error }).toEqual({
      code: 1,
      output: '',
      errors: {
        code: 'input.invalid',
        message: expect.stringMatching(/^--file: line 4: expires_at: /),
        field: 'file',
      },
    });
    expect((await json('list', 'show', name)).members).toEqual([]);

    await writeFile(file, `${header}${rows.join('\r\n')}\r\n`);
    expect(await json('list', 'add', name, third, '--file', file, '--reason', 'audit')).toEqual([
      { account_id: third, outcome: 'added', expires_at: null, previous_expires_at: null },
      { account_id: first, outcome: 'added', expires_at: END, previous_expires_at: null },
      { account_id: second, outcome: 'added', expires_at: null, previous_expires_at: null },
    ]);
    const { members } = await json('list', 'show', name);
    const facts = members.map(({ account_id, reason, expires_at }: Body) => [account_id, reason, expires_at]);
    expect(facts).toEqual(
      expect.arrayContaining([
        [third, 'audit', null],
        [first, 'card, stolen', '2099-01-31T00:00:00.000Z'],
        [second, 'audit', null],
      ]),
    );
    const ids = path.join(world.folder, `${name}.ids.csv`);
    await writeFile(ids, `account_id\n${quoted(first)}\n`);
    const unknownColumn = await world[which].call('list', 'remove', name, '--file', file);
    expect(unknownColumn).toMatchObject({ code: 1, output: '' });
    expect(unknownColumn.errors).toMatch(
      /--file: line 1: the column "reason" is not accepted\. Accepted columns: account_id\n$/,
    );
    expect(await text('list', 'move', name, other, '--file', ids)).toContain(`${first}  moved`);
    expect(await text('list', 'remove', other, '--file', ids)).toContain(`${first}  removed`);
  });

  it('creates a rule from options and from a file, and changes its state', async () => {
    const name = unique('rule');
    const flags = ['--trigger', 'any_session', '--expression', 'account.has_phone = false', '--action'];
    const created = await json(
      'rule',
      'create',
      '--name',
      name,
      ...flags,
      'raise_flag=seen',
      'decide=suspicious',
    );
    expect(created).toMatchObject({
      name,
      state: 'draft',
      trigger: 'any_session',
      actions: [{ raise_flag: 'seen' }, { decide: 'suspicious' }],
    });
    const file = path.join(world.folder, `${name}.json`);
    await writeFile(file, JSON.stringify(await json('rule', 'show', name)));
    const copied = await json('rule', 'create', '--file', file, '--name', `${name} copy`);
    expect(copied).toMatchObject({ expression: created.expression, actions: created.actions });
    expect(await readFile(file, 'utf8')).toContain('match_counts');
    for (const [command, state] of Object.entries({
      shadow: 'shadow',
      enable: 'enabled',
      disable: 'disabled',
    }))
      expect(await json('rule', command, created.rule_id)).toMatchObject({ rule_id: created.rule_id, state });
    expect(await text('rule', 'archive', `${name} copy`)).toBe(
      `The rule ${JSON.stringify(`${name} copy`)} is archived in version 2.\n`,
    );
    expect(await text('rule', 'ls')).toMatch(new RegExp(`disabled +any_session +${name} +raise flag seen`));
    expect(await json('rule', 'ls', '--state', 'archived')).toContainEqual(
      expect.objectContaining({ name: `${name} copy` }),
    );
    expect(await text('rule', 'show', name)).toMatch(/condition {2}account\.has_phone = false\n/);
    expect(await json('rule', 'archive', name)).toMatchObject({ state: 'archived' });
  });

  it('tests a condition on a session and on stored decisions', async () => {
    const { id, session_id } = await account();
    expect(await text('account', 'show', id)).toMatch(new RegExp(`^ {2}session {3}${session_id}$`, 'm'));
    const condition = 'account.has_phone = false';
    expect(await text('rule', 'test', '--expression', condition, '--session', session_id)).toBe(
      'The rule matches.\ntrue     account.has_phone = false   (false)\n',
    );
    expect(await json('rule', 'test', '--expression', condition, '--session', session_id)).toMatchObject({
      matched: true,
      triggered: true,
      trace: [{ outcome: 'true', text: condition, value: false }],
    });
    const backtest = await json('rule', 'backtest', '--expression', condition, '--since', '2020-01-01');
    expect(backtest).toMatchObject({ state: 'done', trigger: 'any_session', progress: 1 });
    expect(backtest.matched).toBeGreaterThan(0);
    expect(await text('rule', 'backtest', '--expression', condition)).toMatch(/^Backtest \S+: done, /);
  });

  it('finds, blocks, allows, clears and labels accounts', async () => {
    const { id } = await account();
    expect(await json('account', 'list', '--search', id)).toMatchObject([
      { account_id: id, decision: 'Real' },
    ]);
    expect(await json('account', 'block', id, '--reason', 'Chargeback')).toMatchObject({
      account_id: id,
      pending: false,
      lists: ['block'],
      decision: 'Fake',
    });
    expect(await text('account', 'allow', id)).toBe(`${id} is on the list allow, and decided Real.\n`);
    expect(await json('account', 'clear', id)).toMatchObject({ lists: [], removed_from: ['allow'] });
    expect(
      await json('account', 'label', id, 'chargeback', '--at', '2026-01-31', '--note', 'case 1'),
    ).toEqual({
      account_id: id,
      outcome: 'chargeback',
      at: '2026-01-31T00:00:00.000Z',
      note: 'case 1',
      new: true,
    });
    expect(await json('account', 'show', id)).toMatchObject({
      account_id: id,
      email: `${id}@example.com`,
      label: 'fraud',
      outcomes: [{ outcome: 'chargeback', note: 'case 1' }],
    });
    const report = `${id} is reported as chargeback at 2026-01-31T00:00:00.000Z (already reported).\n`;
    expect(await text('account', 'label', id, 'chargeback', '--at', '2026-01-31')).toBe(
      `${report}Its label is fraud.\n`,
    );
    const shown = await text('account', 'show', id);
    // The random address can have the signal of a random one.
    expect(shown).toMatch(new RegExp(`^${id}: Real, score 0(\\.0\\d+)?\n`));
    expect(shown).toMatch(/^ {2}label {5}fraud \(chargeback\)$/m);
    expect(await text('account', 'list', '--search', `${id}@example.com`)).toMatch(
      new RegExp(`\n${id} +Real `),
    );
    const unknown = unique('unknown');
    expect(await text('account', 'block', unknown)).toBe(
      `${unknown} does not exist yet. When it is created, it is added to the list block.\n`,
    );
    expect(await json('account', 'clear', unknown)).toMatchObject({ pending: false, lists: [] });
  });

  it('shows the reasons of a decision, and the strongest linked accounts', async () => {
    const ids = [unique('first'), unique('second'), unique('third')] as const;
    const email = `${ids[0]}@example.com`;
    const facts = { ip_address: '52.95.3.4', device_id: ids[0] };
    for (const id of ids) await world.project.authenticate({ id, email }, facts);
    const shown = await json('account', 'show', ids[0], '--links', '1');
    expect(shown.reasons).toMatchObject({
      winner: 'score',
      suspicious_from: 0.4,
      fake_from: 0.7,
      list: null,
      rule: null,
      rules: [],
      flags: [],
      risk_signals: expect.arrayContaining([
        {
          signal: 'datacenter',
          description: 'IP address of a data center or hosting provider.',
          latest: expect.any(Number),
          average: expect.any(Number),
        },
      ]),
      codes: expect.arrayContaining([
        expect.objectContaining({ code: 'ip_in_datacenter_range', description: expect.stringMatching(/\S/) }),
      ]),
      email: { email_score: expect.any(Number), risk_signals: expect.any(Array) },
    });
    expect(shown.accounts_linked).toBe(2);
    expect(shown.linked_accounts).toHaveLength(1);
    expect(ids.slice(1)).toContain(shown.linked_accounts[0].account_id);
    expect(shown.linked_accounts[0]).toMatchObject({
      score: expect.any(Number),
      match_types: expect.arrayContaining(['email', 'device']),
      evidence: expect.arrayContaining([
        expect.objectContaining({ kind: 'email', weight: expect.any(Number), shared_by: 3 }),
      ]),
    });
    const page = await text('account', 'show', ids[0], '--links', '1');
    expect(page).toMatch(/^ {2}decided {3}by the score: Suspicious from 0\.4, Fake from 0\.7$/m);
    expect(page).toMatch(/^ {2}datacenter +\d\.\d\d +\d\.\d\d +IP address of a data center/m);
    expect(page).toMatch(/^ {2}ip_in_datacenter_range .*datacenter \d/m);
    expect(page).toMatch(/^ {2}(second|third)-\S+ +\d\.\d{4} +\S+ +.*email \d/m);
    expect(page).toMatch(/\nand 1 more account: --links shows up to 1,500\n$/);
    expect((await json('account', 'show', ids[0], '--links', '0')).linked_accounts).toEqual([]);
    await json('account', 'block', ids[0], '--reason', 'Chargeback');
    expect(await text('account', 'show', ids[0], '--links', '0')).toMatch(
      /^ {2}decided {3}by the list block, added by .+: Chargeback$/m,
    );
  });

  it('prints control characters of the data of clients as escapes', async () => {
    const id = unique('escapes');
    await world.project.authenticate({ id, first_name: 'Eve\u001b[2J', last_name: '\u009bx\u202e' });
    expect(await text('account', 'show', id)).toContain('Eve\\u001b[2J \\u009bx\\u202e\n');
    expect(await json('account', 'show', id)).toMatchObject({ last_name: '\u009bx\u202e' });
  });

  it('exports an account to standard output and into a file', async () => {
    const { id, session_id } = await account();
    const exported = JSON.parse(await text('account', 'export', id));
    expect(exported.account_id).toBe(id);
    expect(JSON.stringify(exported.records)).toContain(session_id);
    expect(exported.records[0].section).toBe('account');
    const file = path.join(world.folder, `${id}.json`);
    const { records } = exported;
    expect(await json('account', 'export', id, '--out', file)).toEqual({
      account_id: id,
      file,
      records: records.length,
    });
    expect(JSON.parse(await readFile(file, 'utf8')).records).toHaveLength(records.length);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const nowhere = await world[which].call(
      'account',
      'export',
      id,
      '--out',
      path.join(file, 'no'),
      '--json',
    );
    expect(nowhere).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('command.failed') });
  });
});
