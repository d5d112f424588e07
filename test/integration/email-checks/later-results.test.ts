import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayProcess, run, until } from '../../acceptance/gateway-process.ts';
import { type DnsServer, startDnsServer } from '../../support/email/dns-server.ts';
import {
  HIBP_KEY,
  hibpBreach,
  type ProviderServer,
  startProviderServer,
} from '../../support/email/provider-server.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { type Collected, collect, EVENTS, headOf, overSocket } from '../../support/subscriptions.ts';

const masterKey = generateMasterKey();
let names: DnsServer;
let gateway: Gateway;
let project: TestProject;
let release = () => {};

beforeAll(async () => {
  names = await startDnsServer();
  names.answers.set('alive-house.net', { exchanges: [{ priority: 10, name: 'mx.alive-house.net' }] });
  gateway = await startGateway({
    masterKey,
    settings: { MX_LOOKUPS: 'on', DNS_SERVERS: names.address },
    // Held responses are late on purpose: they are applied for any duration of a test.
    nameServers: { timeoutMs: 30_000 },
  });
  // Name servers are healthy, and this domain is cached.
  project = await gateway.project();
  await project.authenticate({ id: unique('first'), email: 'mara@alive-house.net' });
});
afterAll(async () => {
  await gateway.close();
  await names.close();
});
beforeEach(async () => {
  project = await gateway.project();
});
afterEach(() => release());

/** From now on name servers respond when the test releases them. */
function hold(): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  names.hold = promise;
  release = () => {
    names.hold = null;
    resolve();
  };
}

async function settle(): Promise<void> {
  release();
  await gateway.app.settleEmailChecks(project.projectId);
}

const newDomain = () => `${unique('no-such').toLowerCase()}.com`;
const account = async (id: string): Promise<Body> => (await project.rest('GET', `/account/${id}`)).body;
const checks = async (): Promise<Body[]> => {
  const owner = await connectAs(gateway.database, 'vouchgraph_system');
  try {
    const text = `select c.check_id, c.status, c.event_id, c.attempts, c.account_id is not null as of_account
      from email_checks c where c.project_id = $1 order by c.check_id`;
    return (await owner.query(text, [project.projectId])).rows;
  } finally {
    await owner.end();
  }
};
/** Types of the committed events, sent or not. */
async function typesOf(): Promise<string[]> {
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  try {
    const text = 'select type from outbox_events where project_id = $1 order by created_at, event_id';
    return (await system.query(text, [project.projectId])).rows.map(({ type }) => type);
  } finally {
    await system.end();
  }
}

async function subscribe(variables: Record<string, unknown>): Promise<Collected> {
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  return collect(client, EVENTS, { after: await headOf(project), ...variables });
}

