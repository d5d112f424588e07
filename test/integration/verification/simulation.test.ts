import { FAILURES } from '@vouchgraph/verification/internals/failure';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { pageStatus, verificationLink } from '../../support/verification.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const create = (project: TestProject, query: Record<string, string>) =>
  project.rest('GET', `/liveness/session?${new URLSearchParams(query)}`);
const pathOf = (kind: string) => (kind === 'id' ? '/liveness/verify-id' : '/liveness/verify-face');
const queryOf = (kind: string) => (kind === 'id' ? { id: 'true' } : ({} as Record<string, string>));

/** Creates a simulated session, requests its page as any HTTP client, and waits for its end. */
async function played(project: TestProject, query: Record<string, string>): Promise<string> {
  const { body } = await create(project, query);
  const page = await fetch(body.session_url);
  expect(page.status).toBe(200);
  await gateway.app.settleVerifications(project.projectId);
  return body.session_id;
}

describe.each(['id', 'face'])('a simulated check (%s)', (kind) => {
  const verify = (project: TestProject, session_id: string) =>
    project.rest('POST', pathOf(kind), { session_id });

  it('is not started before its page is opened, and not complete for three seconds afterwards', async () => {
    const project = await gateway.project();
    const { body } = await create(project, { ...queryOf(kind), simulate: 'success' });
    expect((await verify(project, body.session_id)).body).toEqual({
      request_id: expect.any(String),
      success: false,
      error: 'session_not_started',
      message: expect.any(String),
      code: 'verification.session_not_started',
    });
    await fetch(body.session_url);
    expect((await verify(project, body.session_id)).body.error).toBe('session_not_complete');
    await gateway.app.settleVerifications(project.projectId);
    expect((await verify(project, body.session_id)).status).toBe(200);
  });

  it.each([
    [{}, 'Fake', 0.9, kind === 'id' ? ['likely_fake_id', 'low_id_face_match_score'] : ['repeat_face']],
    [{ simulate_decision: 'Real' }, 'Real', 0.1, []],
    [{ simulate_decision: 'Suspicious' }, 'Suspicious', 0.5, []],
    [{ simulate_decision: 'Fake' }, 'Fake', 0.9, []],
    [{ simulate_risk_score: '0.39' }, 'Real', 0.39, []],
    [{ simulate_risk_score: '0.4' }, 'Suspicious', 0.4, []],
    [{ simulate_risk_score: '0.7', simulate_decision: 'Real' }, 'Real', 0.7, []],
    [{ simulate_risk_flags: 'repeat_id,digital_id' }, 'Fake', 0.9, ['repeat_id', 'digital_id']],
  ])('with success returns %j as requested', async (query, decision, risk_score, risk_flags) => {
    const project = await gateway.project();
    const session_id = await played(project, { ...queryOf(kind), simulate: 'success', ...query } as Record<
      string,
      string
    >);
    const { status, body, headers } = await verify(project, session_id);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      metadata: {
        project_id: project.projectId,
        session_id,
        account_id: null,
        referring_session_id: null,
        request_id: headers.get('x-request-id'),
      },
      decision,
      risk_score,
      risk_flags,
      lists: [],
      rules: [],
    });
  });

  it.each(FAILURES)('that ends with %s returns a documented 400', async (simulate) => {
    const project = await gateway.project();
    const session_id = await played(project, { ...queryOf(kind), simulate });
    const { status, body } = await verify(project, session_id);
    expect(status).toBe(400);
    expect(body.success).toBe(false);
    const expected: Body = {
      invalid_session_id: 'session_not_found',
      session_id_not_found: 'session_not_found',
      failed_to_get_camera_permission: 'session_not_complete',
      failed_to_collect_device_data: 'session_not_complete',
      failed_to_complete_face_scan: 'liveness_check_failed',
      liveness_check_failed: 'liveness_check_failed',
      failed_to_process_id_scan: kind === 'id' ? 'id_scan_failed' : 'liveness_check_failed',
    };
    expect(body.error).toBe(expected[simulate]);
  });
});

describe('the page of a simulated session', () => {
  it('contains the time until its result is due, also after a reload', async () => {
    const clock = new TestClock();
    const own = await startGateway({ clock });
    try {
      const project = await own.project();
      const { url, sessionId, secret } = await verificationLink(project, { simulate: 'success' });
      const dueIn = async () => /data-due-in-ms="(.*?)"/.exec(await (await fetch(url)).text())?.[1];
      expect(await dueIn()).toBe('3000');
      clock.advance(1200);
      expect(await dueIn()).toBe('1800');
      clock.advance(5000);
      expect(await dueIn()).toBe('0');
      await own.app.settleVerifications(project.projectId);
      expect((await pageStatus(own, sessionId, { secret })).body.state).toBe('completed');
      expect(await dueIn()).toBe('0');
    } finally {
      await own.close();
    }
  });
});

describe('parameters of the creation', () => {
  it('are part of the response: the account, which is created, and the referring session', async () => {
    const project = await gateway.project();
    const referring_session_id = await project.session({});
    const account_id = unique('simulated');
    const session_id = await played(project, {
      id: 'true',
      simulate: 'success',
      simulate_decision: 'Real',
      account_id,
      referring_session_id,
    });
    const { body } = await project.rest('POST', '/liveness/verify-id', { session_id });
    expect(body.metadata).toMatchObject({ account_id, referring_session_id });
    expect((await project.rest('GET', `/account/${account_id}`)).body.last_session).toBe(session_id);
  });

  it('can repeat flags instead of separating them by commas', async () => {
    const project = await gateway.project();
    const { body } = await project.rest(
      'GET',
      '/liveness/session?simulate=success&simulate_risk_flags=repeat_id&simulate_risk_flags=repeat_face',
    );
    await fetch(body.session_url);
    await gateway.app.settleVerifications(project.projectId);
    const { body: result } = await project.rest('POST', '/liveness/verify-face', {
      session_id: body.session_id,
    });
    expect(result.risk_flags).toEqual(['repeat_id', 'repeat_face']);
  });
});
