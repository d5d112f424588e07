import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import {
  consentAt,
  createVerification,
  pagePost,
  pageStatus,
  verificationLink,
  verifyFace,
} from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const NOT_FOUND = {
  status: 400,
  body: { success: false, error: 'session_not_found', code: expect.any(String) },
};

const get = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const stateOf = async (id: string, of = project): Promise<string> =>
  (await of.graphql('query ($id: ID!) { verification(sessionId: $id) { state } }', { id })).verification
    .state;
const queryLink = (session_id: string, more: Record<string, string> = {}) =>
  `${gateway.baseUrl}/?${new URLSearchParams({ session_id, ...more })}`;

describe('the capture page', () => {
  it('is HTML that runs only its own script, and is not cacheable', async () => {
    const { url, sessionId } = await verificationLink(project);
    const { status, headers, text } = await get(url);
    expect(status).toBe(200);
    const nonce = /<script [^>]*nonce="([^"]+)"/.exec(text)?.[1];
    expect(nonce).toMatch(/^[A-Za-z0-9+/]{24}$/);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'nonce-${nonce}';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    });
    expect(text).toContain(`data-session-id="${sessionId}"`);
    expect(text).toContain('data-simulated="false"');
    const again = await get(url);
    expect(again.text).not.toContain(nonce);
  });

  it('does not change a real session on request', async () => {
    const { url, sessionId } = await verificationLink(project);
    await get(url);
    await get(url, { method: 'HEAD' });
    expect(await stateOf(sessionId)).toBe('CREATED');
  });

  it('records that it runs in a browser', async () => {
    const { sessionId, secret } = await verificationLink(project);
    const { status, body } = await pagePost(gateway, sessionId, 'open', { secret });
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'opened', success: null, error_message: null, redirect_url: '' });
    expect(await stateOf(sessionId)).toBe('OPENED');
    expect((await verifyFace(project, sessionId)).body.error).toBe('session_not_started');
  });

  it.each([
    ['fr', 'fr', 'ltr'],
    ['de-AT', 'de', 'ltr'],
    ['ar', 'ar', 'rtl'],
    ['xx', 'en', 'ltr'],
  ])('shows %s as %s', async (lng, language, direction) => {
    const { url } = await verificationLink(project, { lng });
    expect((await get(url)).text).toContain(`<html lang="${language}" dir="${direction}">`);
  });

  it('uses the language of the browser without a requested one, and prefers that of the link', async () => {
    const { url } = await verificationLink(project);
    const headers = { 'accept-language': 'pt-BR, es-MX;q=0.9, fr;q=0.1' };
    expect((await get(url, { headers })).text).toContain('<html lang="es"');
    expect((await get(`${url}&lng=de`, { headers })).text).toContain('<html lang="de"');
  });

  it('of an unknown session looks the same, and starting it reports an unknown session', async () => {
    expect((await get(`${gateway.baseUrl}/verify/${NOBODY}?s=x`)).status).toBe(200);
    expect(await pagePost(gateway, NOBODY, 'start', { secret: 'x', consent: consentAt() })).toMatchObject(
      NOT_FOUND,
    );
    expect(await pagePost(gateway, NOBODY, 'open', { secret: 'x' })).toMatchObject(NOT_FOUND);
    expect(await pageStatus(gateway, NOBODY, { secret: 'x' })).toMatchObject(NOT_FOUND);
    expect((await get(`${gateway.baseUrl}/verify/nonsense`)).status).toBe(404);
  });

  it('is not opened by the secret of another session, of the same project or another', async () => {
    const { sessionId } = await verificationLink(project);
    for (const each of [project, await gateway.project()]) {
      const { secret } = await verificationLink(each);
      const input = { secret, consent: consentAt() };
      expect(await pagePost(gateway, sessionId, 'start', input)).toMatchObject(NOT_FOUND);
      expect(await pagePost(gateway, sessionId, 'open', input)).toMatchObject(NOT_FOUND);
      expect(await pageStatus(gateway, sessionId, { secret })).toMatchObject(NOT_FOUND);
    }
    expect(await stateOf(sessionId)).toBe('CREATED');
  });

  it('accepts JSON only, and its own methods', async () => {
    const { sessionId, secret } = await verificationLink(project);
    const start = `${gateway.baseUrl}/verify/${sessionId}/start`;
    const form = await fetch(start, { method: 'POST', body: new URLSearchParams({ secret }) });
    expect(form.status).toBe(415);
    expect((await get(start)).status).toBe(405);
    expect((await get(`${gateway.baseUrl}/verify/${sessionId}`, { method: 'POST' })).status).toBe(405);
    expect((await get(`${gateway.baseUrl}/verify/${sessionId}/nothing`)).status).toBe(404);
    expect(await stateOf(sessionId)).toBe('CREATED');
  });
});

