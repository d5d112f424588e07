import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

describe('a stored response', () => {
  it('is not repeated to a key with a lower role', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const body = {
      session_id: await project.session(),
      account: { id: unique('kept'), email: 'kept@example.com' },
    };
    const headers = { 'idempotency-key': unique('key') };
    expect((await project.rest('POST', '/session/authenticate', body, headers)).status).toBe(200);
    expect((await project.withKey(key).rest('POST', '/session/authenticate', body, headers)).status).toBe(
      403,
    );
  });

  it('is not shared by pages: each gets its own session', async () => {
    const open = () =>
      send(
        `${gateway.baseUrl}/session`,
        'POST',
        { project_id: project.projectId },
        { 'idempotency-key': '1' },
      );
    const [one, two] = [(await open()).body, (await open()).body];
    expect(one.session_id).not.toBe(two.session_id);
    expect(one.token).not.toBe(two.token);
  });

  it('is erased with the account that it contains, and keeps one request id', async () => {
    const id = unique('erased');
    const email = `${id}@example.com`;
    const body = { session_id: await project.session(), account: { id, email } };
    const ask = (key: string) =>
      project.rest('POST', '/session/authenticate', body, { 'idempotency-key': key });
    const key = unique('key');
    await ask(key);
    const repeated = await ask(key);
    expect(repeated.headers.get('x-request-id')).toBe(repeated.body.request_id);
    await project.rest('DELETE', `/account/${id}`);
    const after = await ask(key);
    expect(after.status).toBe(409);
    expect(after.headers.get('x-request-id')).toBe(repeated.body.request_id);
    expect(after.text).not.toContain(email);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });
});

describe('searches with many conditions', () => {
  it('do not affect each other', async () => {
    const query = `query ($filter: SessionFilter, $first: Int, $after: String) {
      sessions(first: $first, after: $after, filter: $filter) { pageInfo { endCursor hasNextPage } edges { node { sessionId } } } }`;
    for (let count = 0; count < 2; count += 1) await project.session({ ip_address: '90.54.1.1' });
    const filter = {
      source: 'WEB',
      connectionType: 'ISP',
      countryCode: 'FR',
      startedAfter: '2020-01-01T00:00:00Z',
    };
    const first = (await project.graphql(query, { first: 1, filter })).sessions;
    expect(first.pageInfo.hasNextPage).toBe(true);
    const { endCursor: after } = first.pageInfo;
    expect((await project.graphql(query, { first: 1, filter, after })).sessions.edges).toHaveLength(1);
    const both = { ...filter, startedBefore: '2099-01-01T00:00:00Z' };
    expect((await project.graphql(query, { first: 5, filter: both })).sessions.edges).toHaveLength(2);
  });
});
