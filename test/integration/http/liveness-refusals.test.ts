import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createVerification, playedVerification } from '../../support/verification.ts';

/* Every 400 below /liveness is {request_id, success, error, message}; other errors keep {statusCode, message}. */
let gateway: Gateway;
let project: TestProject;
let production: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  production = await gateway.project({ environment: 'production' });
});
afterAll(() => gateway.close());

const NOBODY = '00000000-0000-7000-8000-000000000000';
const POSTS = [
  '/liveness/verify-id',
  '/liveness/verify-face',
  '/liveness/verify-identity',
  '/liveness/enroll',
];
const WITH_ACCOUNT = POSTS.slice(2);

function expectRefusal({ status, body, headers }: Answer, error: string, message: RegExp): void {
  expect(body).toEqual({
    request_id: headers.get('x-request-id'),
    success: false,
    error,
    message: expect.stringMatching(message),
    code: expect.any(String),
  });
  expect(status).toBe(400);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
}

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

it('the suite lists all POST routes of the liveness family', () => {
  const paths = ROUTES.filter(({ method, path }) => method === 'POST' && path.startsWith('/liveness/'));
  expect(paths.map(({ path }) => path).toSorted()).toEqual(POSTS.toSorted());
});

describe.each(POSTS)('POST %s', (path) => {
  it.each<[string, string, RegExp]>([
    ['none', '', /^Body must be a JSON object$/],
    ['blanks', ' \n', /^Body must be a JSON object$/],
    ['broken JSON', '{"session_id"', /^Body is not valid JSON$/],
    ['an empty array', '[]', /^Body must be a JSON object$/],
    ['an array', '[{}]', /^Body must be a JSON object$/],
    ['null', 'null', /^Body must be a JSON object$/],
    ['text', '"x"', /^Body must be a JSON object$/],
    ['a number', '1', /^Body must be a JSON object$/],
    ['an empty object', '{}', /^session_id: required$/],
    ['null for the session', '{"session_id":null}', /^session_id: must be text$/],
    ['a number for the session', '{"session_id":1}', /^session_id: must be text$/],
    ['a list for the session', '{"session_id":["x"]}', /^session_id: must be text$/],
    ['a duplicate key', '{"session_id":"x","session_id":"y"}', /^Duplicate key "session_id"$/],
    ['a NUL character', '{"session_id":"a\\u0000b"}', /NUL character/],
    ['a lone surrogate', '{"session_id":"a\\ud800b"}', /lone surrogate/],
    ['10,000 levels', deep(10_000), /nested deeper than 64 levels$/],
  ])('returns the envelope of the family for a body that is %s', async (_name, body, message) => {
    expectRefusal(await project.rest('POST', path, body), 'invalid_request', message);
  });

  it('returns the envelope of the family for bytes that are not UTF-8', async () => {
    const response = await fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: { 'x-api-key': project.key, 'content-type': 'application/json' },
      body: Buffer.from('{"session_id":"\xff"}', 'latin1'),
    });
    const answer = {
      status: response.status,
      headers: response.headers,
      body: await response.json(),
      text: '',
    };
    expectRefusal(answer, 'invalid_request', /^Body must be UTF-8$/);
  });

  it.each([
    ['without an id', 'not-a-uuid'],
    ['an unknown id', NOBODY],
    ['empty', ''],
    ['of 10,000 characters', 'x'.repeat(10_000)],
  ])('rejects an unknown session: %s', async (_name, id) => {
    const body = { session_id: id, account_id: 'ada' };
    expectRefusal(await project.rest('POST', path, body), 'session_not_found', /\S/);
  });

  it('returns the envelope of the family for a key of 256 characters, and the common one for its reuse', async () => {
    const long = await project.rest('POST', path, {}, { 'idempotency-key': 'k'.repeat(256) });
    expectRefusal(long, 'invalid_request', /^Idempotency-Key: must be at most 255 characters$/);
    const key = { 'idempotency-key': unique('key') };
    const first = await project.rest('POST', path, '{"session_id":1}', key);
    expectRefusal(first, 'invalid_request', /must be text$/);
    const again = await project.rest('POST', path, '{"session_id":1}', key);
    expect([again.status, again.text]).toEqual([400, first.text]);
    const other = await project.rest('POST', path, '{"session_id":2}', key);
    expect([other.status, other.body]).toEqual([
      422,
      { statusCode: 422, code: expect.any(String), message: expect.any(String) },
    ]);
  });

  it('keeps the common envelope for other statuses than 400', async () => {
    const common = (status: number) => ({
      status,
      body: { statusCode: status, code: expect.any(String), message: expect.any(String) },
    });
    const session = { session_id: NOBODY };
    expect(await send(gateway.baseUrl + path, 'POST', '{"')).toMatchObject(common(401));
    expect(await project.rest('POST', `${path}/more`, session)).toMatchObject(common(404));
    expect(await project.rest('PUT', path, session)).toMatchObject(common(405));
    expect(await project.rest('POST', path, `{"a":"${'x'.repeat(300_000)}"}`)).toMatchObject(common(413));
    expect(await project.rest('POST', path, '{}', { 'content-type': 'text/plain' })).toMatchObject(
      common(415),
    );
  });
});

