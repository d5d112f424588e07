import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startOwnGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { openBrowser, PASSWORD, signedIn } from '../../support/people.ts';
import { connectAs } from '../../support/sql.ts';
import { openSocket } from '../../support/websocket.ts';

const clock = new TestClock();
const masterKey = generateMasterKey();
let gateway: Gateway;
let second: Gateway;
let project: TestProject;
const opened: { close(): void }[] = [];
beforeAll(async () => {
  gateway = await startOwnGateway({ clock, masterKey });
  second = await startOwnGateway({ clock, masterKey, database: gateway.database, worksInBackground: false });
  project = await gateway.project();
});
afterAll(async () => {
  for (const one of opened) one.close();
  await second.close();
  await gateway.close();
});

const ME = '{ me { role project { projectId } } }';
const socketUrl = (of: Gateway) => `${of.baseUrl.replace('http', 'ws')}/graphql`;

describe('the cookie of a person', () => {
  it('is accepted from the console alone', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const { cookie } = person.headers();
    const ask = (headers: Record<string, string>) =>
      send(`${gateway.baseUrl}/graphql`, 'POST', { query: ME }, { cookie: cookie!, ...headers });
    expect((await ask({ origin: gateway.baseUrl })).status).toBe(200);
    expect((await ask({ origin: gateway.baseUrl.replace('127.0.0.1', 'localhost') })).status).toBe(200);
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}])
      expect((await ask(headers as Record<string, string>)).status).toBe(403);
    const read = (site: string) =>
      send(`${gateway.baseUrl}/graphql?query=${encodeURIComponent(ME)}`, 'GET', undefined, {
        cookie: cookie!,
        accept: 'application/json',
        'sec-fetch-site': site,
      });
    expect((await read('same-origin')).status).toBe(200);
    expect((await read('cross-site')).status).toBe(403);
  });

  it('with another signature is no session', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const [[name, value] = []] = person.cookies;
    person.cookies.set(name!, `${decodeURIComponent(value!).split('.')[0]}.${'A'.repeat(43)}%3D`);
    expect((await person.graphql(ME)).status).toBe(401);
  });

  it('opens a WebSocket from the console alone, which closes when the session ends in another gateway', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const { cookie } = person.headers();
    const open = (origin: string) =>
      openSocket(opened, socketUrl(gateway), undefined, { headers: { cookie: cookie!, origin } });
    const init = { type: 'connection_init', payload: { 'x-project-id': project.projectId } };
    const foreign = await open('https://evil.example');
    foreign.send(init);
    expect((await foreign.closed).code).toBe(4403);
    const own = await open(gateway.baseUrl);
    own.send(init);
    expect(await own.receive()).toEqual({ type: 'connection_ack' });
    const elsewhere = openBrowser(second.baseUrl);
    for (const [name, value] of person.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.auth('POST', '/sign-out')).status).toBe(200);
    expect((await own.closed).code).toBe(4403);
    expect((await person.graphql(ME)).status).toBe(401);
  });
});

