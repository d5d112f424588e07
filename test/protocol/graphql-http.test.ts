import { type Audit, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../support/gateway.ts';

/* The published audits of the GraphQL over HTTP specification, and the responses that they leave open. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const audits: Audit[] = serverAudits({
  url: () => `${gateway.baseUrl}/graphql`,
  fetchFn: (url: string, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', project.key);
    return fetch(url, { ...init, headers });
  },
});

describe('GraphQL over HTTP', () => {
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

/** The current media type, and its name before the specification. */
const BODY_TYPES = ['application/json', 'application/graphql+json'];
const RESPONSE_TYPE = 'application/graphql-response+json';
const SESSION = '00000000-0000-4000-8000-000000000000';

describe('a mistake in the document', () => {
  const MISTAKES = [
    { mistake: 'a document that does not parse', query: '{ project {' },
    { mistake: 'a field that does not exist', query: '{ project { nothing } }' },
    { mistake: 'a document over a limit', query: `{ ${'a: __typename '.repeat(16)} }` },
    { mistake: 'more than one operation', query: 'query A { __typename } query B { __typename }' },
  ];

  it.each(MISTAKES)('has the status of the media type, each time: $mistake', async ({ query }) => {
    const answers = [];
    for (const type of [...BODY_TYPES, ...BODY_TYPES]) {
      const headers = { 'content-type': type, accept: RESPONSE_TYPE };
      const { status, body } = await project.rest('POST', '/graphql', { query }, headers);
      const plain = await project.rest('POST', '/graphql', { query }, { 'content-type': type });
      expect([status, plain.status]).toEqual([400, 200]);
      answers.push(body, plain.body);
    }
    for (const body of answers) expect(body).toEqual(answers[0]);
    expect(answers[0]).not.toHaveProperty('data');
    expect(answers[0].errors[0].extensions).toMatchObject({
      code: 'graphql.invalid',
      kind: 'invalid_input',
      status: 400,
    });
  });
});

it('an error of a resolver has the status 200', async () => {
  const query = 'query ($id: ID!) { scoreSession(sessionId: $id) { decision } }';
  for (const type of BODY_TYPES) {
    for (const accept of ['application/json', RESPONSE_TYPE]) {
      const headers = { 'content-type': type, accept };
      const { status, body } = await project.rest(
        'POST',
        '/graphql',
        { query, variables: { id: SESSION } },
        headers,
      );
      expect([status, body.errors[0].extensions.code]).toEqual([200, 'session.not_found']);
    }
  }
});

describe('parameters that are not well-formed', () => {
  it.each([
    ['{', 'POST body sent invalid JSON.'],
    ['"text"', 'POST body is expected to be object but received string'],
    ['null', 'POST body is expected to be object but received null'],
    ['[{"query":"{__typename}"}]', 'Batching is not supported.'],
    ['{}', 'Must provide query string.'],
    ['{"query":1}', 'Expected "query" param to be a string, but given number.'],
    ['{"document":"{__typename}"}', 'Must provide query string.'],
    [
      '{"query":"{__typename}","variables":[]}',
      'Expected "variables" param to be empty or an object, but given array.',
    ],
    [
      '{"query":"{__typename}","extensions":1}',
      'Expected "extensions" param to be empty or an object, but given number.',
    ],
    ['{"query":"{__typename}","operationName":1}', 'Expected "operationName" param to be empty or a string.'],
  ])('are a 400 for every media type: %s', async (text, message) => {
    for (const type of BODY_TYPES) {
      for (const accept of [RESPONSE_TYPE, 'application/json']) {
        const headers = { 'content-type': type, accept };
        const { status, body } = await project.rest('POST', '/graphql', text, headers);
        expect([status, body.errors[0].message, body.errors[0].extensions.code]).toEqual([
          400,
          message,
          'graphql.invalid',
        ]);
      }
    }
  });

  it.each(['variables', 'extensions'])('are a 400 by GET: %s that are not JSON', async (name) => {
    const { status, body } = await project.rest('GET', `/graphql?query={__typename}&${name}=%7B`);
    expect([status, body.errors[0].message, body.errors[0].extensions.code]).toEqual([
      400,
      `${name}: must be JSON`,
      'input.invalid',
    ]);
  });

  it('are not those that are unknown beside a document', async () => {
    const body = { query: '{ __typename }', other: 1 };
    for (const accept of ['application/json', 'application/json;q=0.9', 'multipart/mixed, application/json'])
      expect((await project.rest('POST', '/graphql', body, { accept })).body.data).toBeDefined();
  });
});

describe('the Accept header', () => {
  const mutation = () => {
    const name = unique('accepted');
    return { name, query: `mutation { createList(input: { name: "${name}" }) { list { name } } }` };
  };
  const listsNamed = async (name: string) =>
    (await project.graphql('{ lists(first: 100) { edges { node { name } } } }')).lists.edges.filter(
      ({ node }: Body) => node.name === name,
    ).length;

  it('without a type that is sent is a 406 without effect', async () => {
    for (const accept of ['text/html', 'multipart/mixed', 'application/json;q=0, text/plain']) {
      const { name, query } = mutation();
      const { status, body } = await project.rest('POST', '/graphql', { query }, { accept });
      expect([status, body.errors[0].extensions.code]).toEqual([406, 'http.not_acceptable']);
      expect(await listsNamed(name)).toBe(0);
    }
  });

  it.each([
    ['application/json; charset=iso-8859-1', 'application/json; charset=utf-8'],
    ['text/event-stream, application/json', 'application/json; charset=utf-8'],
    ['text/html, */*;q=0.1', 'application/json; charset=utf-8'],
    [`${RESPONSE_TYPE}, application/json;q=0.9`, `${RESPONSE_TYPE}; charset=utf-8`],
    ['text/event-stream', 'text/event-stream; charset=utf-8'],
    ['multipart/mixed, application/json;q=0.5', 'application/json; charset=utf-8'],
  ])('chooses the type of the response: %s', async (accept, type) => {
    const { name, query } = mutation();
    const { status, headers, text } = await project.rest('POST', '/graphql', { query }, { accept });
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      'no-store',
    ]);
    expect(text).toContain(`{"data":{"createList":{"list":{"name":"${name}"}}}}`);
    expect(await listsNamed(name)).toBe(1);
  });
});
