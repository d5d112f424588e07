import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import { type Body, startGateway, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

let world: CommandWorld;
let receiver: Receiver;
beforeAll(async () => {
  world = await openCommandWorld();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

describe.each(['local', 'remote'] as const)('the command line on the %s project', (which) => {
  it('creates, tests, pauses, resumes and rotates an endpoint', async () => {
    const { json, call } = world[which];
    const address = receiver.url(`/${unique('hook')}`);
    const endpoint = await json(
      'webhook',
      'add',
      address,
      '--types',
      'rule.triggered',
      '--description',
      'Ours',
    );
    expect(endpoint).toMatchObject({
      url: address,
      description: 'Ours',
      event_types: ['rule.triggered'],
      state: 'enabled',
      secret: expect.stringMatching(/^whsec_/),
    });
    const { id } = endpoint;
    expect(await json('webhook', 'test', id, '--type', 'rule.triggered')).toMatchObject({
      endpoint_id: id,
      event_type: 'rule.triggered',
      delivered: true,
      status: 200,
    });
    expect((await call('webhook', 'test', id)).output).toMatch(/^Delivered: \S+ status 200 after \d+ ms\.\n/);
    expect(await json('webhook', 'pause', id)).toMatchObject({ id, state: 'paused' });
    expect((await call('webhook', 'resume', id, '--from', '2026-01-31')).output).toBe(
      `${address} is enabled.\n`,
    );
    const rotated = await json('webhook', 'rotate', id);
    expect(rotated).toMatchObject({ id, previous_secret_until: expect.stringMatching(/Z$/) });
    expect(rotated.secret).not.toBe(endpoint.secret);
    const { secret: _secret, ...listed } = endpoint;
    expect(await json('webhook', 'list')).toContainEqual(listed);
    expect((await call('webhook', 'list')).output).toContain(`${id}  enabled `);
  });

  it('creates an endpoint with the older signature and changes it', async () => {
    const { json, call } = world[which];
    const endpoint = await json('webhook', 'add', receiver.url('/older'), '--signature', 'compat');
    expect(endpoint).toMatchObject({ signature_format: 'compat', signature_key: 'text' });
    const { id, url } = endpoint;
    expect(await json('webhook', 'signature', id, '--signature-key', 'decoded')).toMatchObject({
      ...{ id, signature_format: 'compat', signature_key: 'decoded' },
    });
    const { output } = await call('webhook', 'signature', id, '--signature', 'standard');
    expect(output).toBe(`Deliveries to ${url} have the signature standard.\n`);
    const decoded = await json('webhook', 'add', url, '--signature', 'compat', '--signature-key', 'decoded');
    expect(decoded).toMatchObject({ signature_format: 'compat', signature_key: 'decoded' });
    const refused = await call('webhook', 'signature', id, '--signature-key', 'base64', '--json');
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.errors).error).toMatchObject({
      code: 'usage.invalid',
      message: expect.stringMatching(/text, decoded/),
    });
  });

  it('lists since when deliveries to an endpoint have failed', async () => {
    const { json, call } = world[which];
    const failing = await startReceiver();
    failing.answer({ status: 503, text: '' });
    const { id, failing_since } = await json(
      ...(['webhook', 'add', failing.url('/'), '--types', 'account.authenticated'] as const),
    );
    expect(failing_since).toBeNull();
    await world.project.authenticate({ id: unique('failing') });
    const listed = async ({ json } = world.remote) =>
      (await json('webhook', 'list')).find((each: Body) => each.id === id);
    await until('the failed attempt', async () => (await listed()).failing_since !== null);
    const since = (await listed(world[which])).failing_since;
    expect(since).toMatch(/^\d{4}-\S+Z$/);
    const { output } = await call('webhook', 'list');
    expect(output).toMatch(new RegExp(`^${id} +enabled +${since.slice(0, 16)}Z +${failing.url('/')} `, 'm'));
    await json('webhook', 'pause', id);
    await failing.close();
  });

  it('exits with 1 when the receiver rejects a test event', async () => {
    const { json, call } = world[which];
    const { id } = await json('webhook', 'add', receiver.url('/'), '--types', 'rule.custom');
    receiver.answer({ status: 500, text: 'out of order' });
    try {
      const { code, output } = await call('webhook', 'test', id);
      expect(code).toBe(1);
      expect(output).toMatch(/^Not delivered: \S+ status 500 .*\n.*\n\nout of order\n$/);
    } finally {
      receiver.answer({});
    }
  });
});

/** Attempts that a tail with --json printed. */
const attemptsOf = (output: string): Body[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{"attempt_id"') ? [JSON.parse(line)] : []));

describe('webhook tail', () => {
  it('continues after the connections of the local database are ended, and names the endpoint', async () => {
    const address = receiver.url(`/${unique('tail')}`);
    const { id } = await world.local.json('webhook', 'add', address, '--types', 'account.authenticated');
    const tail = world.local.start('webhook', 'tail', '--endpoint', id, '--json');
    await until('the command waits', async () => tail.errors().includes('Waiting for deliveries'));
    await world.project.authenticate({ id: unique('first') });
    await until('the first attempt', async () => attemptsOf(tail.output()).length === 1);
    const system = await connectAs(world.gateway.database, 'vouchgraph_system');
    await system
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      .catch(() => {});
    await system.end().catch(() => {});
    await until('another account', () =>
      world.project.authenticate({ id: unique('second') }).then(
        () => true,
        () => false,
      ),
    );
    await until('the second attempt', async () => attemptsOf(tail.output()).length === 2);
    tail.signal('SIGINT');
    expect(await tail.exited).toBe(0);
    const [first, second] = attemptsOf(tail.output());
    expect(first).toMatchObject({
      endpoint_id: id,
      endpoint_url: address,
      event_type: 'account.authenticated',
      status: 200,
      error: '',
      state: 'delivered',
    });
    expect(second.attempt_id > first.attempt_id).toBe(true);
  });

  it('continues after a restart of the remote gateway with the events that it has not printed', async () => {
    const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
    const masterKey = world.environment.MASTER_KEY!;
    const { database } = world.gateway;
    const before = await startGateway({ database, masterKey, settings });
    const { port } = new URL(before.baseUrl);
    const address = receiver.url(`/${unique('restart')}`);
    const { id } = await world.local.json('webhook', 'add', address, '--types', 'account.authenticated');
    const { call, start } = world.remoteAt(before.baseUrl);
    const tail = start('webhook', 'tail', '--endpoint', id);
    await until('the command waits', async () => tail.errors().includes('Waiting for deliveries'));
    await world.project.authenticate({ id: unique('before') });
    await until('the first line', async () => tail.output().includes(address));
    await before.close();
    await until('the outage', async () => tail.errors().includes('Connection lost'));
    // The other gateway of the database delivers meanwhile.
    await world.project.authenticate({ id: unique('meanwhile') });
    await world.gateway.app.settleWebhooks();
    const after = await startGateway({ database, masterKey, settings: { ...settings, PORT: port } });
    const lines = () =>
      tail
        .output()
        .split('\n')
        .filter((line) => line.includes(address));
    await until('the second line', async () => lines().length === 2);
    expect(tail.errors()).toContain('Connected again.');
    tail.signal('SIGINT');
    expect(await tail.exited).toBe(0);
    const [header] = tail.output().match(/^TIME .*$/m) ?? [];
    for (const line of lines()) {
      expect(line.indexOf('account.')).toBe(header?.indexOf('EVENT'));
      expect(line.indexOf('delivered')).toBe(header?.indexOf('STATE'));
      expect(line.indexOf(address)).toBe(header?.indexOf('ENDPOINT'));
    }
    expect(lines()[1]).toMatch(/^\S+Z {2}200 +\d+ ms {2}account\.authenticated +\S+ {2}delivered +\S+$/);
    // Known attempts from a time on, and a gateway that is unreachable at first.
    const since = start('webhook', 'tail', '--since', '2026-01-01', '--endpoint', id, '--json');
    await until('both attempts', async () => attemptsOf(since.output()).length === 2);
    since.signal('SIGINT');
    expect(await since.exited).toBe(0);
    await after.close();
    expect(await call('webhook', 'tail')).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^vouchgraph: The gateway cannot be reached \(ECONNREFUSED\)/),
    });
  });
});
