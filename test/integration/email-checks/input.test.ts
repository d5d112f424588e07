import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const post = (body: unknown, query = '') => project.rest('POST', `/email${query}`, body);
const refused = (message: string) => ({
  statusCode: 400,
  code: expect.any(String),
  error: 'Bad Request',
  message,
});
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `person${index}@example.com` }));

/** Numbers of stored checks and batches. */
async function stored(): Promise<Body> {
  const [row] = await gateway.app.database.system.query(
    {
      name: 'test.count_email_checks',
      text: `select (select count(*)::int from email_checks where project_id = $1) as checks,
               (select count(*)::int from email_batches where project_id = $1) as batches`,
    },
    [project.projectId],
  );
  return row;
}

const ENTRY = 'each entry in emails must have an email field';
const REFUSALS: [string, unknown, string, string?][] = [
  ['no address', {}, 'email is required'],
  ['null', { email: null, emails: null }, 'email is required'],
  ['an empty address', { email: ' ' }, 'email is required'],
  ['a number', { email: 5 }, 'email: must be text'],
  ['321 characters', { email: `${'a'.repeat(310)}@example.com` }, 'email: must be at most 320 characters'],
  ['an empty batch', { emails: [] }, 'emails: must have at least 1 entry'],
  ['1,001 addresses', { emails: addresses(1001) }, 'emails: must have at most 1000 entries'],
  ['both', { email: 'a@example.com', emails: addresses(1) }, 'email and emails cannot be sent together'],
  ['no list', { emails: 'a@example.com' }, 'emails: must be a list'],
  ['an entry without address', { emails: [{ email: 'a@example.com' }, { claims: {} }] }, ENTRY],
  ['a null entry', { emails: [null] }, ENTRY],
  ['a text entry', { emails: ['a@example.com'] }, ENTRY],
  ['an empty entry', { emails: [{ email: '' }] }, ENTRY],
  [
    'an entry of 321 characters',
    { emails: [{ email: `${'a'.repeat(310)}@example.com` }] },
    'emails.0.email: must be at most 320 characters',
  ],
  [
    'a long name',
    { email: 'a@example.com', claims: { name: { first: 'x'.repeat(257) } } },
    'claims.name.first: must be at most 256 characters',
  ],
  [
    'a long phone',
    { email: 'a@example.com', claims: { phone: '1'.repeat(33) } },
    'claims.phone: must be at most 32 characters',
  ],
  [
    'an unknown country',
    { email: 'a@example.com', claims: { country: 'USA' } },
    'claims.country: must be an ISO 3166-1 alpha-2 country code: use US',
  ],
  ['claims as text', { email: 'a@example.com', claims: 'Ada' }, 'claims: must be an object'],
  [
    'a boolean as text',
    { email: 'a@example.com', identity_intelligence: 'yes' },
    'identity_intelligence: must be true or false',
  ],
  [
    'a long batch name',
    { emails: addresses(1), batch_name: 'x'.repeat(257) },
    'batch_name: must be at most 256 characters',
  ],
  ['a long wait', { email: 'a@example.com' }, 'wait: must be between 0 and 10', '?wait=10.1'],
  ['a negative wait', { email: 'a@example.com' }, 'wait: must be between 0 and 10', '?wait=-1'],
  ['a wait in words', { email: 'a@example.com' }, 'wait: must be between 0 and 10', '?wait=long'],
  ['two waits', { email: 'a@example.com' }, 'wait: must be sent once, as wait=VALUE', '?wait=1&wait=2'],
  ['malformed JSON', '{', 'Body is not valid JSON'],
];

describe('POST /email', () => {
  test.each(REFUSALS)('rejects %s, and stores nothing', async (_, body, message, query) => {
    const before = await stored();
    const answer = await post(body, query);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refused(message === 'Body is not valid JSON' ? expect.any(String) : message));
    expect(await stored()).toEqual(before);
  });

  test('treats null, empty values and unknown keys as absent', async () => {
    const claims = { name: [], phone: null, country: '', hobby: 'x' };
    const { status, body } = await post({ email: 'a@example.com', emails: null, claims, x: 1 }, '?wait=');
    expect(status).toBe(200);
    const { data } = (await project.rest('GET', `/email/${body.request_id}`)).body;
    expect(data.input).toEqual({ email: 'a@example.com', claims: null });
    expect((await post({ email: '', emails: addresses(1), claims: [] })).status).toBe(200);
  });

  test('accepts 320 characters, 1,000 addresses with claims and a body of more than 256 KB', async () => {
    const email = `${'a'.repeat(308)}@example.com`;
    expect((await post({ email })).status).toBe(200);
    const claims = { name: { first: 'x'.repeat(200), last: 'y'.repeat(200) }, phone: '+14155552671' };
    const emails = addresses(1000).map((each) => ({ ...each, claims }));
    expect(JSON.stringify(emails).length).toBeGreaterThan(400_000);
    const { status, body } = await post({ emails, batch_name: unique('large') });
    expect([status, body.total_count]).toEqual([200, 1000]);
  });

  test('returns 413 for a body of more than 2 MB, and other errors, in the common envelope', async () => {
    const large = await post({ email: 'a@example.com', x: 'x'.repeat(2 * 1024 * 1024) });
    expect([large.status, Object.keys(large.body)]).toEqual([413, ['statusCode', 'message', 'code']]);
    const typed = await project.rest('POST', '/email', 'email=a', { 'content-type': 'text/plain' });
    expect([typed.status, Object.keys(typed.body)]).toEqual([415, ['statusCode', 'message', 'code']]);
    const unknown = await project.withKey('vg_sandbox_wrong').rest('POST', '/email', { email: 'a' });
    expect(unknown.body).toEqual({ statusCode: 401, code: expect.any(String), message: 'Unauthorized' });
    expect((await project.rest('GET', '/email')).body).toEqual({
      statusCode: 405,
      code: expect.any(String),
      message: expect.stringMatching(/^Method Not Allowed: must be one of /),
    });
  });
});

