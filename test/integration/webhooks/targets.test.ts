import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { isPublicAddress } from '@vouchgraph/events/internals/webhooks/target';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSender } from '../../../src/domain/webhooks/sender-service.ts';
import { type Gateway, projectClient, startGateway, type TestProject } from '../../support/gateway.ts';
import { createEndpoint, startReceiver } from '../../support/webhook-receiver.ts';

/** Accepts all connections to this machine, over either family, on one port. */
let listeners: Server[];
let port: number;
let connections = 0;
let gateway: Gateway;
/** A gateway with production projects, where the setting for loopback is ignored. */
let inProduction: Gateway;
/** Addresses of names, in turn: a resolver that is queried twice can return another one. */
let addresses: (() => string[])[] = [];
const asked: string[] = [];
const LOOPBACK = { WEBHOOK_ALLOW_LOOPBACK: '1' };

async function listen(host: string, at: number): Promise<Server | null> {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(at, host);
  return Promise.race([once(server, 'listening').then(() => server), once(server, 'error').then(() => null)]);
}

beforeAll(async () => {
  const first = (await listen('0.0.0.0', 0))!;
  port = (first.address() as { port: number }).port;
  const second = await listen('::1', port);
  listeners = second ? [first, second] : [first];
  inProduction = await startGateway({ settings: LOOPBACK, worksInBackground: false });
  gateway = await startGateway({
    settings: LOOPBACK,
    webhooks: {
      resolve: async (hostname) => {
        asked.push(hostname);
        return (addresses.length > 1 ? addresses.shift()! : addresses[0]!)();
      },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await inProduction.close();
  for (const server of listeners) server.close();
});

const refusedFor = async (project: TestProject, url: string) => {
  const { body } = await project.rawGraphql(
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url }) { secret } }',
    { url },
  );
  return body.errors?.[0];
};

