import { request } from 'node:http';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import { type DnsServer, startDnsServer } from '../../support/email/dns-server.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* Results that need a name server: pending first, completed in the background, and waited for. */
const masterKey = generateMasterKey();
let servers: DnsServer;
let gateway: Gateway;
let project: TestProject;
let release: () => void;

beforeAll(async () => {
  servers = await startDnsServer();
  servers.fallback = { exchanges: [{ priority: 10, name: 'mx.example.net' }] };
  const settings = { MX_LOOKUPS: 'on', DNS_SERVERS: servers.address };
  gateway = await startGateway({ masterKey, settings, completesEmailChecks: false });
  project = await gateway.project();
});
beforeEach(() => {
  release();
});
afterAll(async () => {
  await gateway.close();
  await servers.close();
});

/** The name server answers when it is released. */
function hold(): void {
  const held = Promise.withResolvers<void>();
  servers.hold = held.promise;
  release = () => {
    servers.hold = null;
    held.resolve();
  };
}
release = () => {};

/** The current time, as soon as it is after `moment`. */
async function whenLaterThan(moment: number): Promise<number> {
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(moment), { interval: 1 });
  return Date.now();
}

const addressAt = (domain = `${unique('domain')}.com`) => `ada@${domain}`;

describe('a single check', () => {
  test('is pending during DNS queries, and completes in the background', async () => {
    hold();
    const { body, text } = await project.rest('POST', '/email', { email: addressAt() });
    expect(text).toBe(`{"request_id":"${body.request_id}","webhook_configured":false}`);
    const path = `/email/${body.request_id}`;
    const pending = await project.rest('GET', path);
    expect(pending.text).toBe(`{"request_id":"${body.request_id}","status":"pending"}`);
    DOCUMENTED_ANSWERS['email.get']!.parse(pending.body);
    release();
    await gateway.app.settleEmailChecks(project.projectId);
    const { body: done } = await project.rest('GET', path);
    expect([done.request_id, done.status]).toEqual([body.request_id, 'success']);
  });

  test('with wait returns when its result is ready', async () => {
    const { body } = await project.rest('POST', '/email?wait=10', { email: addressAt() });
    DOCUMENTED_ANSWERS['email.check']!.parse(body);
    expect(body.result).toEqual((await project.rest('GET', `/email/${body.request_id}`)).body);
  });

  test('has the completion time of its result, as in its event', async () => {
    hold();
    const asked = servers.asked.length;
    const { body } = await project.rest('POST', '/email', { email: addressAt() });
    await vi.waitFor(() => expect(servers.asked.length).toBeGreaterThan(asked), 50_000);
    const released = await whenLaterThan(Date.now());
    release();
    await gateway.app.settleEmailChecks(project.projectId);
    const { body: done } = await project.rest('GET', `/email/${body.request_id}`);
    expect(Date.parse(done.completed_at)).toBeGreaterThanOrEqual(released);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      '{ events(types: [EMAIL_INTELLIGENCE_COMPLETED], first: 100) { edges { node { requestId createdAt } } } }',
    );
    const [event] = events.edges.filter(({ node }: Body) => node.requestId === body.request_id);
    expect(event.node.createdAt).toBe(done.completed_at);
  });

  test('with a wait that is too short is acknowledged without a result', async () => {
    hold();
    const { body } = await project.rest('POST', '/email?wait=0.05', { email: addressAt() });
    expect(Object.keys(body)).toEqual(['request_id', 'webhook_configured']);
  });

  test('of a known domain does not wait', async () => {
    const domain = `${unique('known')}.com`;
    await project.rest('POST', '/email?wait=10', { email: addressAt(domain) });
    hold();
    const { body } = await project.rest('POST', '/email?wait=0', { email: `eve@${domain}` });
    expect(body.result.status).toBe('success');
  });
});

