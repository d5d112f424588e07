import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/http/rest/engine/query.ts';
import type { Route } from '../../../src/http/rest/engine/route.ts';
import { presentData } from '../../../src/http/rest/router.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
} from '../../support/gateway.ts';
import { inGraphqlWords, inRestWords } from '../../support/rest-words.ts';
import { underAliases, withoutAliases } from '../../support/unaliased.ts';
import { playedVerification } from '../../support/verification.ts';

/*
 * REST is a table of GraphQL documents. For every row: the body of REST is the documented one, and equals the
 * GraphQL response to the row's document with the row's variables. Rows that read are executed twice; rows that
 * write are executed in two projects with equal input.
 */
// Time stands still, so that twins differ in their ids only.
const clock = new TestClock();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock });
});
afterAll(() => gateway.close());

type Call = { params?: Record<string, string>; query?: Record<string, string>; body?: Body };
type Case = {
  writes: boolean;
  /** Creates the data of the row in the project, and returns the call. */
  prepare(project: TestProject): Promise<Call>;
  /** An invalid call; null where only the key can be wrong. */
  refused: (Call & { message: string }) | null;
};

const FACTS = { ip_address: '90.54.1.1', device_id: 'phone of two', start_time: '2026-01-05T10:00:00.125Z' };
const NOBODY = '00000000-0000-4000-8000-000000000000';
const ACCOUNT = {
  id: 'one',
  email: 'ada.lovelace@example.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR'],
  metadata: { plan: 'free' },
  group: 'testers',
  lists: ['beta'],
};
const noSession = { message: 'Session ID not found' };
const noAccount = { params: { account_id: 'nobody' }, message: 'Account not found' };

/** Two accounts that share a phone and a device. */
async function linked(project: TestProject): Promise<Call> {
  await project.authenticate(ACCOUNT, FACTS);
  await project.authenticate(
    { id: 'two', phone: ACCOUNT.phone, group: ACCOUNT.group, first_name: 'Eve' },
    FACTS,
  );
  return { params: { account_id: 'one' } };
}

/** A list with two accounts. */
async function listed(project: TestProject): Promise<Call> {
  await project.authenticate({ ...ACCOUNT, lists: ['beta'] }, FACTS);
  await project.authenticate({ id: 'two', lists: ['beta'] }, FACTS);
  return { params: { list_name: 'beta' } };
}
const noList = { params: { list_name: 'nothing' }, message: 'List not found.' };

const openSession = async (project: TestProject): Promise<Call> => ({
  params: { session_id: await project.session({ ...FACTS, open: true }) },
});

/** A completed simulated check, and its account. */
async function verified(project: TestProject, kind: 'id' | 'face'): Promise<string> {
  await project.authenticate({ id: 'one', group: 'testers' }, FACTS);
  const referring_session_id = await project.session(FACTS);
  return playedVerification(gateway, project, {
    ...(kind === 'id' ? { id: 'true' } : {}),
    ...{ simulate: 'success', simulate_decision: 'Real', account_id: 'one', referring_session_id },
  });
}
const noVerification = { message: 'session_not_found' };

