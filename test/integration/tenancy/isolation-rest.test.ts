import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Body, type Gateway, startGateway } from '../../support/gateway.ts';
import {
  COMMON,
  expectAlike,
  type Ids,
  stateOf,
  type TwoProjects,
  twoProjects,
} from '../../support/two-projects.ts';

/*
 * A request with an id of another project is answered exactly as with an unknown id, on every route: the cases
 * are checked against the table of routes, so that a new route needs its case here.
 */
let gateway: Gateway;
let both: TwoProjects;
let before: Body;

beforeAll(async () => {
  gateway = await startGateway();
  both = await twoProjects(gateway);
  before = await stateOf(both.theirs);
});
afterAll(() => gateway.close());

type RestCase = { path?: (ids: Ids) => string; body?: (ids: Ids) => Body; query?: string };
const ofAccount = (rest = ''): RestCase => ({ path: ({ account }) => `/account/${account}${rest}` });
const REST_CASES: Record<string, RestCase> = {
  'session.authenticate': {
    query: '?accounts_linked=true',
    body: ({ session }) => ({ session_id: session, account: { id: 'same', ...COMMON } }),
  },
  'session.score': { query: '?accounts_linked=true', body: ({ session }) => ({ session_id: session }) },
  'session.get': { path: ({ session }) => `/session/${session}` },
  'account.update': { ...ofAccount(), body: () => ({ username: 'taken over' }) },
  'account.get': ofAccount(),
  'account.delete': ofAccount(),
  'account.linked': ofAccount('/accounts-linked'),
  'account.sessions': ofAccount('/sessions'),
  'session.add_facts': {
    path: ({ openSession }) => `/session/${openSession}`,
    body: () => ({ device: { cpu_cores: 99 } }),
  },
  'session.complete': { path: ({ openSession }) => `/session/${openSession}/complete` },
  'list.get': { path: ({ list }) => `/list/${list}` },
  'list.update': { path: ({ list }) => `/list/${list}`, body: () => ({ list_description: 'taken over' }) },
  'list.delete': { path: ({ list }) => `/list/${list}` },
  'list.add_account': { path: ({ account }) => `/list/block/account/${account}` },
  'list.remove_account': { path: ({ list }) => `/list/${list}/account/same` },
  'list.move': {
    path: ({ list }) => `/list/${list}/account/move`,
    body: ({ account }) => ({ account_ids: [account, 'same'], target_list: 'block' }),
  },
  'verification.create': {
    path: ({ session }) => `/liveness/session?referring_session_id=${session}`,
  },
  'verification.verify_id': { body: ({ idCheck }) => ({ session_id: idCheck }) },
  'verification.verify_face': { body: ({ faceCheck }) => ({ session_id: faceCheck }) },
  'verification.verify_identity': {
    body: ({ faceCheck }) => ({ session_id: faceCheck, account_id: 'same' }),
  },
  'verification.enroll': { body: ({ idCheck }) => ({ session_id: idCheck, account_id: 'same' }) },
  'email.get': { path: ({ emailCheck }) => `/email/${emailCheck}` },
  'email.get_batch': { path: ({ emailBatch }) => `/email/batch/${emailBatch}` },
};
/** Names no object of another project. */
const REST_WITHOUT_IDS = ['session.create', 'list.all', 'list.create', 'email.check', 'phone.check'];

describe('an id of another project is unknown', () => {
  it.each(Object.keys(REST_CASES))('by REST: %s', async (operation) => {
    const { ours, foreign } = both;
    const route = ROUTES.find((each) => each.operation === operation)!;
    const { path = () => route.path, body = () => undefined, query = '' } = REST_CASES[operation]!;
    const ask = (ids: Ids) => ours.rest(route.method, path(ids) + query, body(ids));
    await expectAlike(both, ask);
    expect((await ask(foreign)).status).toBe(400);
    expect(await stateOf(both.theirs)).toEqual(before);
  });

  it('on every route', () => {
    expect([...Object.keys(REST_CASES), ...REST_WITHOUT_IDS].sort()).toEqual(
      ROUTES.map(({ operation }) => operation).sort(),
    );
  });
});

describe('a session', () => {
  it('is opened in the project of the key, for any project in the body', async () => {
    const { ours, theirs } = both;
    const { body } = await ours.rest('POST', '/session', { project_id: theirs.projectId });
    expect((await ours.rest('GET', `/session/${body.session_id}`)).body.project_id).toBe(ours.projectId);
    expect((await theirs.rest('GET', `/session/${body.session_id}`)).status).toBe(400);
  });

  it('rejects facts with the token of a session of another project', async () => {
    const { ours, foreign } = both;
    const { token } = (await ours.rest('POST', '/session', { open: true })).body;
    const headers = { 'x-api-key': '', authorization: `Bearer ${token}` };
    const answer = await ours.rest('PATCH', `/session/${foreign.openSession}`, {}, headers);
    expect(answer.body).toEqual({ statusCode: 401, code: expect.any(String), message: 'Unauthorized' });
  });
});