describe('a batch', () => {
  test('queries each domain once', async () => {
    const domain = `${unique('once')}.com`;
    const emails = Array.from({ length: 50 }, (_, index) => ({ email: `p${index}@${domain}` }));
    await project.rest('POST', '/email', { emails });
    await gateway.app.settleEmailChecks(project.projectId);
    expect(servers.asked.filter((name) => name === domain)).toHaveLength(1);
  });

  test('completed by another gateway ends the wait of this one', async () => {
    const settings = { MX_LOOKUPS: 'off' };
    const other = await startGateway({ masterKey, settings, database: gateway.database });
    const emails = Array.from({ length: 150 }, (_, index) => ({ email: `w${index}@gmail.com` }));
    const { body } = await project.rest('POST', '/email?wait=10', { emails });
    await other.close();
    DOCUMENTED_ANSWERS['email.check']!.parse(body);
    expect(body).toMatchObject({ status: 'completed', total_count: 150, completed_count: 150 });
    expect(body.results).toHaveLength(100);
    const rest = await project.rest('GET', `/email/batch/${body.batch_id}?cursor=${body.next_cursor}`);
    expect(rest.body.results).toHaveLength(50);
    expect(rest.body.next_cursor).toBeNull();
  });

  test('waits without a database connection, and no longer than its client', async () => {
    const { port } = new URL(gateway.baseUrl);
    const client = request({
      ...{ port, method: 'POST', path: '/email?wait=10', host: '127.0.0.1' },
      headers: { 'x-api-key': project.key, 'content-type': 'application/json' },
    });
    client.on('error', () => {});
    gateway.takeStatements();
    // No process completes it.
    client.end(JSON.stringify({ emails: [{ email: addressAt() }] }));
    const polls = () =>
      gateway.takeStatements().filter((name) => name === 'email_check.are_completed').length;
    let count = 0;
    await vi.waitFor(
      () => {
        count += polls();
        expect(count).toBeGreaterThan(1);
      },
      { timeout: 50_000, interval: 5 },
    );
    expect(await idleInTransaction()).toEqual([]);
    client.destroy();
    // A request that waits sends a statement every 250 ms, and would for ten seconds.
    let quiet = 0;
    await vi.waitFor(
      () => {
        quiet = polls() === 0 ? quiet + 1 : 0;
        expect(quiet).toBe(4);
      },
      { timeout: 50_000, interval: 200 },
    );
  });

  test('shares its queries with concurrent waiting checks', async () => {
    const waiting = 30;
    gateway.takeStatements();
    const answers = await Promise.all(
      Array.from({ length: waiting }, () =>
        project.rest('POST', '/email?wait=1.5', { emails: [{ email: addressAt() }] }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(waiting).fill(200));
    const polls = gateway.takeStatements().filter((name) => name === 'email_check.are_completed');
    // Each queries once when its wait starts.
    expect(polls.length).toBeLessThan(2 * waiting);
  });

  function idleInTransaction(): Promise<unknown[]> {
    const text = `select query from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
    return gateway.app.database.system.query({ name: 'test.idle_in_transaction', text }, []);
  }

  test('with a wait that is too short returns its progress', async () => {
    const { body } = await project.rest('POST', '/email?wait=0', { emails: [{ email: 'a@gmail.com' }] });
    expect(body).toEqual({
      batch_id: expect.any(String),
      batch_name: '',
      status: 'pending',
      total_count: 1,
      completed_count: 0,
      results: [],
      next_cursor: null,
      webhook_configured: false,
    });
  });
});

describe('a gateway that closes', () => {
  const leavingGateway = () => {
    const settings = { MX_LOOKUPS: 'on', DNS_SERVERS: servers.address };
    return startGateway({ masterKey, settings, database: gateway.database, completesEmailChecks: false });
  };

  test('leaves single checks that it has not completed to another one', async () => {
    const leaving = await leavingGateway();
    hold();
    const client = projectClient(leaving.baseUrl, project.projectId, project.key);
    const { body } = await client.rest('POST', '/email', { email: addressAt() });
    await leaving.close();
    expect((await project.rest('GET', `/email/${body.request_id}`)).body.status).toBe('pending');
    release();
    await gateway.app.settleEmailChecks(project.projectId);
    expect((await project.rest('GET', `/email/${body.request_id}`)).body.status).toBe('success');
  });

  test('acknowledges waiting requests', async () => {
    const leaving = await leavingGateway();
    const client = projectClient(leaving.baseUrl, project.projectId, project.key);
    const answer = client.rest('POST', '/email?wait=10', { emails: [{ email: addressAt() }] });
    await vi.waitFor(() => expect(leaving.takeStatements()).toContain('email_check.are_completed'), {
      timeout: 50_000,
      interval: 5,
    });
    const began = performance.now();
    await leaving.close();
    const { status, body } = await answer;
    expect([status, body.status, body.results]).toEqual([200, 'pending', []]);
    expect(performance.now() - began).toBeLessThan(7000);
  });

  test('by a crash leaves its checks to another one when its lease expires', async () => {
    const email = addressAt();
    const { body } = await project.rest('POST', '/email?wait=10', { email });
    const path = `/email/${body.request_id}`;
    const first = await project.rest('GET', path);
    // As if the process had ended before the result was stored.
    const change = async (text: string) =>
      gateway.app.database.system.query({ name: `test.${text}`, text }, [body.request_id]);
    const undo = `update email_checks set status = 'pending', result = null, completed_at = null, event_id = null,`;
    await change(`${undo} claimable_at = now() + interval '30 seconds' where check_id = $1`);
    await gateway.app.settleEmailChecks(project.projectId);
    expect((await project.rest('GET', path)).body.status).toBe('pending');
    await change(`update email_checks set claimable_at = now() - interval '1 second' where check_id = $1`);
    await gateway.app.settleEmailChecks(project.projectId);
    const again = await project.rest('GET', path);
    expect(again.body.data.result.risk_score).toEqual(first.body.data.result.risk_score);
  });
});

describe('a request with an Idempotency-Key', () => {
  test('returns the stored response when repeated, and creates no second check', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const post = () => project.rest('POST', '/email?wait=10', { email: 'repeat@gmail.com' }, headers);
    const first = await post();
    const second = await post();
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-request-id')).toBe(first.body.request_id);
    const batch = (email: string) => project.rest('POST', '/email?wait=0', { emails: [{ email }] }, headers);
    const [one, two] = [await batch('one@gmail.com'), await batch('one@gmail.com')];
    expect(two.text).toBe(one.text);
    expect((await batch('two@gmail.com')).status).toBe(422);
  });

  test('creates one check for two concurrent requests', async () => {
    const email = `${unique('twice')}@gmail.com`;
    const headers = { 'idempotency-key': unique('key') };
    const post = () => project.rest('POST', '/email?wait=10', { email }, headers);
    const [one, two] = await Promise.all([post(), post()]);
    expect(two.text).toBe(one.text);
    const { body } = await project.rest('POST', '/email?wait=10', { email });
    expect(body.request_id).not.toBe(one.body.request_id);
  });

  test('runs again when it failed before storing its check', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const post = () => project.rest('POST', '/email', { email: 'again@gmail.com' }, headers);
    // Of a domain that is known, so that the history is read within the request.
    await project.rest('POST', '/email?wait=10', { email: 'known@gmail.com' });
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'refused by the test'; end $$;
      create trigger refuse before insert on email_checks for each row execute function refuse()`);
    const failed = await post();
    await owner.query('drop trigger refuse on email_checks; drop function refuse()');
    await owner.end();
    expect(failed.status).toBe(500);
    expect((await post()).status).toBe(200);
  });

  test('loses its stored response with its check', async () => {
    const email = `${unique('gone')}@gmail.com`;
    const headers = { 'idempotency-key': unique('key') };
    const post = () => project.rest('POST', '/email?wait=10', { email }, headers);
    const { body } = await post();
    expect(body.result.data.input.email).toBe(email);
    await project.graphql(
      'mutation ($email: String!) { eraseEmail(input: { email: $email }) { requestId } }',
      { email },
    );
    expect((await project.rest('GET', `/email/${body.request_id}`)).status).toBe(400);
    const repeat = await post();
    expect(repeat.status).toBe(409);
    expect(repeat.text).not.toContain(email);
  });
});