describe('a DNS response that arrives after an authenticate', () => {
  it('updates the block and the scores of the account, which its subscribers receive', async () => {
    const id = unique('late');
    const collected = await subscribe({ accountId: id });
    const session_id = await project.session();
    hold();
    gateway.takeTrips();
    const sent = { session_id, account: { id, email: `mara@${newDomain()}` } };
    const answer = (await project.rest('POST', '/session/authenticate', sent)).body;
    // The check is inserted in the last round trip of the change.
    const trips = gateway.takeTrips();
    const written = trips.find((names) => names.includes('account.write'));
    expect(written).toEqual(expect.arrayContaining(['email_check.insert_of_account', 'commit']));
    expect(answer.account.email).toMatchObject({ domain_type: 'business', risk_signals: [], email_score: 0 });
    expect(await checks()).toMatchObject([{ status: 'pending', of_account: true, event_id: null }]);
    await settle();

    const after = await account(id);
    expect(after.email).toMatchObject({
      domain_type: 'inactive',
      risk_signals: ['inactive_domain'],
      email_score: 0.5,
    });
    expect(after.account_score).toBeGreaterThan(answer.account_score);
    const events = await collected.until(3);
    collected.stop();
    expect(events.map(({ type }) => type).sort()).toEqual([
      'ACCOUNT_AUTHENTICATED',
      'ACCOUNT_UPDATED',
      'EMAIL_INTELLIGENCE_COMPLETED',
    ]);
    const dataOf = (type: string) => events.find((event) => event.type === type).data;
    expect(dataOf('ACCOUNT_UPDATED')).toMatchObject({
      account_id: id,
      account_score: after.account_score,
      email: after.email,
    });
    const [check] = await checks();
    const completed = dataOf('EMAIL_INTELLIGENCE_COMPLETED');
    expect(completed).toMatchObject({
      account_id: id,
      request_id: check.check_id,
      batch_id: null,
      status: 'success',
      data: { result: { risk_signals: ['inactive_domain'], domain: { type: 'inactive' } } },
    });
    const { account_id: _id, ...record } = completed;
    expect((await project.rest('GET', `/email/${check.check_id}`)).body).toEqual(record);
    expect(check.status).toBe('success');
  });

  it('is erased with its address and its event', async () => {
    const email = `mara@${newDomain()}`;
    hold();
    await project.authenticate({ id: unique('erased'), email });
    await settle();
    expect(await typesOf()).toContain('email.intelligence.completed');
    const erased = await project.graphql(
      'mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks events } }',
      { email },
    );
    expect(erased.eraseEmail).toEqual({ checks: 1, events: 1 });
    expect(await typesOf()).not.toContain('email.intelligence.completed');
  });

  it('is applied after an update too, and not after an unrelated change', async () => {
    const id = unique('put');
    await project.authenticate({ id, email: 'mara@alive-house.net' });
    hold();
    const email = `mara@${newDomain()}`;
    await project.rest('PUT', `/account/${id}`, { email });
    await project.rest('PUT', `/account/${id}`, { first_name: 'Mara' });
    await project.rest('PUT', `/account/${id}`, { email, last_name: 'Lind' });
    expect(await checks()).toHaveLength(1);
    await settle();
    expect((await account(id)).email).toMatchObject({ domain_type: 'inactive' });
    // Findings remain when the same email is sent again, even when this gateway no longer caches the result.
    const other = await startGateway({ masterKey, database: gateway.database });
    const there = projectClient(other.baseUrl, project.projectId, project.key);
    const again = await there.authenticate({ id, email });
    expect(again.account.email).toMatchObject({ domain_type: 'inactive' });
    await other.close();
  });

  it('that does not change visible values emits only the result', async () => {
    const domain = newDomain();
    names.answers.set(domain, { exchanges: [{ priority: 5, name: `mx.${domain}` }] });
    const id = unique('accepts');
    hold();
    const answer = await project.authenticate({ id, email: `mara@${domain}` });
    await settle();
    expect((await account(id)).email).toEqual(answer.account.email);
    expect(await typesOf()).toEqual([
      ...['session.completed', 'account.authenticated', 'email.intelligence.completed'],
    ]);
  });

  it('reveals a disposable email service by its mail hosts', async () => {
    const domain = newDomain();
    names.answers.set(domain, { exchanges: [{ priority: 5, name: 'mx.mailinator.com' }] });
    const id = unique('hosts');
    hold();
    await project.authenticate({ id, email: `mara@${domain}` });
    await settle();
    expect((await account(id)).email).toMatchObject({ disposable: true, risk_signals: ['disposable_email'] });
    // Immediately for the next account, since the result is cached.
    const next = await project.authenticate({ id: unique('hosts'), email: `nils@${domain}` });
    expect(next.account.email).toMatchObject({ disposable: true });
    expect(await checks()).toHaveLength(1);
  });
});