const CASES: Record<string, Case> = {
  'session.authenticate': {
    writes: true,
    async prepare(project) {
      await linked(project);
      const session_id = await project.session(FACTS);
      return {
        query: { accounts_linked: 'true' },
        body: { session_id, account: { ...ACCOUNT, id: 'three' } },
      };
    },
    refused: { body: { session_id: NOBODY, account: { id: 'one' } }, ...noSession },
  },
  'session.score': {
    writes: false,
    async prepare(project) {
      await linked(project);
      return { query: { accounts_linked: 'true' }, body: { session_id: await project.session(FACTS) } };
    },
    refused: { body: { session_id: NOBODY }, ...noSession },
  },
  'session.get': {
    writes: false,
    async prepare(project) {
      const { session_id } = await project.authenticate(ACCOUNT, FACTS);
      return { params: { session_id } };
    },
    refused: { params: { session_id: NOBODY }, ...noSession },
  },
  'account.update': {
    writes: true,
    async prepare(project) {
      return {
        ...(await linked(project)),
        body: {
          id: 'one',
          phone: '',
          last_name: 'King',
          expected_countries: ['gb'],
          metadata: { plan: 'paid' },
        },
      };
    },
    refused: { ...noAccount, body: { first_name: 'Ada' } },
  },
  'account.get': { writes: false, prepare: linked, refused: noAccount },
  'account.delete': { writes: true, prepare: linked, refused: noAccount },
  'account.linked': { writes: false, prepare: linked, refused: noAccount },
  'account.sessions': { writes: false, prepare: linked, refused: noAccount },
  'session.create': {
    writes: true,
    prepare: async () => ({
      body: { ...FACTS, browser: { language: 'fr-FR' }, bot: { mouse_num_events: 3 } },
    }),
    refused: {
      body: { location: { latitude: 91 } },
      message: 'location.latitude: must be between -90 and 90',
    },
  },
  'session.add_facts': {
    writes: true,
    prepare: async (project) => ({ ...(await openSession(project)), body: { device: { cpu_cores: 8 } } }),
    refused: { params: { session_id: NOBODY }, body: { device: { cpu_cores: 8 } }, ...noSession },
  },
  'session.complete': {
    writes: true,
    prepare: openSession,
    refused: { params: { session_id: NOBODY }, ...noSession },
  },
  'phone.check': {
    writes: false,
    async prepare(project) {
      await linked(project);
      return { body: { phone_number: '(415) 555-2671', country: 'us' } };
    },
    refused: { body: { phone_number: 'none' }, message: 'Invalid phone number' },
  },
  'list.all': {
    writes: false,
    async prepare(project) {
      await listed(project);
      return {};
    },
    refused: null,
  },
  'list.get': {
    writes: false,
    prepare: async (project) => ({ ...(await listed(project)), query: { limit: '1' } }),
    refused: { params: { list_name: 'nothing' }, message: 'List not found' },
  },
  'list.create': {
    writes: true,
    prepare: async () => ({ params: { list_name: 'vip' }, body: { list_description: 'Known in person' } }),
    refused: { params: { list_name: 'block' }, body: {}, message: 'List already exists.' },
  },
  'list.update': {
    writes: true,
    prepare: async (project) => ({ ...(await listed(project)), body: { list_description: 'Known' } }),
    refused: { ...noList, body: { list_description: 'Known' } },
  },
  'list.delete': { writes: true, prepare: listed, refused: noList },
  'list.move': {
    writes: true,
    prepare: async (project) => ({
      ...(await listed(project)),
      body: { account_ids: ['two', 'one', 'nobody'], target_list: 'block' },
    }),
    refused: {
      params: { list_name: 'block' },
      body: { account_ids: ['one'], target_list: 'nothing' },
      message: 'Target list not found: "nothing"',
    },
  },
  'list.add_account': {
    writes: true,
    prepare: async (project) => {
      await listed(project);
      return { params: { list_name: 'allow', account_id: 'one' } };
    },
    refused: {
      params: { list_name: 'allow', account_id: 'nobody' },
      message: 'Account not found.',
    },
  },
  'list.remove_account': {
    writes: true,
    prepare: async (project) => {
      await listed(project);
      return { params: { list_name: 'beta', account_id: 'one' } };
    },
    refused: { params: { list_name: 'nothing', account_id: 'one' }, message: 'List not found.' },
  },
  'verification.create': {
    writes: true,
    prepare: async () => ({
      query: { id: 'true', account_id: 'one', lng: 'fr', redirect_url: 'https://shop.example/back' },
    }),
    refused: { query: { simulate: 'maybe' }, message: 'invalid_simulated_session' },
  },
  'verification.verify_id': {
    writes: false,
    prepare: async (project) => ({ body: { session_id: await verified(project, 'id') } }),
    refused: { body: { session_id: NOBODY }, ...noVerification },
  },
  'verification.verify_face': {
    writes: false,
    prepare: async (project) => ({ body: { session_id: await verified(project, 'face') } }),
    refused: { body: { session_id: NOBODY }, ...noVerification },
  },
  'verification.verify_identity': {
    writes: false,
    prepare: async (project) => ({
      body: { session_id: await verified(project, 'face'), account_id: 'one' },
    }),
    refused: { body: { session_id: NOBODY, account_id: 'one' }, ...noVerification },
  },
  'verification.enroll': {
    writes: true,
    prepare: async (project) => ({
      body: { session_id: await verified(project, 'face'), account_id: 'one' },
    }),
    refused: { body: { session_id: NOBODY, account_id: 'one' }, ...noVerification },
  },
  'email.check': {
    writes: true,
    prepare: async () => ({
      query: { wait: '1' },
      body: { email: 'ada@gmail.com', claims: { name: { first: 'Ada' } }, identity_intelligence: true },
    }),
    refused: { body: { emails: [] }, message: 'emails: must have at least 1 entry' },
  },
  'email.get': {
    writes: false,
    async prepare(project) {
      const { body } = await project.rest('POST', '/email', { email: 'ada@gmail.com' });
      return { params: { request_id: body.request_id } };
    },
    refused: { params: { request_id: NOBODY }, message: 'Email check not found' },
  },
  'email.get_batch': {
    writes: false,
    async prepare(project) {
      const emails = [{ email: 'ada@gmail.com' }, { email: 'eve@gmail.com' }];
      const { body } = await project.rest('POST', '/email?wait=10', { emails, batch_name: 'two' });
      return { params: { batch_id: body.batch_id }, query: { limit: '1' } };
    },
    refused: { params: { batch_id: NOBODY }, message: 'Email batch not found' },
  },
};

