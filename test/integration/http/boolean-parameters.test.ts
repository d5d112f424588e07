import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification, verifyId } from '../../support/verification.ts';

/* Boolean query parameters of every REST route that has one, and of the public redirect. */
let gateway: Gateway;
let project: TestProject;
let checked: string;

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  project = await gateway.project();
  checked = await playedVerification(gateway, project, { id: 'true', simulate: 'success' });
});
afterAll(() => gateway.close());

const ON = ['true', 'TRUE', 'True', '1', 'yes', 'Yes', 'YES'];
const OFF = ['false', 'FALSE', 'False', '0', 'no', 'No', 'NO'];
const OTHER = [
  'on',
  'off',
  'maybe',
  '2',
  '-1',
  'null',
  'tru',
  'truetrue',
  '1.0',
  '%20',
  'true%20',
  'true,true',
];

/** Queries of one parameter with their meaning; null where they are rejected. */
const queriesOf = (name: string): [string, boolean | null][] => [
  ...ON.map((word): [string, boolean] => [`${name}=${word}`, true]),
  ...OFF.map((word): [string, boolean] => [`${name}=${word}`, false]),
  ...OTHER.map((word): [string, null] => [`${name}=${word}`, null]),
  ['', false],
  [name, false],
  [`${name}=`, false],
  [`${name}=true&${name}=true`, true],
  [`${name}=true&${name}=1`, true],
  [`${name}=&${name}=yes`, true],
  [`${name}=no&${name}=false`, false],
  [`${name}=true&${name}=false`, null],
  [`${name}=false&${name}=maybe`, null],
];

let address = 0;
/** The public redirect, from a separate address. */
function follow(query: string) {
  address += 1;
  return fetch(`${gateway.baseUrl}/public/liveness-redirect?project_id=${project.projectId}&${query}`, {
    redirect: 'manual',
    headers: { 'x-forwarded-for': `2001:db8:0:${address.toString(16)}::1` },
  });
}

async function kindOf(sessionId: string): Promise<string> {
  const query = 'query ($id: ID!) { verification(sessionId: $id) { kind } }';
  return (await project.graphql(query, { id: sessionId })).verification.kind;
}

describe('id of GET /liveness/session', () => {
  it.each(queriesOf('id'))('%s means %s', async (query, isOn) => {
    const { status, body, headers } = await project.rest('GET', `/liveness/session?${query}`);
    if (isOn === null) {
      expect(status).toBe(400);
      expect(body).toEqual({
        request_id: headers.get('x-request-id'),
        success: false,
        error: 'invalid_request',
        message: expect.stringMatching(/^id: must /),
        code: 'input.invalid',
      });
    } else {
      expect(status).toBe(200);
      expect(await kindOf(body.session_id)).toBe(isOn ? 'ID_CHECK' : 'FACE_CHECK');
    }
  });
});

describe('id of GET /public/liveness-redirect', () => {
  it.each(queriesOf('id'))('%s means %s', async (query, isOn) => {
    const response = await follow(query);
    const text = await response.text();
    if (isOn === null) {
      expect(response.status).toBe(400);
      expect(JSON.parse(text)).toEqual({
        error: 'invalid_request',
        message: expect.stringMatching(/^id: must /),
        code: 'input.invalid',
      });
    } else {
      expect(response.status).toBe(302);
      const id = new URL(response.headers.get('location')!).pathname.split('/')[2]!;
      expect(await kindOf(id)).toBe(isOn ? 'ID_CHECK' : 'FACE_CHECK');
    }
  });

  it('is checked after the required project', async () => {
    const url = `${gateway.baseUrl}/public/liveness-redirect?id=maybe`;
    const { status, body } = await send(url, 'GET', undefined, { 'x-forwarded-for': '203.0.113.9' });
    expect([status, body]).toEqual([400, { error: 'missing_project_id', code: 'project.not_found' }]);
  });
});

describe.each(['/session/authenticate', '/session/unauthenticated'])('accounts_linked of POST %s', (path) => {
  it.each(queriesOf('accounts_linked'))('%s means %s', async (query, isOn) => {
    const session_id = await project.session();
    const id = unique('asked');
    const { status, body } = await project.rest('POST', `${path}?${query}`, { session_id, account: { id } });
    if (isOn === null) {
      expect(status).toBe(400);
      expect(body).toEqual({
        statusCode: 400,
        code: expect.any(String),
        message: expect.stringMatching(/^accounts_linked: must /),
      });
      expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
    } else {
      expect(status).toBe(200);
      expect('linked_accounts' in body).toBe(isOn);
    }
  });

  it('is read by its exact name, and other spellings are unknown parameters', async () => {
    const session_id = await project.session();
    const { status, body } = await project.rest('POST', `${path}?Accounts_Linked=maybe`, {
      session_id,
      account: { id: unique('asked') },
    });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('linked_accounts');
  });
});

describe('excludePII of POST /liveness/verify-id', () => {
  const PERSONAL = ['document_data', 'photo_urls', 'video_urls'];
  const personalIn = async (query: string) => {
    const { status, body } = await verifyId(project, checked, query);
    expect(status).toBe(200);
    expect(body.decision).toBe('Fake');
    expect(body).toHaveProperty('document_signals');
    return PERSONAL.filter((key) => key in body);
  };

  it.each([
    ...[...ON, ...OTHER].map((word) => `?excludePII=${word}`),
    '?excludePII',
    '?excludePII=',
    '?excludePII=true&excludePII=true',
    '?excludePII=false&excludePII=true',
    '?excludePII=true&excludePII=false',
    '?excludePII=false&excludePII',
    '?excludePII=%20false',
    ...['?excludepii=true', '?EXCLUDEPII', '?ExcludePII=1', '?excludePii=yes'],
    '?excludePII=false&excludepii=true',
    '?exclude%50II=true',
    // As HTTP clients write a list.
    ...['?excludePII[]=true', '?excludePII%5B%5D=true&excludePII%5B%5D=false', '?excludePII[0]=yes'],
  ])('excludes personal data: %s', async (query) => {
    expect(await personalIn(query)).toEqual([]);
  });

  it.each([
    '',
    ...OFF.map((word) => `?excludePII=${word}`),
    '?excludePII=false&excludePII=0',
    '?excludepii=no',
    '?exclude=true',
    '?excludePII[]=false&excludePII[]=0',
  ])('returns all data: %s', async (query) => {
    expect(await personalIn(query)).toEqual(PERSONAL);
  });
});