describe('no later query is sent', () => {
  it('for a cached response, a timely response and an invalid address', async () => {
    gateway.takeStatements();
    for (const email of ['mara@alive-house.net', `mara@${newDomain()}`, 'no address', 'mara@intranet', ''])
      await project.authenticate({ id: unique('known'), email });
    expect(gateway.takeStatements().filter((name) => name.startsWith('email_check.insert'))).toEqual([]);
    expect(await checks()).toEqual([]);
  });

  it('while name servers are unreachable: the account is unchanged, without events', async () => {
    const silent = await startDnsServer();
    silent.fallback = 'silence';
    silent.answers.clear();
    const other = await startGateway({
      ...{ masterKey, database: gateway.database },
      settings: { MX_LOOKUPS: 'on', DNS_SERVERS: silent.address },
    });
    const there = projectClient(other.baseUrl, project.projectId, project.key);
    const id = unique('silent');
    const answer = await there.authenticate({ id, email: `mara@${newDomain()}` });
    expect(answer.account.email).toMatchObject({ domain_type: 'business', risk_signals: [] });
    await other.app.settleEmailChecks(project.projectId);
    expect(await checks()).toMatchObject([{ status: 'success', event_id: null }]);
    expect((await account(id)).email).toEqual(answer.account.email);
    expect(await typesOf()).toEqual(['session.completed', 'account.authenticated']);
    await other.close();
    await silent.close();
  });
});

describe('an outdated result', () => {
  it('is dropped when the email changed meanwhile', async () => {
    const id = unique('changed');
    hold();
    await project.authenticate({ id, email: `mara@${newDomain()}` });
    await project.rest('PUT', `/account/${id}`, { email: 'nils@alive-house.net' });
    await settle();
    expect((await account(id)).email).toMatchObject({ domain_type: 'business', risk_signals: [] });
    expect(await checks()).toEqual([]);
    expect(await typesOf()).toEqual(['session.completed', 'account.authenticated', 'account.updated']);
  });

  it('ends with an error when its account cannot be read, instead of endless retries', async () => {
    hold();
    await project.authenticate({ id: unique('damaged'), email: `mara@${newDomain()}` });
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    const change = (text: string) => system.query(`${text} where project_id = $1`, [project.projectId]);
    await change('update accounts set personal = set_byte(personal, 30, get_byte(personal, 30) # 1)');
    release();
    for (let round = 0; round < 6; round += 1) {
      await gateway.app.settleEmailChecks(project.projectId);
      await change(`update email_checks set claimable_at = now() - interval '1 second'`);
    }
    await system.end();
    expect(await checks()).toMatchObject([{ status: 'error', event_id: null }]);
  });

  it('is dropped when the account was erased meanwhile', async () => {
    const id = unique('erased');
    hold();
    await project.authenticate({ id, email: `mara@${newDomain()}` });
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBeLessThan(300);
    await settle();
    expect(await checks()).toEqual([]);
    expect(await typesOf()).toEqual(['account.deleted']);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });
});

it('two concurrent changes of one account leave the result of the current email', async () => {
  const id = unique('twice');
  await project.authenticate({ id });
  const domain = newDomain();
  names.answers.set(domain, { exchanges: [{ priority: 5, name: 'mx.mailinator.com' }] });
  hold();
  await Promise.all([
    project.rest('PUT', `/account/${id}`, { email: `mara@${newDomain()}` }),
    project.rest('PUT', `/account/${id}`, { email: `mara@${domain}` }),
  ]);
  expect(await checks()).toHaveLength(2);
  await settle();
  const { email } = await account(id);
  expect(email.risk_signals).toEqual([email.email.endsWith(domain) ? 'disposable_email' : 'inactive_domain']);
  expect(await checks()).toHaveLength(1);
  expect((await typesOf()).filter((type) => type === 'email.intelligence.completed')).toHaveLength(1);
});