/** Hosts that are not on the public internet, in any spelling. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[0:0:0:0:0:0:0:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::1]',
  '[2001:0:7f00:1::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  'metadata.google.internal',
  'printer.local',
  'intranet',
  '①②⑦.⓪.⓪.①',
];

describe('the URL of a receiver', () => {
  it.each(HOSTS)(
    'is rejected when an endpoint is created, and never connected to, for a host that is not public: %s',
    async (host) => {
      const project = await inProduction.project({ environment: 'production' });
      const before = connections;
      for (const scheme of ['https', 'http']) {
        const error = await refusedFor(project, `${scheme}://${host}:${port}/hook`);
        expect(error?.extensions).toMatchObject({ code: 'input.invalid' });
      }
      // If one is stored anyway, the sender checks it itself.
      const sender = createSender({ resolve: async () => ['127.0.0.1', '::1'] });
      const url = `https://${host}:${port}/hook`;
      const outcome = await sender.send({ url, headers: {}, body: '{}', allowsLoopback: false });
      expect(outcome).toMatchObject({ status: null, error: 'address_refused' });
      await sender.close();
      expect(connections).toBe(before);
    },
  );

  it.each([
    ['http', 'http://example.com/hook'],
    ['another scheme', 'ftp://example.com/hook'],
    ['a file', 'file:///etc/passwd'],
    ['credentials', 'https://user:secret@example.com/hook'],
    ['a user name', 'https://user@example.com/hook'],
    ['empty credentials', 'https://@example.com/hook'],
    ['a fragment', 'https://example.com/hook#part'],
    ['an empty fragment', 'https://example.com/hook#'],
    ['a backslash', 'https://example.com\\@127.0.0.1/'],
    ['a space', 'https://example.com/a b'],
    ['a line end', 'https://exam\nple.com/'],
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['an invalid URL', 'example.com/hook'],
    ['nothing', ''],
    ['2,001 characters', `https://example.com/${'x'.repeat(1981)}`],
  ])('is rejected with %s', async (_, url) => {
    const project = await gateway.project();
    expect((await refusedFor(project, url))?.extensions).toMatchObject({ code: 'input.invalid' });
  });

  it('is accepted for loopback in a sandbox, if the setting allows it', async () => {
    const sandbox = await gateway.project();
    expect(await refusedFor(sandbox, `http://127.0.0.1:${port}/`)).toBeUndefined();
    expect(await refusedFor(sandbox, `http://localhost:${port}/`)).toBeUndefined();
    expect(await refusedFor(sandbox, 'http://10.0.0.1/')).toBeDefined();
    expect(await refusedFor(sandbox, 'http://169.254.169.254/latest/meta-data')).toBeDefined();
  });

  it('is rejected for loopback in a sandbox without permission', async () => {
    const strict = await startGateway();
    expect(await refusedFor(await strict.project(), `http://127.0.0.1:${port}/`)).toBeDefined();
    await strict.close();
  });

  it('is rejected for loopback as soon as a production project exists, whichever process created it', async () => {
    const receiver = await startReceiver();
    const masterKey = generateMasterKey();
    const own = await startGateway({ settings: LOOPBACK, masterKey });
    const elsewhere = await startGateway({ database: own.database, masterKey, worksInBackground: false });
    try {
      const sandbox = await own.project();
      const { id } = await createEndpoint(sandbox, { url: receiver.url(), eventTypes: ['RULE_CUSTOM'] });
      const test = `mutation { sendTestWebhook(input: { endpointId: "${id}", type: RULE_CUSTOM }) { delivered error } }`;
      expect((await sandbox.graphql(test)).sendTestWebhook).toEqual({ delivered: true, error: null });
      const production = await elsewhere.project({ environment: 'production' });
      expect(
        await refusedFor(projectClient(own.baseUrl, production.projectId, production.key), receiver.url()),
      ).toBeDefined();
      expect((await refusedFor(sandbox, receiver.url())).message).toMatch(/no production project/);
      const update = `mutation { updateWebhookEndpoint(input: { id: "${id}", url: "${receiver.url('/other')}" }) { requestId } }`;
      expect((await sandbox.rawGraphql(update)).body.errors[0].extensions.code).toBe('input.invalid');
      expect((await sandbox.graphql(test)).sendTestWebhook).toEqual({
        delivered: false,
        error: 'ADDRESS_REFUSED',
      });
      expect(receiver.received).toHaveLength(1);
    } finally {
      await elsewhere.close();
      await own.close();
      await receiver.close();
    }
  });

  it('is accepted for a public host', async () => {
    const project = await inProduction.project({ environment: 'production' });
    const longest = `https://example.com/${'x'.repeat(1980)}`;
    // The stored URL is longer than the given one.
    expect(await refusedFor(project, `https://example.com/${'ü'.repeat(331)}`)).toBeDefined();
    const encoded = `https://example.com/${'ü'.repeat(330)}`;
    for (const url of [encoded, 'https://example.com/hook?a=b', 'https://8.8.8.8:8443/', longest])
      expect(await refusedFor(project, url)).toBeUndefined();
  });
});

describe('a host name', () => {
  const test = async (project: TestProject, id: string) => {
    const answer = await project.graphql(
      `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_UPDATED }) { delivered status error } }`,
    );
    return answer.sendTestWebhook;
  };

  it.each([
    ['resolves to loopback', ['127.0.0.1']],
    ['resolves to IPv6 loopback', ['::1']],
    ['resolves to IPv4-mapped loopback', ['::ffff:127.0.0.1']],
    ['resolves to the metadata service', ['169.254.169.254']],
    ['resolves to a private address beside a public one', ['203.0.113.7', '8.8.8.8', '127.0.0.1']],
    ['resolves to a public address, then to a private one', ['8.8.8.8', '10.0.0.1']],
    ['resolves to NAT64-translated loopback', ['64:ff9b::7f00:1']],
  ])('that %s is not connected to', async (_, stands) => {
    const project = await gateway.project();
    const { id } = await createEndpoint(project, { url: `https://rebind.example.com:${port}/` });
    addresses = [() => stands];
    const before = connections;
    expect(await test(project, id)).toEqual({ delivered: false, status: null, error: 'ADDRESS_REFUSED' });
    expect(connections).toBe(before);
  });

  it('is resolved once: a response with a rejected address is not followed by another lookup', async () => {
    const lookups: string[] = [];
    const sender = createSender({
      timeoutMs: 500,
      resolve: async (hostname) => {
        lookups.push(hostname);
        return lookups.length === 1 ? ['240.0.0.1'] : ['127.0.0.1'];
      },
    });
    const before = connections;
    const url = `https://rebind.example.com:${port}/`;
    const outcome = await sender.send({ url, headers: {}, body: '{}', allowsLoopback: true });
    expect(outcome.error).toBe('address_refused');
    expect(lookups).toEqual(['rebind.example.com']);
    await sender.close();
    expect(connections).toBe(before);
  });

  it('of a public endpoint may not resolve to loopback, although loopback is allowed', async () => {
    const project = await gateway.project();
    const { id } = await createEndpoint(project, { url: `https://looks-public.example.com:${port}/` });
    addresses = [() => ['127.0.0.1']];
    expect(await test(project, id)).toMatchObject({ error: 'ADDRESS_REFUSED' });
  });

  it('without an address fails with its own error', async () => {
    const project = await gateway.project();
    const { id } = await createEndpoint(project, { url: 'https://nowhere.example.com/' });
    addresses = [() => []];
    expect(await test(project, id)).toEqual({ delivered: false, status: null, error: 'DNS' });
    expect(asked.at(-1)).toBe('nowhere.example.com');
  });
});

describe('an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::808:808'])(
    'on the public internet is accepted: %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('a receiver with a persistent connection', () => {
  it('is not resolved again: a second delivery uses the same connection', async () => {
    const receiver = await startReceiver();
    const project = await gateway.project();
    const { id } = await createEndpoint(project, { url: receiver.url() });
    for (let round = 0; round < 3; round += 1)
      await project.graphql(
        `mutation { sendTestWebhook(input: { endpointId: "${id}", type: RULE_CUSTOM }) { delivered } }`,
      );
    expect(receiver.received).toHaveLength(3);
    expect(receiver.connections).toBe(1);
    await receiver.close();
  });
});