describe('a simulated session', () => {
  const simulated = () => verificationLink(project, { simulate: 'success', simulate_decision: 'Real' });

  it('is not opened by HEAD or by link previews', async () => {
    const { url, sessionId } = await simulated();
    await get(url, { method: 'HEAD' });
    for (const headers of [
      { purpose: 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'x-purpose': 'preview' },
    ] as Record<string, string>[])
      expect((await get(url, { headers })).status).toBe(200);
    expect(await stateOf(sessionId)).toBe('CREATED');
    expect((await verifyFace(project, sessionId)).body.error).toBe('session_not_started');
  });

  it('is not opened by the secret of another session', async () => {
    const [{ sessionId }, { secret }] = [await simulated(), await simulated()];
    await get(`${gateway.baseUrl}/verify/${sessionId}?s=${secret}`);
    expect(await stateOf(sessionId)).toBe('CREATED');
  });

  it('cannot be started: nothing is recorded', async () => {
    const { url, sessionId, secret } = await simulated();
    expect((await get(url)).text).toContain('data-simulated="true"');
    const answer = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() });
    expect(answer.body).toMatchObject({ success: false, error: 'session_not_valid_for_this_endpoint' });
  });

  it('that is opened twice, also concurrently, emits one event', async () => {
    const { url, sessionId } = await simulated();
    await Promise.all([get(url), get(url), get(url)]);
    await gateway.app.settleVerifications(project.projectId);
    await get(url);
    await gateway.app.settleVerifications(project.projectId);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(sessionId: $id, first: 100) { edges { node { type } } } }',
      { id: sessionId },
    );
    const types = events.edges.map((edge: { node: { type: string } }) => edge.node.type).sort();
    expect(types).toEqual(['SESSION_COMPLETED', 'VERIFICATION_FACE_CHECK_COMPLETED']);
  });

  it.each([
    [{ simulate: 'success' }, { success: 'true' }],
    [
      { simulate: 'failed_to_process_id_scan' },
      { success: 'false', error_message: 'failed_to_process_id_scan' },
    ],
  ])('redirects with the result: %j', async (query, outcome) => {
    const back = 'https://shop.example/done?basket=7';
    const link = await verificationLink(project, { ...query, id: 'true', redirect_url: back });
    const status = async () => (await pageStatus(gateway, link.sessionId, link)).body;
    expect(await status()).toMatchObject({ state: 'created', success: null, redirect_url: '' });
    await get(link.url);
    expect(await status()).toMatchObject({ state: 'processing', success: null, redirect_url: '' });
    await gateway.app.settleVerifications(project.projectId);
    const { success, error_message, redirect_url } = await status();
    expect({ success: String(success), ...(error_message && { error_message }) }).toEqual(outcome);
    expect(Object.fromEntries(new URL(redirect_url).searchParams)).toEqual({
      basket: '7',
      session_id: link.sessionId,
      ...outcome,
    });
    expect(redirect_url.startsWith('https://shop.example/done?')).toBe(true);
  });
});

describe('the redirect URL of a page', () => {
  it.each([
    'https://shop.example/a?b=1#c',
    'http://localhost:3000/',
    'myapp://done',
    'com.example.app:/back',
  ])('in a sandbox accepts %s', async (redirect_url) => {
    const { status, text } = await createVerification(project, { redirect_url });
    expect(status, text).toBe(200);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<p>x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://shop.example/1',
    'about:blank',
    'https://user:password@shop.example/',
    '/relative',
    'nonsense',
    `https://shop.example/${'x'.repeat(2000)}`,
  ])('never accepts %s', async (redirect_url) => {
    const { status, body } = await createVerification(project, { redirect_url });
    expect(status).toBe(400);
    expect(body.error).toBe('redirect_not_allowed');
  });

  it('in production accepts only allowed origins', async () => {
    const production = await gateway.project({ environment: 'production' });
    await production.graphql(
      'mutation { updateProjectSettings(input: { allowedOrigins: ["https://shop.example"] }) { requestId } }',
    );
    const asked = async (redirect_url: string) =>
      (await createVerification(production, { redirect_url })).status;
    expect(await asked('https://shop.example/back?x=1')).toBe(200);
    for (const other of [
      'https://shop.example.evil.example/',
      'https://evil.example/?https://shop.example',
      'http://shop.example/',
      'https://shop.example:444/',
      'myapp://shop.example',
    ])
      expect(await asked(other), other).toBe(400);
  });
});

