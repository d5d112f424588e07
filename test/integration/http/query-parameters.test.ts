// cspell:ignore simulte simualte scor simulat
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createVerification, playedVerification, verifyId } from '../../support/verification.ts';

/* Text parameters of REST, and parameters that a route does not read. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const NIL = '00000000-0000-7000-8000-000000000000';
const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, NIL);

/** Text parameters of every route by the names of openapi.json. */
const TEXTS = ROUTES.flatMap(({ method, path, query }) =>
  Object.entries(query)
    .filter(([, { type }]) => type !== 'boolean' && type !== 'exclusion' && type !== 'list')
    .map(([name]) => [method, path, name] as const),
);
const IMPORT_TEXTS: (readonly [method: string, path: string, name: string])[] = [
  ['GET', '/email/imports', 'limit'],
  ['GET', '/email/imports', 'cursor'],
  ['GET', '/email/imports/{import_id}/problems', 'cursor'],
  ['POST', '/email/imports', 'name'],
  ['POST', '/email/imports', 'encoding'],
  ['POST', '/email/imports', 'delimiter'],
  ['POST', '/email/imports', 'email_column'],
];

/** A request that is valid apart from its query. */
function ask(method: string, path: string, query: string) {
  const isImport = path.startsWith('/email/imports');
  const body = isImport ? 'email\na@example.com\n' : JSON.stringify({ email: 'a@example.com' });
  const type = isImport ? 'text/csv' : 'application/json';
  const isSent = method === 'POST' || method === 'PATCH';
  return project.rest(method, `${pathOf(path)}?${query}`, isSent ? body : undefined, {
    'content-type': type,
  });
}

describe('a text parameter that is repeated', () => {
  it.each([...TEXTS, ...IMPORT_TEXTS])('is a 400 that names it: %s %s %s', async (method, path, name) => {
    for (const query of [`${name}=1&${name}=1`, `${name}=1&${name}=2`, `${name}=&${name}=1`]) {
      const { status, body } = await ask(method, path, query);
      expect([status, body.message], query).toEqual([400, `${name}: must be sent once, as ${name}=VALUE`]);
      expect(body.code).toBe('input.invalid');
    }
  });

  it('creates no session for a joined account id, nor without one', async () => {
    for (const query of ['account_id=u1&account_id=u1', 'account_id[]=u1', 'account_id%5B0%5D=u1']) {
      const { status, body } = await project.rest('GET', `/liveness/session?${query}`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toMatch(/^account_id: /);
    }
  });

  it('is a 400 of the public link', async () => {
    const { projectId } = project;
    for (const [name, query] of [
      ['project_id', `project_id=${projectId}&project_id=${projectId}`],
      ['referring_session_id', `project_id=${projectId}&referring_session_id=a&referring_session_id=a`],
      ['lng', `project_id=${projectId}&lng=de&lng=de`],
    ]) {
      const { status, body } = await project.rest('GET', `/public/liveness-redirect?${query}`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toMatch(new RegExp(`^${name}: `));
    }
  });
});

describe('the query of the hosted page', () => {
  const openLink = async () => new URL((await createVerification(project)).body.session_url);
  const get = async (path: string) => {
    const response = await fetch(gateway.baseUrl + path);
    return { status: response.status, text: await response.text() };
  };

  it.each(['s', 'lng'])('is a 400 for a repeated parameter: %s', async (name) => {
    const { pathname, searchParams } = await openLink();
    const text = searchParams.get(name) ?? 'de';
    searchParams.delete(name);
    for (const [first, second] of [
      [text, text],
      ['', text],
    ] as const) {
      const query = new URLSearchParams([...searchParams, [name, first], [name, second]]);
      const { status, text: body } = await get(`${pathname}?${query}`);
      expect([status, JSON.parse(body).error]).toEqual([400, `${name}: must be sent once, as ${name}=VALUE`]);
    }
  });

  it.each(['session_id', 's', 'redirect_url'])(
    'is a 400 for a repeated one of /?session_id= links: %s',
    async (name) => {
      const { pathname, searchParams } = await openLink();
      const query = new URLSearchParams({
        session_id: pathname.split('/').at(-1)!,
        s: searchParams.get('s')!,
      });
      query.append(name, 'x');
      if (name === 'redirect_url') query.append(name, 'x');
      const { status, text } = await get(`/?${query}`);
      expect([status, JSON.parse(text).error]).toEqual([400, `${name}: must be sent once, as ${name}=VALUE`]);
    },
  );

  it('may contain parameters that mail programs and messengers add', async () => {
    const { pathname, search } = await openLink();
    const { status, text } = await get(`${pathname}${search}&utm_source=mail&utm_source=again`);
    expect([status, text]).toEqual([200, expect.stringContaining('<!doctype html>')]);
  });

  it.each([
    ['POST', '/open'],
    ['POST', '/start'],
    ['POST', '/handover'],
    ['POST', '/complete'],
    ['POST', '/fail'],
    ['GET', '/status'],
    ['PUT', '/media/face_frame/0'],
  ])('is a 400 for a parameter that the request of the page does not read: %s %s', async (method, action) => {
    const { pathname } = await openLink();
    const response = await fetch(`${gateway.baseUrl}${pathname}${action}?nonsense=1`, { method });
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      expect.stringMatching(/^Unknown query parameter "nonsense": /),
    ]);
  });
});