describe.each(WITH_ACCOUNT)('the account of POST %s', (path) => {
  it.each<[string, unknown, RegExp]>([
    ['absent', undefined, /^account_id: required$/],
    ['null', null, /^account_id: must be text$/],
    ['empty', '', /^account_id: must not be empty$/],
    ['a number', 7, /^account_id: must be text$/],
    ['of 257 characters', 'x'.repeat(257), /^account_id: must be at most 256 characters$/],
  ])('is rejected by its name: %s', async (_name, account_id, message) => {
    const answer = await project.rest('POST', path, { session_id: NOBODY, account_id });
    expectRefusal(answer, 'invalid_request', message);
  });
});

describe('GET /liveness/session', () => {
  it.each<[string, string, string, RegExp]>([
    ['an invalid boolean', 'id=maybe', 'invalid_request', /^id: must be /],
    ['an unknown simulation', 'simulate=maybe', 'invalid_simulated_session', /simulat/i],
    [
      'a score above 1',
      'simulate=success&simulate_risk_score=1.1',
      'invalid_simulated_session',
      /^simulate_risk_score: must be between 0 and 1$/,
    ],
    [
      'an invalid score',
      'simulate=success&simulate_risk_score=x',
      'invalid_simulated_session',
      /^simulate_risk_score: must be between 0 and 1$/,
    ],
    [
      'an unknown decision',
      'simulate=success&simulate_decision=real',
      'invalid_simulated_session',
      /^simulate_decision: must be Real, Suspicious or Fake$/,
    ],
    ['unknown flags', 'simulate=success&simulate_risk_flags=x', 'invalid_simulated_session', /simulat/i],
    [
      'an account of 257 characters',
      `account_id=${'x'.repeat(257)}`,
      'invalid_request',
      /^account_id: .* 256/,
    ],
    ['an account with a NUL character', 'account_id=a%00b', 'invalid_request', /NUL character/],
    ['an unknown session', `referring_session_id=${NOBODY}`, 'referring_session_not_found', /\S/],
    ['an invalid session id', 'referring_session_id=x', 'referring_session_not_found', /\S/],
    ['a script URL', 'redirect_url=javascript:alert(1)', 'redirect_not_allowed', /redirect_url/],
  ])('returns the envelope of the family for %s', async (_name, query, error, message) => {
    expectRefusal(await project.rest('GET', `/liveness/session?${query}`), error, message);
  });

  it('returns the envelope of the family for a request that production rejects', async () => {
    const simulated = await createVerification(production, { simulate: 'success' });
    expectRefusal(simulated, 'invalid_simulated_session', /sandbox/);
    const elsewhere = await createVerification(production, { redirect_url: 'https://elsewhere.example/' });
    expectRefusal(elsewhere, 'redirect_not_allowed', /^redirect_url: .*allowedOrigins/);
  });
});

describe('a documented error word', () => {
  it('has a message with the same meaning', async () => {
    const { body } = await createVerification(project, { simulate: 'success' });
    const verify = (path: string, more: Body = {}) =>
      project.rest('POST', path, { session_id: body.session_id, ...more });
    expectRefusal(await verify('/liveness/verify-face'), 'session_not_started', / /);
    expectRefusal(await verify('/liveness/verify-id'), 'session_not_valid_for_this_endpoint', / /);
    const played = await playedVerification(gateway, project, { simulate: 'success' });
    const identity = { session_id: played, account_id: unique('nobody') };
    expectRefusal(
      await project.rest('POST', '/liveness/verify-identity', identity),
      'account_not_found',
      / /,
    );
    const owner = unique('owner');
    const owned = await playedVerification(gateway, project, { simulate: 'success', account_id: owner });
    const taken = { session_id: owned, account_id: unique('other') };
    const refused = await project.rest('POST', '/liveness/enroll', taken);
    expectRefusal(refused, 'session_already_tied_to_an_account', / /);
  });
});
