import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addEmailData, type NewEmailData } from '@vouchgraph/email/data-commands';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  GRAVATAR_KEY,
  HIBP_KEY,
  hibpBreach,
  type ProviderServer,
  startProviderServer,
} from '../../support/email/provider-server.ts';
import { type Body, startGateway, unique } from '../../support/gateway.ts';

/* Evidence of providers for an address, in the results of checks. */

let server: ProviderServer;
let folder: string;

beforeEach(async () => {
  server = await startProviderServer();
  folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-provider-evidence-'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function start(settings: Record<string, string>) {
  const gateway = await startGateway({
    settings: { EMAIL_DATA_DIR: path.join(folder, 'data'), ...settings },
  });
  onTestFinished(() => gateway.close());
  const project = await gateway.project();
  const check = async (email: string, input: object = {}): Promise<Body> => {
    const { body, status } = await project.rest('POST', '/email?wait=10', { email, ...input });
    expect(status).toBe(200);
    return body.result.data.result;
  };
  return { gateway, project, check };
}

function online(): Record<string, string> {
  return {
    HIBP_API_KEY: HIBP_KEY,
    HIBP_URL: server.url,
    HIBP_REQUESTS_PER_MINUTE: '1000',
    GRAVATAR_API_KEY: GRAVATAR_KEY,
    GRAVATAR_URL: server.url,
  };
}

function importData(name: string, addresses: readonly string[], changes: Partial<NewEmailData> = {}): void {
  const file = path.join(folder, 'list.txt');
  const digests = addresses.map((address) => createHash('sha256').update(address).digest('hex'));
  writeFileSync(file, `${digests.join('\n')}\n`);
  addEmailData(path.join(folder, 'data'), { name, kind: 'breaches', format: 'hashes', file, ...changes });
}

it('breaches of all providers are in the result, each once; Gravatar is queried for identity only', async () => {
  const email = `${unique('alice')}@example.com`;
  server.breaches.set(email, [hibpBreach(), hibpBreach({ Name: 'Doubtful', IsVerified: false })]);
  server.profiles.set(email, {
    display_name: 'Alice',
    profile_url: 'https://gravatar.com/alice',
    registration_date: '2012-03-04T05:06:07Z',
  });
  importData('adobe', [email], { breach: 'adobe', industry: 'Software' });
  const { check } = await start(online());
  const result = await check(email);
  expect(result.breach_intelligence).toEqual({
    breach_count: 2,
    trusted_breach_count: 1,
    breach_list: [
      { source: 'Adobe', breach_date: '2013-10-04', trust_weight: 1, country: null, industry: 'Software' },
      { source: 'Doubtful', breach_date: '2013-10-04', trust_weight: 0.4, country: null, industry: null },
    ],
  });
  expect(server.paths.filter((each) => each.startsWith('/v3/profiles/'))).toEqual([]);
  const { identity_intelligence: identity } = await check(email, { identity_intelligence: true });
  expect(identity.online_accounts).toEqual([
    { service: 'gravatar', url: 'https://gravatar.com/alice', since: '2012-03-04' },
  ]);
  // The breaches of the first check are cached.
  expect(server.paths.filter((each) => each.includes('breachedaccount'))).toHaveLength(1);
});

it.each([
  [
    'answers 500',
    (response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end(),
  ],
  ['never responds', () => {}],
])('the failure of a sole provider that %s leaves breaches unknown, not empty', async (_what, fault) => {
  server.fault = (_request, response) => fault(response);
  const { check } = await start(online());
  const result = await check(`${unique('bob')}@example.com`, { identity_intelligence: true });
  expect(result.breach_intelligence).toEqual({
    breach_count: null,
    trusted_breach_count: null,
    breach_list: null,
  });
  expect(result.identity_intelligence.online_accounts).toBeNull();
  expect(result.identity_intelligence.online_accounts_count).toBeNull();
  expect(JSON.stringify(result)).not.toContain('no_online_presence');
});

it('missing presence is reported when providers of every kind found nothing', async () => {
  const { check } = await start(online());
  const result = await check(`${unique('carol')}@example.com`, { identity_intelligence: true });
  expect(result.breach_intelligence).toEqual({ breach_count: 0, trusted_breach_count: 0, breach_list: [] });
  expect(result.identity_intelligence.online_accounts).toEqual([]);
  expect(result.risk_signals).toContain('no_online_presence');
});

it('breaches are unknown without providers', async () => {
  const { check } = await start({});
  const result = await check(`${unique('dave')}@example.com`, { identity_intelligence: true });
  expect(result.breach_intelligence.breach_count).toBeNull();
  expect(JSON.stringify(result)).not.toContain('no_online_presence');
  expect(server.paths).toEqual([]);
});

it('data imported while the gateway runs is loaded automatically, and unloaded when it is removed', async () => {
  const email = `${unique('erin')}@example.com`;
  const { check } = await start({});
  expect((await check(email)).breach_intelligence.breach_count).toBeNull();
  importData('shop', [email], { breach_date: '2020-02-02', country: 'DE', trust_weight: 0.9 });
  await vi.waitFor(
    async () => {
      const { breach_intelligence } = await check(email);
      expect(breach_intelligence.breach_list).toEqual([
        { source: 'shop', breach_date: '2020-02-02', trust_weight: 0.9, country: 'DE', industry: null },
      ]);
    },
    { timeout: 50_000, interval: 200 },
  );
  rmSync(path.join(folder, 'data', 'shop.emaildata'));
  await vi.waitFor(async () => expect((await check(email)).breach_intelligence.breach_count).toBeNull(), {
    timeout: 50_000,
    interval: 200,
  });
});

it('a batch completes each address once while a provider hangs', async () => {
  const addresses = Array.from({ length: 40 }, (_, index) => `${unique(`f${index}`)}@example.com`);
  importData('shop', addresses.slice(0, 20));
  server.fault = () => {};
  const { gateway, project } = await start(online());
  const sent = await project.rest('POST', '/email', { emails: addresses.map((email) => ({ email })) });
  await gateway.app.settleEmailChecks(project.projectId);
  const { body } = await project.rest('GET', `/email/batch/${sent.body.batch_id}`);
  expect(body).toMatchObject({ status: 'completed', completed_count: 40 });
  const counts = body.results.map((each: Body) => each.data.result.breach_intelligence.breach_count);
  // The file was searched: no entry is a result too.
  expect(counts).toEqual(addresses.map((_, index) => (index < 20 ? 1 : 0)));
  const { emailProviders } = await (await fetch(`${gateway.baseUrl}/readyz`)).json();
  expect(emailProviders).toContainEqual(
    expect.objectContaining({ name: 'hibp', breaker: 'open', problem: 'timeout', isAvailable: false }),
  );
});