describe('the query of a GraphQL request', () => {
  const ask = async (query: string, method = 'GET') => {
    const response = await fetch(`${gateway.baseUrl}/graphql?${query}`, {
      method,
      headers: { 'x-api-key': project.key },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const DOCUMENT = `query=${encodeURIComponent('query A { project { name } } query B { project { id } }')}`;

  it.each(['query', 'operationName', 'variables', 'extensions', 'documentId'])(
    'is a 400 for a repeated parameter: %s',
    async (name) => {
      const value = name === 'variables' || name === 'extensions' ? '{}' : 'A';
      const { status, body } = await ask(`${DOCUMENT}&operationName=A&${name}=${value}&${name}=${value}`);
      expect([status, body.errors[0]]).toEqual([
        400,
        expect.objectContaining({ message: `${name}: must be sent once, as ${name}=VALUE` }),
      ]);
      expect(body.errors[0].extensions.code).toBe('input.invalid');
    },
  );

  it('may contain other parameters', async () => {
    const { status, body } = await ask(`${DOCUMENT}&operationName=A&client=1&client=2`);
    expect([status, body.data.project.name]).toEqual([200, expect.any(String)]);
  });
});

describe('simulate_risk_flags', () => {
  it.each([
    'simulate_risk_flags=repeat_id,digital_id',
    'simulate_risk_flags=repeat_id&simulate_risk_flags=digital_id',
    'simulate_risk_flags[]=repeat_id&simulate_risk_flags[]=digital_id',
    'simulate_risk_flags%5B%5D=repeat_id&simulate_risk_flags%5B%5D=digital_id',
    'simulate_risk_flags[0]=repeat_id&simulate_risk_flags[1]=digital_id',
    'simulate_risk_flags[]=repeat_id,digital_id',
  ])('is the list of all its members: %s', async (flags) => {
    const query = Object.fromEntries(new URLSearchParams('id=true&simulate=success'));
    const { body } = await project.rest('GET', `/liveness/session?${new URLSearchParams(query)}&${flags}`);
    await (await fetch(body.session_url)).text();
    await gateway.app.settleVerifications(project.projectId);
    expect((await verifyId(project, body.session_id)).body.risk_flags).toEqual(['repeat_id', 'digital_id']);
  });

  it.each(['simulate_risk_flags[]=nonsense', 'simulate_risk_flags[]=repeat_id&simulate_risk_flags[]=x'])(
    'is refused for an unknown member: %s',
    async (flags) => {
      const { status, body } = await project.rest('GET', `/liveness/session?simulate=success&${flags}`);
      expect([status, body.error]).toEqual([400, 'invalid_simulated_session']);
      expect(body.message).toMatch(/^simulate_risk_flags: must contain only /);
    },
  );
});

describe('a misspelled simulation parameter', () => {
  it.each([
    ['Simulate', 'simulate'],
    ['simulte', 'simulate'],
    ['simualte', 'simulate'],
    ['simulation', 'simulate'],
    ['simulateDecision', 'simulate_decision'],
    ['simulate-decision', 'simulate_decision'],
    ['simulated_decision', 'simulate_decision'],
    ['simulate_risk_scor', 'simulate_risk_score'],
    ['SIMULATE_RISK_SCORE', 'simulate_risk_score'],
    ['simulate_risk_flag', 'simulate_risk_flags'],
    ['simulateRiskFlags[]', 'simulate_risk_flags'],
    ['simulate_flags_of_risk', 'simulate'],
  ])('%s is invalid_simulated_session, and names %s', async (name, meant) => {
    for (const others of [{}, { simulate: 'success' }] as Record<string, string>[]) {
      if (name === meant) continue;
      const { status, body } = await createVerification(project, { ...others, [name]: 'success' });
      expect([status, body.error]).toEqual([400, 'invalid_simulated_session']);
      expect(body.message).toBe(`Unknown query parameter ${JSON.stringify(name)}: must be ${meant}`);
    }
  });

  it.each(['emulate_browser', 'utm_source', 'account', 'state', 'template', 'risk'])(
    'is not another one, which is ignored: %s',
    async (name) => {
      expect((await createVerification(project, { [name]: 'success' })).status).toBe(200);
    },
  );
});

/** Routes that the documented interface does not have. */
const OWN: (readonly [method: string, path: string])[] = [
  ['POST', '/session'],
  ['PATCH', '/session/{session_id}'],
  ['POST', '/session/{session_id}/complete'],
  ['GET', '/email/{request_id}'],
  ['GET', '/email/batch/{batch_id}'],
  ['GET', '/email/imports'],
  ['POST', '/email/imports'],
  ['GET', '/email/imports/{import_id}'],
  ['POST', '/email/imports/{import_id}'],
  ['DELETE', '/email/imports/{import_id}'],
  ['GET', '/email/imports/{import_id}/problems'],
  ['GET', '/email/imports/{import_id}/result.csv'],
];

describe('a parameter that a route does not read', () => {
  it.each(OWN)('is named in a 400 of a route of ours: %s %s', async (method, path) => {
    for (const name of ['limits', 'Limit', 'bom[]', '']) {
      const { status, body } = await ask(method, path, `${encodeURIComponent(name)}=1`);
      expect([status, body.code], name).toEqual([400, 'input.invalid']);
      expect(body.message).toMatch(
        new RegExp(
          `^Unknown query parameter ${JSON.stringify(name).replace(/[[\]]/g, '\\$&')}: (must be |none is)`,
        ),
      );
    }
  });

  it('is ignored by every documented route', async () => {
    const documented = ROUTES.filter(({ method, path }) => !OWN.some(([m, p]) => m === method && p === path));
    expect(documented.length + 5).toBe(ROUTES.length);
    for (const { method, path } of documented) {
      if (path === '/liveness/session') continue;
      const { status, text } = await ask(method, path, 'limits=1&Limit=1');
      expect(status, `${method} ${path}`).toBeLessThan(500);
      expect(text).not.toContain('query parameter');
    }
    const { status, body } = await project.rest('GET', '/liveness/session?utm_source=a&utm_source=b');
    expect(status, JSON.stringify(body)).toBe(200);
  });

  it('is ignored with an import of the same file, once it is spelled as documented', async () => {
    const answer = await ask('POST', '/email/imports', `name=${unique('import')}`);
    expect(answer.status, answer.text).toBe(200);
  });
});

it('a simulated session still accepts documented parameters once each', async () => {
  const session = await playedVerification(gateway, project, {
    ...{ id: 'true', simulate: 'success', simulate_decision: 'Real', simulate_risk_score: '0.2' },
    ...{ account_id: unique('account'), lng: 'fr', redirect_url: 'https://shop.example/back' },
  });
  const { body } = await verifyId(project, session);
  expect([body.decision, body.risk_score] as Body).toEqual(['Real', 0.2]);
});