function pathOf(route: Route, { params = {}, query = {} }: Call): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  return `${path}?${new URLSearchParams(query)}`;
}

const callRest = (project: TestProject, route: Route, call: Call) =>
  project.rest(route.method, pathOf(route, call), call.body);

/** The row's body, built from the GraphQL response to its document. */
async function callGraphql(project: TestProject, route: Route, call: Call, requestId: string): Promise<Body> {
  const variables = route.variables({
    params: call.params ?? {},
    ...readQuery(route, new URLSearchParams(call.query)),
    body: route.body?.parse(call.body),
  });
  // Pages of clients are smaller than those of our own documents.
  const query = print(withoutAliases(route.document)).replaceAll(/\bfirst: \d{4,}/g, 'first: 100');
  const data = await project.graphql(query, inGraphqlWords(route.document, variables));
  const meta = { requestId, projectId: project.projectId, at: clock.now(), twoValuedDecision: true };
  const own = inRestWords(route.document, underAliases(route.document, data));
  return JSON.parse(JSON.stringify(presentData(route, own, meta)));
}

/** Without values that are random or derived from the project's own secret, such as the order of equal scores. */
function withoutIds(body: Body): Body {
  const text = JSON.stringify(body, (key, value) => {
    if (key === 'token' || key === 'device_id' || key === 'session_url') return typeof value;
    if (key !== 'linked_accounts') return value;
    return value.toSorted((a: Body, b: Body) => a.account_id.localeCompare(b.account_id));
  });
  return JSON.parse(text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid'));
}

const expectEnvelope = (answer: { status: number; headers: Headers; body: Body }, statusCode: number) => {
  expect(answer.status).toBe(statusCode);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toEqual({ statusCode, code: expect.any(String), message: expect.any(String) });
};

/** Verifications have their own error words. */
const expectRefusal = ({ path }: Route, answer: Answer, message: string) => {
  if (path.startsWith('/email'))
    return expect(answer.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      error: 'Bad Request',
      message,
    });
  if (!path.startsWith('/liveness/')) {
    expectEnvelope(answer, 400);
    return expect(answer.body.message).toBe(message);
  }
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const request_id = answer.headers.get('x-request-id');
  return expect(answer.body).toEqual({
    request_id,
    success: false,
    error: message,
    message: expect.any(String),
    code: expect.any(String),
  });
};

describe.each(ROUTES.map((route) => ({ row: `${route.method} ${route.path}`, route })))(
  '$row',
  ({ route }) => {
    const row = CASES[route.operation]!;

    it('has a case in this suite and a documented body', () => {
      expect(Object.keys(CASES)).toContain(route.operation);
      expect(Object.keys(DOCUMENTED_ANSWERS)).toContain(route.operation);
    });

    it('returns the documented body, which equals the GraphQL response', async () => {
      const project = await gateway.project();
      const call = await row.prepare(project);
      const twin = row.writes ? await gateway.project() : project;
      const twinCall = row.writes ? await row.prepare(twin) : call;

      const rest = await callRest(project, route, call);
      expect(rest.status, rest.text).toBe(200);
      DOCUMENTED_ANSWERS[route.operation]!.parse(rest.body);
      const requestId = rest.headers.get('x-request-id')!;
      // Results of emails name the request that created the check.
      if ('request_id' in rest.body && route.operation !== 'email.get')
        expect(rest.body.request_id).toBe(requestId);

      const graphql = await callGraphql(twin, route, twinCall, requestId);
      if (row.writes) expect(withoutIds(graphql)).toEqual(withoutIds(rest.body));
      else expect(graphql).toEqual(rest.body);
    });

    it.runIf(row?.refused)(
      'returns the documented envelope for an error, and GraphQL rejects the input as well',
      async () => {
        const project = await gateway.project();
        const { message, ...call } = row.refused!;
        const answer = await callRest(project, route, call);
        expectRefusal(route, answer, message);
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
        await expect(callGraphql(project, route, call, '')).rejects.toThrow();
      },
    );

    it('returns 401 to a wrong key before any other error', async () => {
      const { message: _, ...call } = row.refused ?? { message: '' };
      const headers = { 'x-api-key': 'vg_sandbox_wrong' };
      const answer = await send(`${gateway.baseUrl}${pathOf(route, call)}`, route.method, call.body, headers);
      expectEnvelope(answer, 401);
      expect(answer.body.message).toBe('Unauthorized');
    });

    it('returns 405 to an unsupported method, with the supported ones', async () => {
      const project = await gateway.project();
      const { message: _, ...call } = row.refused ?? { message: '' };
      const answer = await project.rest('COPY', pathOf(route, call));
      expectEnvelope(answer, 405);
      expect(answer.headers.get('allow')).toContain(route.method);
    });
  },
);
