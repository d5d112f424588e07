import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMAIL_IMPORT_PATHS } from '../../../src/http/rest/openapi/email-import-openapi.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import { type Body, type Gateway, send, startGateway } from '../../support/gateway.ts';

let gateway: Gateway;
let document: Body;
let text: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ body: document, text } = await send(`${gateway.baseUrl}/openapi.json`, 'GET'));
});
afterAll(() => gateway.close());

/** Target of a reference. */
const resolved = (value: Body): Body =>
  value.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Body, key: string) => at[key], document)
    : value;

describe('openapi.json', () => {
  it('is OpenAPI 3.1, needs no key and may be read by any page', async () => {
    const answer = await send(`${gateway.baseUrl}/openapi.json`, 'GET', undefined, {
      origin: 'https://elsewhere.example',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.body.openapi).toBe('3.1.0');
    expect(answer.body.servers).toEqual([{ url: gateway.baseUrl }]);
  });

  it('passes a published linter without a finding', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-server-example.com': 'off' },
    });
    const findings = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(
      findings.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
    ).toEqual([]);
  });

  it('is rejected by the linter when a parameter is wrong', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = text.replace('"in":"path"', '"in":"nowhere"');
    expect(await lintFromString({ source, absoluteRef: 'openapi.json', config })).not.toEqual([]);
  });

  it('has the rows of the table, the routes of imported files, and no others', () => {
    const documented = Object.entries<Body>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const streamed = Object.entries(EMAIL_IMPORT_PATHS).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const rows = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(documented.toSorted()).toEqual([...rows, ...streamed].toSorted());
  });

  it.each(ROUTES.map((route) => ({ row: `${route.method} ${route.path}`, route })))(
    'describes $row: parameters, body and responses',
    ({ route }) => {
      const operation = document.paths[route.path][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.operation);
      for (const part of [operation.summary, operation.description]) expect(part).toMatch(/\S/);

      const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = operation.parameters.filter((parameter: Body) => parameter.in === 'path');
      expect(inPath.map(({ name }: Body) => name)).toEqual(named);
      for (const parameter of operation.parameters) expect(parameter.description).toMatch(/\S/);

      expect('requestBody' in operation).toBe(route.body !== null);
      if (route.body) {
        const { schema, example } = operation.requestBody.content['application/json'];
        expect(resolved(schema).properties).toBeTypeOf('object');
        expect(route.body.safeParse(example).success).toBe(true);
      }

      const responses = operation.responses as Body;
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '403', '429', '500', '503']),
      );
      const hasKey = operation.parameters.some(({ name }: Body) => name === 'Idempotency-Key');
      expect(hasKey).toBe(route.method === 'POST');
      expect('422' in responses).toBe(hasKey);
      expect('409' in responses).toBe(hasKey || route.operation === 'session.add_facts');
      for (const status of ['408', '413', '415'])
        expect(status in responses, status).toBe(route.body !== null);
      expect('404' in responses).toBe(named.length > 0);
      for (const [status, response] of Object.entries<Body>(responses)) {
        const { description, content } = resolved(response);
        expect(description).toMatch(/\S/);
        const { schema, ...examples } = content['application/json'];
        if (status === '200') {
          DOCUMENTED_ANSWERS[route.operation]!.parse(examples.example);
          continue;
        }
        const family = /^\/(liveness|email)/.exec(route.path)?.[1] ?? '';
        const ofFamily: Record<string, string> = { liveness: 'LivenessError', email: 'EmailError' };
        const name = (status === '400' && ofFamily[family]) || 'Error';
        expect(schema).toEqual({ $ref: `#/components/schemas/${name}` });
      }
    },
  );

  it('lists the values of open sets without declaring them as enums', () => {
    const { ReasonCode, EmailSignal, PhoneSignal, IdCheckResult, LinkedAccount, Account } =
      document.components.schemas;
    const codes = [ReasonCode, EmailSignal, PhoneSignal].map(({ properties }: Body) => properties.code);
    const growing = [
      ...codes,
      IdCheckResult.properties.risk_flags.items,
      LinkedAccount.properties.match_kinds.items,
    ];
    for (const schema of growing) {
      expect(schema).toMatchObject({ type: 'string', 'x-extensible-enum': expect.any(Array) });
      expect(schema).not.toHaveProperty('enum');
    }
    expect(Account.properties.decision.enum).toEqual(['Fake', 'Real', 'Suspicious']);
  });

  it('has each object once, as a component', () => {
    const schemas = Object.entries<Body>(document.components.schemas);
    const inline: string[] = [];
    const look = (value: Body, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (value.properties) inline.push(at);
      for (const [key, child] of Object.entries<Body>(value))
        if (!/^examples?$/.test(key)) look(child, `${at}/${key}`);
    };
    look(document.paths, 'paths');
    for (const [name, schema] of schemas)
      for (const [key, child] of Object.entries<Body>(schema))
        for (const [property, inner] of Object.entries<Body>(key === 'properties' ? child : { [key]: child }))
          look(inner, `${name}/${property}`);
    // The import and the id of the request, which are both in a response.
    expect(inline).toEqual(['ReceivedEmailImport/allOf/0']);

    const byShape = Map.groupBy(schemas, ([, schema]) => JSON.stringify(schema));
    const repeated = [...byShape.values()].filter((same) => same.length > 1);
    expect(repeated.map((same) => same.map(([name]) => name))).toEqual([]);
  });

  it('has examples of the errors that a gateway returned, by code', () => {
    const errors = document.paths['/account/{account_id}'].get.responses['400'].content['application/json'];
    expect(errors.examples['account.not_found'].value).toEqual({
      ...{ statusCode: 400, message: 'Account not found', code: 'account.not_found' },
    });
    const { Unauthorized } = document.components.responses;
    expect(Unauthorized.content['application/json'].example.code).toMatch(/^auth\./);
  });

  it('has an example of each shared error with its own status and code', () => {
    const examples = Object.entries<Body>(document.components.responses).map(
      ([name, { content }]) => [name, content['application/json'].example] as const,
    );
    for (const [name, example] of examples)
      expect(example, name).toEqual({
        statusCode: expect.any(Number),
        message: expect.stringMatching(/[a-z]/),
        code: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
      });
    const { Internal, Unavailable, RequestTimeout } = Object.fromEntries(examples);
    expect(Internal).toMatchObject({ statusCode: 500, code: 'service.internal' });
    expect(Unavailable).toMatchObject({ statusCode: 503, code: 'service.unavailable' });
    expect(RequestTimeout).toMatchObject({ statusCode: 408, code: 'http.timeout' });
  });

  it('has a plain example of linked accounts', () => {
    const { example } =
      document.paths['/account/{account_id}/accounts-linked'].get.responses['200'].content[
        'application/json'
      ];
    expect(example.accounts_linked[0]).toMatchObject({ account_id: 'ada-2', metadata: { plan: 'free' } });
  });

  it('is exact for the tests that compare responses with it: an additional key, a missing one, another word', () => {
    const shape = DOCUMENTED_ANSWERS['account.get']!;
    const { example } =
      document.paths['/account/{account_id}'].get.responses['200'].content['application/json'];
    const { lists: _, ...incomplete } = example;
    const bodies = [
      ...[example, { ...example, further: 1 }, incomplete, { ...example, decision: 'REAL' }],
      ...[
        { ...example, account_score: 1.5 },
        { ...example, email: { ...example.email, further: 1 } },
      ],
    ];
    expect(bodies.map((body) => shape.safeParse(body).success)).toEqual([true, ...Array(5).fill(false)]);
  });

  it('has the version of the package, and that of the documented interface', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(document.info.version).toBe(version);
    expect(document.info['x-interface-version']).toBe('1.0.0');
  });

  it('describes boolean parameters: their accepted words, and that any other value omits personal data', () => {
    const parameter = (path: string, method: string, name: string) =>
      document.paths[path][method].parameters.find((each: Body) => each.name === name);
    for (const [path, method, name] of [
      ['/session/authenticate', 'post', 'accounts_linked'],
      ['/session/unauthenticated', 'post', 'accounts_linked'],
      ['/liveness/session', 'get', 'id'],
    ] as const) {
      const { schema, description } = parameter(path, method, name);
      expect(schema).toEqual({ type: 'boolean' });
      expect(description).toContain('true, 1, yes, false, 0 and no in any case');
    }
    const { schema, description } = parameter('/liveness/verify-id', 'post', 'excludePII');
    expect(schema).toEqual({ type: 'boolean' });
    expect(description).toContain('All values except false, 0 and no, in any case, are true');
  });

  it('describes a 400 below /liveness: its words, and a message beside them', () => {
    const { required, properties } = document.components.schemas.LivenessError;
    expect(required).toEqual(['request_id', 'success', 'error', 'message', 'code']);
    expect(properties.error.enum).toEqual(expect.arrayContaining(['session_not_found', 'invalid_request']));
    expect(properties.message.type).toBe('string');
  });

  it('describes the additive fields: the whole account, every kind of a match, the other name of a description', () => {
    const body = (path: string, method: string) =>
      resolved(document.paths[path][method].responses['200'].content['application/json'].schema).properties;
    const { account } = resolved(body('/session/authenticate', 'post').account).properties;
    expect(account).toEqual(body('/account/{account_id}', 'get').account);
    const kinds = ['face', 'document_number', 'document_name', 'name'];
    for (const records of [
      body('/account/{account_id}/accounts-linked', 'get').accounts_linked,
      body('/session/authenticate', 'post').linked_accounts,
      body('/session/unauthenticated', 'post').linked_accounts,
      resolved(body('/liveness/verify-id', 'post').matches).properties.accounts_linked,
      resolved(body('/liveness/verify-face', 'post').matches).properties.accounts_linked,
    ])
      expect(resolved(records.items).properties.match_kinds.items['x-extensible-enum']).toEqual(
        expect.arrayContaining(kinds),
      );
    const patch = resolved(
      document.paths['/list/{list_name}'].patch.requestBody.content['application/json'].schema,
    );
    expect(Object.keys(patch.properties)).toEqual(['list_description', 'description']);
  });

  it('states which operations a page can call without a key', () => {
    const security = (path: string, method: string) => document.paths[path][method].security;
    expect(document.security).toEqual([{ key: [] }]);
    expect(security('/account/{account_id}', 'get')).toBeUndefined();
    expect(security('/session', 'post')).toContainEqual({});
    expect(security('/session/{session_id}', 'patch')).toContainEqual({ collector: [] });
  });
});

