import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/*
 * Guessed ids disclose nothing: the response for an object of another project equals, to the last byte, that
 * for an unknown id.
 */
let gateway: Gateway;
let project: TestProject;
let stranger: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  stranger = await gateway.project();
});
afterAll(() => gateway.close());

/** A response except the request's own id and time. */
function shown({ status, headers, text }: Answer) {
  const rest = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: Object.fromEntries(rest) };
}

const SESSION_GONE = JSON.stringify({
  ...{ statusCode: 400, message: 'Session ID not found', code: 'session.not_found' },
});
const ACCOUNT_GONE = JSON.stringify({
  ...{ statusCode: 400, message: 'Account not found', code: 'account.not_found' },
});

describe('an unknown session', () => {
  const requests: [string, (id: string) => Promise<Answer>][] = [
    ['GET /session', (id) => project.rest('GET', `/session/${id}`)],
    [
      'POST /session/authenticate',
      (id) => project.rest('POST', '/session/authenticate', { session_id: id, account: { id: 'nobody' } }),
    ],
    [
      'POST /session/unauthenticated',
      (id) => project.rest('POST', '/session/unauthenticated', { session_id: id }),
    ],
    ['PATCH /session', (id) => project.rest('PATCH', `/session/${id}`, {})],
    ['POST /session/complete', (id) => project.rest('POST', `/session/${id}/complete`)],
  ];

  it.each(requests)(
    'has the same response when it is foreign, unknown or not a UUID: %s',
    async (_name, ask) => {
      const foreign = await stranger.session();
      const open = await stranger.session({ open: true });
      const unknown = shown(await ask(randomUUID()));
      expect(unknown).toMatchObject({ status: 400, text: SESSION_GONE });
      for (const id of [foreign, open, foreign.toUpperCase(), 'not-a-uuid', `${foreign}0`]) {
        expect(shown(await ask(id))).toEqual(unknown);
      }
      expect((await project.rest('GET', '/account/nobody')).text).toBe(ACCOUNT_GONE);
      expect((await stranger.rest('GET', `/session/${foreign}`)).body.account_ids).toEqual([]);
    },
  );

  it('is null in GraphQL, and an error with a code where it is required', async () => {
    const foreign = await stranger.session();
    const score = 'query ($id: ID!) { scoreSession(sessionId: $id) { accountScore } }';
    const authenticate =
      'mutation ($id: ID!) { authenticateSession(input: { sessionId: $id, account: { accountId: "nobody" } }) { requestId } }';
    for (const id of [foreign, randomUUID(), 'not-a-uuid', '']) {
      expect(
        await project.graphql('query ($id: ID!) { session(sessionId: $id) { sessionId } }', { id }),
      ).toEqual({
        session: null,
      });
      for (const mutation of [score, authenticate]) {
        const { body } = await project.rawGraphql(mutation, { id });
        expect(Object.values(body.data)).toEqual([null]);
        expect(body.errors[0]).toMatchObject({
          message: 'Session ID not found',
          extensions: { code: 'session.not_found' },
        });
      }
    }
  });
});

describe('an unknown account', () => {
  const requests: [string, string, string][] = [
    ['GET', '', 'the record'],
    ['PUT', '', 'a change'],
    ['DELETE', '', 'the end'],
    ['GET', '/accounts-linked', 'its links'],
    ['GET', '/sessions', 'its sessions'],
  ];

  it.each(requests)(
    'has the same response when it is foreign or unknown: %s /account/…%s',
    async (method, path) => {
      const foreign = unique('foreign');
      await stranger.authenticate({ id: foreign, email: 'foreign@example.com' });
      const body = method === 'PUT' ? { email: 'taken@example.com' } : undefined;
      const ask = (id: string) => project.rest(method, `/account/${encodeURIComponent(id)}${path}`, body);
      const unknown = shown(await ask(unique('unknown')));
      expect(unknown).toMatchObject({ status: 400, text: ACCOUNT_GONE });
      for (const id of [foreign, 'x'.repeat(257), ' ', '../account', "' or '1'='1"]) {
        expect(shown(await ask(id))).toEqual(unknown);
      }
      const kept = await stranger.rest('GET', `/account/${foreign}`);
      expect(kept.body.account.email).toBe('foreign@example.com');
    },
  );

  it('is rejected with a NUL in its id', async () => {
    for (const [method, path] of requests) {
      const answer = await project.rest(method, `/account/a%00b${path}`, method === 'PUT' ? {} : undefined);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/NUL/);
    }
  });

  it('has no path without an id', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await project.rest(method, '/account/', method === 'PUT' ? {} : undefined);
      expect(shown(answer)).toMatchObject({
        status: 404,
        text: '{"statusCode":404,"message":"Not Found","code":"http.not_found"}',
      });
    }
  });

  it('is null in GraphQL, and an error with a code where it is required', async () => {
    const foreign = unique('foreign');
    await stranger.authenticate({ id: foreign });
    for (const id of [foreign, unique('unknown'), 'x'.repeat(257)]) {
      expect(await project.graphql('query ($id: ID!) { account(accountId: $id) { id } }', { id })).toEqual({
        account: null,
      });
      for (const mutation of ['updateAccount', 'deleteAccount']) {
        const { body } = await project.rawGraphql(
          `mutation ($id: ID!) { ${mutation}(input: { accountId: $id }) { requestId } }`,
          { id },
        );
        expect(Object.values(body.data)).toEqual([null]);
        expect(body.errors[0]).toMatchObject({
          message: 'Account not found',
          extensions: { code: 'account.not_found' },
        });
      }
    }
  });
});