it('another gateway runs the lookup of a gateway that was killed after its commit', async () => {
  const slow = await startDnsServer();
  slow.hold = new Promise(() => {});
  const killed: GatewayProcess = run(['serve'], {
    ...{ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey, HOST: '127.0.0.1' },
    ...{ MX_LOOKUPS: 'on', DNS_SERVERS: slow.address, MEDIA_DIR: gateway.mediaDir },
  });
  const baseUrl = await until('the gateway answers', async () => {
    return /answers on (\S+) after/.exec(killed.output())?.[1];
  });
  const there = projectClient(baseUrl, project.projectId, project.key);
  const id = unique('killed');
  await there.authenticate({ id, email: `mara@${newDomain()}` });
  killed.signal('SIGKILL');
  await killed.exited;
  await slow.close();
  expect(await checks()).toMatchObject([{ status: 'pending' }]);
  // Its lease has not expired.
  await gateway.app.settleEmailChecks(project.projectId);
  expect(await checks()).toMatchObject([{ status: 'pending' }]);
  const owner = await connectAs(gateway.database, 'vouchgraph_system');
  await owner.query(
    "update email_checks set claimable_at = now() - interval '1 second' where project_id = $1",
    [project.projectId],
  );
  await owner.end();
  await Promise.all([
    gateway.app.settleEmailChecks(project.projectId),
    gateway.app.settleEmailChecks(project.projectId),
  ]);
  expect((await account(id)).email).toMatchObject({ domain_type: 'inactive' });
  expect((await typesOf()).filter((type) => type === 'email.intelligence.completed')).toHaveLength(1);
});

describe('a network provider', () => {
  let provider: ProviderServer;
  let asking: Gateway;

  beforeAll(async () => {
    provider = await startProviderServer();
    asking = await startGateway({
      ...{ masterKey, database: gateway.database },
      settings: { HIBP_API_KEY: HIBP_KEY, HIBP_URL: provider.url, HIBP_REQUESTS_PER_MINUTE: '1000' },
    });
  });
  afterAll(async () => {
    await asking.close();
    await provider.close();
  });

  it('is queried after the commit, and its findings are stored with the account, encrypted', async () => {
    const there = projectClient(asking.baseUrl, project.projectId, project.key);
    const [id, email] = [unique('breached'), `${unique('mara')}@alive-house.net`];
    provider.breaches.set(email, [hibpBreach()]);
    const answer = await there.authenticate({ id, email });
    expect(answer.account.email.trust_signals).toEqual([]);
    await asking.app.settleEmailChecks(project.projectId);
    const known = (await account(id)).email;
    expect(known.trust_signals).toEqual(
      expect.arrayContaining(['known_breach', 'email_age_greater_than_10_years']),
    );
    expect(await typesOf()).toContain('account.updated');
    // Another change keeps the findings, and sends no query.
    const asked = provider.paths.length;
    await there.rest('PUT', `/account/${id}`, { first_name: 'Mara', email });
    await asking.app.settleEmailChecks(project.projectId);
    expect(provider.paths.length).toBe(asked);
    expect((await account(id)).email.trust_signals).toEqual(expect.arrayContaining(known.trust_signals));
    const owner = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await owner.query('select aggregates::text from accounts where project_id = $1', [
      project.projectId,
    ]);
    await owner.end();
    expect(rows[0].aggregates).toContain('findings');
    expect(rows[0].aggregates).not.toMatch(/adobe|hibp/i);
    // Another email has other findings.
    await there.rest('PUT', `/account/${id}`, { email: `${unique('nils')}@alive-house.net` });
    expect((await account(id)).email.trust_signals).not.toContain('known_breach');
  });

  it('that fails does not change the account', async () => {
    const there = projectClient(asking.baseUrl, project.projectId, project.key);
    provider.fault = (_request, response) => response.writeHead(500).end();
    const id = unique('faulty');
    const answer = await there.authenticate({ id, email: `${unique('mara')}@alive-house.net` });
    await asking.app.settleEmailChecks(project.projectId);
    provider.fault = null;
    expect((await account(id)).email).toEqual(answer.account.email);
    expect(await checks()).toMatchObject([{ status: 'success', event_id: null }]);
  });
});
