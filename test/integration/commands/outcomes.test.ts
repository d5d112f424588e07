import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { playedVerification } from '../../support/verification.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

describe('a list command without rows', () => {
  it.each([
    ['account', 'list', [], 'No accounts yet.'],
    ['account', 'list', ['--search', 'nobody'], 'No accounts meet the conditions.'],
    ['rule', 'ls', [], 'No rules yet. --state archived shows archived ones.'],
    ['rule', 'ls', ['--state', 'shadow'], 'No rules meet the conditions.'],
    ['verification', 'list', [], 'No verifications yet.'],
    ['verification', 'list', ['--kind', 'id_check'], 'No verifications meet the conditions.'],
    ['audit', 'list', ['--target', 'list:nothing'], 'No audit entries meet the conditions.'],
    ['webhook', 'list', [], 'No webhook endpoints yet.'],
    ['operations', 'list', [], 'No registered operations yet.'],
    ['email imports', 'list', [], 'No email imports yet.'],
    ['calibrate', '--list', [], 'No calibrations yet: the scores are expert priors.'],
  ] as const)('prints one sentence, and [] as JSON: %s %s %j', async (group, command, args, sentence) => {
    const { projectId } = await world.gateway.project();
    const call = (...options: string[]) =>
      runCommand([...group.split(' '), command, projectId, ...args, ...options], world.environment);
    expect(await call()).toEqual({ code: 0, output: `${sentence}\n`, errors: '' });
    expect(await call('--json')).toEqual({ code: 0, output: '[]\n', errors: '' });
  });

  it.each([
    [['feed', 'list'], 'No feeds yet. The included lists are in use: see vouchgraph doctor.'],
    [['feed', 'check'], 'No feeds yet.'],
    [['email', 'data', 'list'], 'No email data yet.'],
  ])('prints one sentence, and [] as JSON: %j', async (args, sentence) => {
    const environment = { DATA_DIR: path.join(world.folder, 'none') };
    expect(await runCommand(args, environment)).toEqual({ code: 0, output: `${sentence}\n`, errors: '' });
    expect((await runCommand([...args, '--json'], environment)).output).toBe('[]\n');
  });
});