describe('the pages', () => {
  const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
    send(`${gateway.baseUrl}${path}`, 'GET', undefined, headers);

  /** Resources that a browser would load for an HTML page, without links. */
  function loadedBy(html: string): string[] {
    const markup = html.replace(/<(script|style)([^>]*)>[\s\S]*?<\/\1>/g, '<$1$2>');
    const tags = markup.match(/<(?!a\b)[a-z][^>]*>/gi) ?? [];
    return tags.flatMap((tag) =>
      [...tag.matchAll(/\b(?:src|href|data|action)="([^"]*)"/gi)].map(([, url]) => url!),
    );
  }

  it.each(['/', '/docs', '/graphql'])('load nothing from another host: %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const url of loadedBy(answer.text)) expect(url).toMatch(/^(\/(?!\/)|data:)/);

    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self'");
    // Neither hosts nor wildcards nor inline scripts of others.
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  });

  it('load only files of the gateway', async () => {
    const urls = loadedBy((await get('/docs')).text).filter((url) => url.startsWith('/'));
    expect(urls).toHaveLength(3);
    for (const url of urls) {
      const answer = await get(url, {});
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(
        url.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
      );
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      if (url.endsWith('.css')) expect(answer.text).not.toMatch(/url\(\s*["']?(https?:)?\/\/|@import/);
    }
    expect((await get('/docs/start.js', {})).text).toContain('/openapi.json');
  });

  it('for GraphQL queries contain examples and no secret', async () => {
    const { text: page } = await get('/graphql');
    const scripts = await Promise.all(
      loadedBy(page).map((url) => (url.startsWith('/') ? get(url, {}) : null)),
    );
    const texts = [page, ...scripts.map((answer) => answer?.text ?? '')];
    expect(texts.join('\n')).toContain('query WhyThisAccount');
    for (const text of texts) expect(text).not.toMatch(/vg_(test|live)_[0-9a-f]{32}/);
  });

  it('respond only to GET and HEAD', async () => {
    for (const path of ['/', '/docs', '/openapi.json']) {
      const answer = await send(`${gateway.baseUrl}${path}`, 'POST', {});
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect((await send(`${gateway.baseUrl}${path}`, 'HEAD')).status).toBe(200);
    }
  });

  it('give no access to other files', async () => {
    for (const path of [
      '/docs/',
      '/docs/package.json',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/swagger-ui.js',
    ]) {
      expect((await get(path)).status).toBe(404);
    }
  });
});
