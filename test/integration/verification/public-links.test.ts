import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/* GET /public/liveness-redirect: a public link. */
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  // So that a test can use many addresses.
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  project = await gateway.project();
});
afterAll(() => gateway.close());

let address = 0;
function nextAddress(): string {
  address += 1;
  return `203.0.113.${address}`;
}

async function follow(query: Record<string, string>, from = nextAddress(), method = 'GET') {
  const response = await fetch(`${gateway.baseUrl}/public/liveness-redirect?${new URLSearchParams(query)}`, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': from },
  });
  const { status, headers } = response;
  return { status, headers, location: headers.get('location'), text: await response.text() };
}

describe('a public link', () => {
  it.each([
    [{}, 'FACE_CHECK'],
    [{ id: 'true' }, 'ID_CHECK'],
  ] as const)('%j creates a new session, and redirects to its page', async (query, kind) => {
    const referring_session_id = await project.session({});
    const asked = { project_id: project.projectId, referring_session_id, ...query };
    const [first, second] = [await follow(asked), await follow(asked)];
    expect(first.status).toBe(302);
    expect(first.location).toMatch(new RegExp(`^${gateway.baseUrl}/verify/[0-9a-f-]{36}\\?s=vgv_`));
    expect(first.location).not.toBe(second.location);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const page = await fetch(first.location!);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    await page.text();
    const id = new URL(first.location!).pathname.split('/')[2];
    const { verification } = await project.graphql(
      `query ($id: ID!) { verification(sessionId: $id) { kind state simulated referringSessionId accountId } }`,
      { id },
    );
    expect(verification).toEqual({
      kind,
      state: 'CREATED',
      simulated: false,
      referringSessionId: referring_session_id,
      accountId: null,
    });
  });

  it.each([
    {},
    { project_id: '' },
    { project_id: 'nonsense' },
    { project_id: '00000000-0000-4000-8000-000000000000' },
  ])('without a project reports it: %j', async (query) => {
    const { status, text } = await follow(query as Record<string, string>);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({ error: 'missing_project_id', code: 'project.not_found' });
  });

  it('simulates nothing, sets no account, and accepts no session of another project', async () => {
    const { project_id, ...more } = { project_id: project.projectId, simulate: 'success', account_id: 'one' };
    const { location } = await follow({ project_id, ...more });
    const id = new URL(location!).pathname.split('/')[2];
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { simulated accountId } }',
      { id },
    );
    expect(verification).toEqual({ simulated: false, accountId: null });
    const foreign = await (await gateway.project()).session({});
    const missing = '00000000-0000-7000-8000-000000000000';
    const answers = await Promise.all(
      [foreign, missing].map((referring_session_id) => follow({ project_id, referring_session_id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[0]!.text).toBe(answers[1]!.text);
  });

  it('is opened by GET only', async () => {
    const asked = { project_id: project.projectId };
    expect((await follow(asked, nextAddress(), 'HEAD')).status).toBe(405);
    expect((await follow(asked, nextAddress(), 'POST')).status).toBe(405);
  });

  it('is opened thirty times a minute from one address', async () => {
    const from = nextAddress();
    const projects = await Promise.all([gateway.project(), gateway.project()]);
    const statuses: number[] = [];
    for (let at = 0; at < 31; at += 1)
      statuses.push((await follow({ project_id: projects[at % 2]!.projectId }, from)).status);
    expect(statuses).toEqual([...Array<number>(30).fill(302), 429]);
    expect((await follow({ project_id: projects[0]!.projectId })).status).toBe(302);
  });

  it('is opened from another address although one address exceeded its limit', async () => {
    const { projectId: project_id } = await gateway.project();
    const stranger = nextAddress();
    const statuses: number[] = [];
    for (let at = 0; at < 35; at += 1) statuses.push((await follow({ project_id }, stranger)).status);
    expect(statuses).toEqual([...Array<number>(30).fill(302), ...Array<number>(5).fill(429)]);
    for (let at = 0; at < 31; at += 1) expect((await follow({ project_id })).status).toBe(302);
  });

  it('counts a whole /64 of IPv6 as one address', async () => {
    const { projectId: project_id } = await gateway.project();
    const statuses: number[] = [];
    for (let at = 1; at <= 31; at += 1)
      statuses.push((await follow({ project_id }, `2001:db8:7:7::${at}`)).status);
    expect(statuses).toEqual([...Array<number>(30).fill(302), 429]);
    expect((await follow({ project_id }, '2001:db8:7:8::1')).status).toBe(302);
  });
});