describe('GET /email', () => {
  test.each(['not-an-id', '00000000-0000-7000-8000-000000000000', '%00'])('%s is unknown', async (id) => {
    const check = await project.rest('GET', `/email/${id}`);
    expect([check.status, check.body]).toEqual([400, refused('Email check not found')]);
    const batch = await project.rest('GET', `/email/batch/${id}`);
    expect([batch.status, batch.body]).toEqual([400, refused('Email batch not found')]);
  });

  test.each([
    ['limit=0', 'limit: must be a whole number between 1 and 1000'],
    ['limit=1001', 'limit: must be a whole number between 1 and 1000'],
    ['limit=x', 'limit: must be a whole number between 1 and 1000'],
    ['cursor=x', 'cursor: must be a cursor of an earlier response to the same query'],
  ])('rejects %s', async (query, message) => {
    const { body } = await post({ emails: addresses(1) });
    const answer = await project.rest('GET', `/email/batch/${body.batch_id}?${query}`);
    expect([answer.status, answer.body]).toEqual([400, refused(message)]);
  });
});

describe('GraphQL', () => {
  const CHECK = 'mutation ($input: CheckEmailInput!) { checkEmail(input: $input) { emailCheck { id } } }';
  const CHECKS = 'mutation ($input: CheckEmailsInput!) { checkEmails(input: $input) { emailBatch { id } } }';
  test.each([
    [CHECK, { email: ' ' }, 'input.email: must not be empty'],
    [CHECK, { email: 'x'.repeat(321) }, 'input.email: must be at most 320 characters'],
    [CHECK, { email: 'a', waitSeconds: 11 }, 'input.waitSeconds: must be between 0 and 10'],
    [
      CHECK,
      { email: 'a', claims: { name: { last: 'x'.repeat(257) } } },
      'input.claims.name.last: must be at most 256 characters',
    ],
    [CHECKS, { emails: [] }, 'input.emails: must have at least 1 entry'],
    [CHECKS, { emails: addresses(1001) }, 'input.emails: must have at most 1000 entries'],
  ])('rejects invalid input: %#', async (query, input, message) => {
    const before = await stored();
    const { body } = await project.rawGraphql(query, { input });
    expect(body.errors[0]).toMatchObject({ message, extensions: { code: 'input.invalid' } });
    expect(await stored()).toEqual(before);
  });

  test('assigns each of two checks in one document its own id, the first that of the request', async () => {
    const { body, headers } = await project.rawGraphql(`mutation {
      a: checkEmail(input: { email: "a@example.com" }) { emailCheck { checkId checkStatus } }
      b: checkEmail(input: { email: "b@example.com" }) { emailCheck { checkId checkStatus } } }`);
    expect(body.data.a.emailCheck).toEqual({ checkId: headers.get('x-request-id'), checkStatus: 'SUCCESS' });
    expect(body.data.b.emailCheck.checkId).not.toBe(body.data.a.emailCheck.checkId);
  });

  test('lets a read key read results and not check; a limited browser token can do neither', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const { body } = await post({ email: 'a@example.com' });
    const reader = project.withKey(key);
    expect((await reader.rest('POST', '/email', { email: 'a@example.com' })).status).toBe(403);
    expect((await reader.rest('GET', `/email/${body.request_id}`)).status).toBe(200);
    await project.authenticate({ id: 'mine' });
    const { createBrowserToken } = await project.graphql(
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "mine" }) { token } }',
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    for (const query of [
      `{ emailCheck(id: "${globalIdOf('EmailCheck', body.request_id)}") { id } }`,
      `{ emailBatch(id: "${globalIdOf('EmailBatch', body.request_id)}") { id } }`,
      '{ emailBatches { edges { cursor } } }',
      'mutation { checkEmail(input: { email: "a" }) { requestId } }',
      'mutation { checkEmails(input: { emails: [{ email: "a" }] }) { requestId } }',
    ]) {
      const answer = await project.rawGraphql(query, undefined, headers);
      expect(answer.body.errors[0].extensions.code, query).toBe('auth.forbidden');
    }
  });
});
