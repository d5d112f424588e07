import { type Audit, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';

/*
 * The published audits of the GraphQL over HTTP specification. A plain POST takes the short path and any other
 * request goes through Yoga, so that the suite runs once with unmodified requests, and once with a media type
 * that only Yoga accepts.
 */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** The same JSON under its older GraphQL media type, which the short path passes to Yoga. */
function forYoga(headers: Headers): Headers {
  const type = headers.get('content-type') ?? '';
  if (/^application\/json\b/.test(type)) {
    headers.set('content-type', type.replace('application/json', 'application/graphql+json'));
  }
  return headers;
}

function auditsOf(change: (headers: Headers) => Headers): Audit[] {
  return serverAudits({
    url: () => `${gateway.baseUrl}/graphql`,
    fetchFn: (url: string, init?: RequestInit) => {
      const headers = change(new Headers(init?.headers));
      headers.set('x-api-key', project.key);
      return fetch(url, { ...init, headers });
    },
  });
}

const WAYS = [
  { way: 'along the default path', audits: auditsOf((headers) => headers) },
  { way: 'with Yoga alone', audits: auditsOf(forYoga) },
];

describe.each(WAYS)('GraphQL over HTTP, $way', ({ audits }) => {
  it('passes all 61 audits', () => {
    expect(audits).toHaveLength(61);
  });

  it.each(audits.map((audit) => ({ name: `${audit.id} ${audit.name}`, audit })))(
    '$name',
    async ({ audit }) => {
      const result = await audit.fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    },
  );
});

describe('both ways', () => {
  const MISTAKES = [
    { mistake: 'a document that does not parse', query: '{ project {' },
    { mistake: 'a field that does not exist', query: '{ project { nothing } }' },
    { mistake: 'a document over a limit', query: `{ ${'a: __typename '.repeat(16)} }` },
  ];

  it.each(MISTAKES)('return the same response for $mistake, whichever path rejects it', async ({ query }) => {
    const short = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const long = { ...short, 'content-type': 'application/graphql+json' };
    const answers = [];
    for (const headers of [short, long, short]) {
      answers.push(await project.rest('POST', '/graphql', { query }, headers));
    }
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body).toEqual(answers[0]!.body);
    }
    expect(answers[0]!.body).not.toHaveProperty('data');
    expect(answers[0]!.body.errors[0].extensions).toMatchObject({
      code: 'graphql.invalid',
      kind: 'invalid_input',
      status: 400,
    });
  });

  it('return the same response for an error of a resolver', async () => {
    const query = 'query ($id: ID!) { scoreSession(sessionId: $id) { decision } }';
    const body = { query, variables: { id: '00000000-0000-4000-8000-000000000000' } };
    const [short, long] = await Promise.all(
      ['application/json', 'application/graphql+json'].map((type) =>
        project.rest('POST', '/graphql', body, { 'content-type': type }),
      ),
    );
    expect(short!.body.errors[0].extensions.code).toBe('session.not_found');
    expect(long!.body).toEqual(short!.body);
    expect(long!.status).toBe(short!.status);
  });
});