describe('a session', () => {
  it('ends after 30 minutes without a request', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    clock.advance(29 * 60_000);
    expect((await person.graphql(ME)).status).toBe(200);
    clock.advance(29 * 60_000);
    expect((await person.graphql(ME)).status).toBe(200);
    clock.advance(31 * 60_000);
    expect((await person.graphql(ME)).status).toBe(401);
    expect((await person.auth('GET', '/get-session')).body).toBeNull();
  });

  it('ends 12 hours after the sign-in, however often it is used', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const statuses = new Set<number>();
    for (let minutes = 0; minutes < 11 * 60; minutes += 20) {
      clock.advance(20 * 60_000);
      statuses.add((await person.graphql(ME)).status);
    }
    expect([...statuses]).toEqual([200]);
    clock.advance(61 * 60_000);
    expect((await person.graphql(ME)).status).toBe(401);
  });

  it('is listed and ended by its person only', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const stranger = await signedIn(gateway, project.projectId, 'viewer');
    const phone = openBrowser(second.baseUrl);
    await phone.auth('POST', '/sign-in/email', { email: person.email, password: PASSWORD });
    const { sessions } = (await person.auth('GET', '/sessions')).body;
    expect(sessions).toHaveLength(2);
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    expect(other).toMatchObject({ method: 'password', address: '127.0.0.1' });
    expect(JSON.stringify(sessions)).not.toContain('token');
    expect((await stranger.auth('POST', '/end-session', { id: other.id })).status).toBe(404);
    expect((await phone.graphql(ME)).status).toBe(200);
    expect((await person.auth('POST', '/end-session', { id: other.id })).status).toBe(200);
    expect((await phone.graphql(ME)).status).toBe(401);
    expect((await person.auth('POST', '/end-session', { id: 'x' })).status).toBe(404);
    await phone.auth('POST', '/sign-in/email', { email: person.email, password: PASSWORD });
    expect((await person.auth('POST', '/end-other-sessions')).body).toEqual({ ended: 1 });
    expect((await phone.graphql(ME)).status).toBe(401);
    expect((await person.graphql(ME)).status).toBe(200);
  });

  it('of a changed password ends, except the one that changed it', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const phone = openBrowser(gateway.baseUrl);
    await phone.auth('POST', '/sign-in/email', { email: person.email, password: PASSWORD });
    const changed = await person.auth('POST', '/change-password', {
      currentPassword: PASSWORD,
      newPassword: 'another long password',
    });
    expect(changed.status).toBe(200);
    expect((await phone.graphql(ME)).status).toBe(401);
    expect((await person.graphql(ME)).status).toBe(200);
  });

  it('of a reset ends, and its person chooses another password by a link', async () => {
    const person = await signedIn(gateway, project.projectId, 'analyst');
    const { secret } = await gateway.app.parts.http.persons.invitations.reset(person.email);
    expect((await person.graphql(ME)).status).toBe(401);
    const shown = await person.auth('POST', '/invitation', { secret });
    expect(shown.body).toMatchObject({ kind: 'RESET', email: person.email });
    const entered = { secret, name: 'Ada', password: 'yet another password' };
    expect((await person.auth('POST', '/accept-invitation', entered)).status).toBe(200);
    expect((await person.graphql(ME)).body.data.me.role).toBe('ANALYST');
  });
});

describe('a role', () => {
  it('is needed in the project of the request, and another project looks like none', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const foreign = await gateway.project();
    const asked = await person.graphql(ME, {}, foreign.projectId);
    const unknown = await person.graphql(ME, {}, '00000000-0000-7000-8000-000000000000');
    expect(asked.status).toBe(403);
    expect(asked.body.errors[0].message).toBe(unknown.body.errors[0].message);
  });

  it('counts from the next request on', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const { invitations } = gateway.app.parts.http.persons;
    const create = () =>
      person.graphql('mutation { createList(input: { name: "by a person" }) { requestId } }', {});
    expect((await create()).body.errors[0].extensions.code).toBe('auth.forbidden');
    await invitations.setRole(person.email, project.projectId, 'analyst');
    expect((await create()).body.errors).toBeUndefined();
    const { auditLog } = await project.graphql(
      '{ auditLog(first: 1, filter: { actions: [LIST_CREATE] }) { edges { node { action actor actorKind role: actorRole address } } } }',
    );
    expect(auditLog.edges[0].node).toMatchObject({
      action: 'LIST_CREATE',
      actorKind: 'PERSON',
      role: 'analyst',
    });
    expect(auditLog.edges[0].node.address).toBe('127.0.0.1');
    await invitations.setRole(person.email, project.projectId, null);
    const gone = await person.graphql(ME);
    expect([gone.status, gone.body.errors[0].message]).toEqual([403, 'You have no role in a project yet']);
  });
});

it('people are out of reach of the role that serves requests', async () => {
  const client = await connectAs(gateway.database, 'vouchgraph_app');
  try {
    await expect(client.query('select 1 from vouchgraph_people.people')).rejects.toThrow(/permission denied/);
  } finally {
    await client.end();
  }
});