describe('a /?session_id= link', () => {
  it('opens its session by the id, in its language, and redirects to the requested address', async () => {
    const { sessionId } = await verificationLink(project);
    const { status, text } = await get(
      queryLink(sessionId, { redirect_url: 'https://shop.example/old', lng: 'es' }),
    );
    expect(status).toBe(200);
    expect(text).toContain('<html lang="es"');
    expect(text).toContain('data-redirect-url="https://shop.example/old"');
    const input = { consent: consentAt(), redirect_url: 'https://shop.example/old' };
    const started = await pagePost(gateway, sessionId, 'start', input);
    expect(started.status).toBe(200);
    const failed = await pagePost(
      gateway,
      sessionId,
      'fail',
      { reason: 'failed_to_get_camera_permission' },
      started.body.capture_token,
    );
    expect(failed.body.redirect_url).toBe(
      `https://shop.example/old?session_id=${sessionId}&success=false&error_message=failed_to_get_camera_permission`,
    );
  });

  it('stores nothing of a real session until its page runs, and then only the first address', async () => {
    const redirectOf = {
      name: 'test.redirect',
      text: `select encrypted_redirect_url is not null as is_stored
             from verification_sessions where project_id = $1 and session_id = $2`,
    };
    const link = await verificationLink(project);
    const { sessionId } = link;
    const isStored = async () =>
      (await gateway.app.database.system.query(redirectOf, [project.projectId, sessionId]))[0].is_stored;
    await get(queryLink(sessionId, { redirect_url: 'https://evil.example/' }));
    expect(await isStored()).toBe(false);
    await pagePost(gateway, sessionId, 'open', { secret: 'wrong', redirect_url: 'https://evil.example/' });
    await pagePost(gateway, sessionId, 'open', { redirect_url: 'javascript:alert(1)' });
    expect(await isStored()).toBe(false);
    await pagePost(gateway, sessionId, 'open', { redirect_url: 'https://shop.example/' });
    await pagePost(gateway, sessionId, 'open', { redirect_url: 'https://evil.example/' });
    expect(await isStored()).toBe(true);
    const { body } = await pagePost(gateway, sessionId, 'start', {
      secret: link.secret,
      consent: consentAt(),
    });
    const failure = { reason: 'failed_to_get_camera_permission' };
    const failed = await pagePost(gateway, sessionId, 'fail', failure, body.capture_token);
    expect(failed.body.redirect_url).toMatch(/^https:\/\/shop\.example\/\?session_id=/);
  });

  it('does not override the address of the session, and accepts no script', async () => {
    const link = await verificationLink(project, {
      simulate: 'success',
      redirect_url: 'https://shop.example/own',
    });
    await get(queryLink(link.sessionId, { redirect_url: 'https://evil.example/' }));
    await gateway.app.settleVerifications(project.projectId);
    expect((await pageStatus(gateway, link.sessionId, link)).body.redirect_url).toMatch(
      /^https:\/\/shop\.example\/own\?/,
    );
    const other = await verificationLink(project, { simulate: 'success' });
    expect((await get(queryLink(other.sessionId, { redirect_url: 'javascript:alert(1)' }))).status).toBe(200);
    await gateway.app.settleVerifications(project.projectId);
    expect((await pageStatus(gateway, other.sessionId, other)).body).toMatchObject({
      state: 'completed',
      redirect_url: '',
    });
  });

  it('has no effect on a prefetch request', async () => {
    const link = await verificationLink(project, { simulate: 'success' });
    const url = queryLink(link.sessionId, { redirect_url: 'https://shop.example/' });
    await get(url, { method: 'HEAD' });
    await get(url, { headers: { purpose: 'prefetch' } });
    await get(link.url);
    await gateway.app.settleVerifications(project.projectId);
    expect((await pageStatus(gateway, link.sessionId, link)).body.redirect_url).toBe('');
  });

  it('opens nothing and changes nothing when a project disabled it; its own link works', async () => {
    const strict = await gateway.project();
    await strict.graphql(
      'mutation { updateProjectSettings(input: { plainVerificationLinks: false }) { requestId } }',
    );
    const link = await verificationLink(strict, { simulate: 'success' });
    await get(queryLink(link.sessionId, { redirect_url: 'https://evil.example/' }));
    expect(await stateOf(link.sessionId, strict)).toBe('CREATED');
    expect(await pageStatus(gateway, link.sessionId)).toMatchObject(NOT_FOUND);
    await get(link.url);
    await gateway.app.settleVerifications(strict.projectId);
    expect((await pageStatus(gateway, link.sessionId, link)).body).toMatchObject({
      state: 'completed',
      redirect_url: '',
    });
    const real = await verificationLink(strict);
    const input = { consent: consentAt() };
    expect(await pagePost(gateway, real.sessionId, 'start', input)).toMatchObject(NOT_FOUND);
  });
});