describe.each(['local', 'remote'] as const)('a %s command', (which) => {
  const json = (...args: [string, string, ...string[]]) => world[which].json(...args);
  const call = (...args: [string, string, ...string[]]) => world[which].call(...args);

  it('without an option rejects an update of nothing', async () => {
    const name = unique('list');
    await json('list', 'create', name, '--effect', 'block');
    expect(await call('list', 'update', name)).toEqual({
      code: 2,
      output: '',
      errors: 'vouchgraph: nothing to change: pass --description or --effect\n',
    });
    const { id } = await json('webhook', 'add', `${world.gateway.baseUrl}/livez`);
    const signature = await call('webhook', 'signature', id, '--json');
    expect({ ...signature, errors: JSON.parse(signature.errors).error }).toEqual({
      code: 2,
      output: '',
      errors: {
        code: 'usage.invalid',
        message: 'nothing to change: pass --signature or --signature-key',
        field: 'signature',
      },
    });
  });

  it('reports that a review is unchanged, without the one before it', async () => {
    const id = await playedVerification(world.gateway, world.project, {
      simulate: 'success',
      simulate_decision: 'Fake',
    });
    const reviewed = (verb: string, ...args: string[]) => call('verification', verb, id, ...args);
    const none = {
      code: 0,
      output: `${id} has no review: nothing was changed. It is decided Fake.\n`,
      errors: '',
    };
    expect(await reviewed('clear')).toEqual(none);
    await json('verification', 'reject', id, '--reason', 'copy');
    const approve = ['--reason', 'fine', '--replace'];
    expect((await reviewed('approve', ...approve)).output).toContain('The previous review: rejected by ');
    expect(await reviewed('approve', ...approve)).toEqual({
      code: 0,
      output: `${id} is already approved with this reason: nothing was changed. It is decided Real.\n`,
      errors: '',
    });
    const cleared = await reviewed('clear');
    expect(cleared.output).toMatch(
      new RegExp(`^${id} has no review, and is decided Fake\\.\nThe previous review: approved by `),
    );
    expect(await reviewed('clear')).toEqual(none);
    expect(await json('verification', 'clear', id)).toMatchObject({ review: null, previous_review: null });
  });

  it('replaces no existing file without --replace', async () => {
    const id = unique('export');
    await world.project.authenticate({ id });
    const out = path.join(world.folder, `${id}.json`);
    await writeFile(out, 'kept');
    const refusal = {
      code: 1,
      output: '',
      errors: `vouchgraph: ${out} exists already: pass --replace to replace it\n`,
    };
    expect(await call('account', 'export', id, '--out', out)).toEqual(refusal);
    expect(await call('audit', 'export', '--out', out)).toEqual(refusal);
    const table = path.join(world.folder, `${id}.csv`);
    await writeFile(table, `email\nann@${id}.example.com\n`);
    const { import_id, result_file } = await json('email', 'import', table);
    const result = (...options: string[]) => call('email imports', 'result', import_id, out, ...options);
    expect(await result()).toEqual(refusal);
    expect(await readFile(out, 'utf8')).toBe('kept');

    expect((await result('--replace')).code).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(await readFile(result_file, 'utf8'));
    await json('account', 'export', id, '--out', out, '--replace');
    expect(JSON.parse(await readFile(out, 'utf8')).account_id).toBe(id);
    expect((await call('audit', 'export', '--out', out, '--replace')).code).toBe(0);
    expect(await readFile(out, 'utf8')).toContain('"action":"account.export"');
  });

  it('writes a file of two concurrent exports once', async () => {
    const id = unique('race');
    await world.project.authenticate({ id });
    const out = path.join(world.folder, `${id}.json`);
    const both = await Promise.all([1, 2].map(() => call('account', 'export', id, '--out', out)));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(JSON.parse(await readFile(out, 'utf8')).account_id).toBe(id);
  });

  it('deletes a list with accounts only after a confirmation', async () => {
    const [name, id] = [unique('list'), unique('member')];
    await world.project.authenticate({ id });
    await json('list', 'create', name);
    await json('list', 'add', name, id);
    const refused = await call('list', 'delete', name, '--json');
    expect({ ...refused, errors: JSON.parse(refused.errors).error }).toEqual({
      code: 2,
      output: '',
      errors: {
        code: 'usage.invalid',
        message: '--yes: required to delete a list with 1 account when the input is not a terminal',
        field: 'yes',
      },
    });
    expect((await json('list', 'show', name)).member_count).toBe(1);
    expect(await json('list', 'delete', name, '--yes')).toEqual({ name, deleted: true });
    expect((await call('list', 'show', name)).code).toBe(1);
    const empty = unique('list');
    await json('list', 'create', empty);
    expect(await json('list', 'delete', empty)).toEqual({ name: empty, deleted: true });
  });

  it('shows the end and the reason of memberships', async () => {
    const id = unique('ends');
    await world.project.authenticate({ id });
    await json('account', 'block', id, '--reason', 'Chargeback', '--expires', '2099-01-31');
    const page = await call('account', 'show', id);
    expect(page.output).toMatch(
      /^ {2}decided {3}by the list block, added by .+ until 2099-01-31T00:00Z: Chargeback$/m,
    );
    expect((await json('account', 'show', id)).reasons.list).toMatchObject({
      name: 'block',
      reason: 'Chargeback',
      expires_at: '2099-01-31T00:00:00.000Z',
    });
  });
});

it('doctor says what still works without an optional feed', async () => {
  const { output } = await runCommand(['doctor'], { DATA_DIR: path.join(world.folder, 'none') });
  expect(output).toMatch(
    /^off +feed_kind:datacenter +no list, which is optional: networks of hosting companies are detected by their ASN; a list adds to datacenter, proxy$/m,
  );
  expect(output).toMatch(
    /^off +feed_kind:proxy +no list, which is optional: .+; a list adds to proxy, location_spoofing$/m,
  );
  expect(output).toMatch(
    /^off +feed_kind:fraud +no list, which is optional: .+; a list adds to recent_fraud_ip$/m,
  );
});
