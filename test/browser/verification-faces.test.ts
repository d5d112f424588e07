import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { en } from '../../clients/capture/texts/en.ts';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { collect, headOf, overSocket } from '../support/subscriptions.ts';
import { verifyFace } from '../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { agree, atStep, openCaptureWithout, press, turnCameraOn } from './support/capture-steps.ts';
import { livingCamera, printedCamera } from './support/verification-people.ts';
import {
  backInShop,
  expectOrderly,
  failureOf,
  imageAt,
  newVisit,
  openWith,
  READING_TIMEOUT_MS,
  seesResult,
  showFace,
} from './support/whole-verification.ts';

let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const COMPLETED = `subscription ($after: String) {
  verificationCompleted(after: $after) { id: eventId type accountId sessionId data } }`;

const ENDINGS = [
  'verification.face_check.completed',
  'verification.id_check.completed',
  'verification.failed',
];

/** A subscription to completed verifications, from now on. */
async function subscribed() {
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  onTestFinished(() => client.dispose());
  return collect(client, COMPLETED, { after: await headOf(project) });
}

describe('a face check', { timeout: READING_TIMEOUT_MS }, () => {
  it('of a living person ends with a result, an event, a webhook and the redirect', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['verification.face_check.completed'] });
    const collected = await subscribed();
    const visit = await newVisit(project);
    const { browser, page } = await openWith(livingCamera(), visit);
    await showFace(page);
    await seesResult(page, 'result_success_title', 'real-face-success');
    expect(await backInShop(page, visit)).toEqual({ session_id: visit.sessionId, success: 'true' });
    expectOrderly(browser, visit);
    const { status, body } = await verifyFace(project, visit.sessionId);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({ session_id: visit.sessionId, account_id: null });
    expect(body.risk_flags).not.toContain('screen_recapture_suspected');
    expect(await imageAt(body.photo_urls.face)).toMatchObject({ status: 200, format: 'jpeg' });
    const [event] = await collected.until(1);
    expect(event).toMatchObject({
      type: 'VERIFICATION_FACE_CHECK_COMPLETED',
      sessionId: visit.sessionId,
      data: { decision: body.decision, risk_score: body.risk_score, risk_flags: body.risk_flags },
    });
    await receiver.until(1);
    expect(receiver.received.map((delivery) => delivery.body.id)).toEqual([event.id]);
  });

  it('that is submitted twice, concurrently and afterwards, runs once', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: [...ENDINGS] });
    const visit = await newVisit(project);
    const { page } = await openWith(livingCamera(), visit, { recordsVideo: false });
    const twice: Promise<Response>[] = [];
    let again = () => Promise.reject<Response>(new Error('nothing was submitted'));
    page.on('request', (request) => {
      if (!request.url().endsWith('/complete') || twice.length > 0) return;
      const { authorization = '', 'content-type': type = '' } = request.headers();
      const headers = { authorization, 'content-type': type };
      again = () => fetch(request.url(), { method: 'POST', headers, body: request.postData() });
      twice.push(again());
    });
    await showFace(page);
    await seesResult(page, 'result_success_title', 'real-face-submitted-twice');
    const before = await verifyFace(project, visit.sessionId);
    const answers = [...(await Promise.all(twice)), await again()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await gateway.app.settleVerifications(project.projectId);
    await gateway.app.settleWebhooks();
    expect(await verifyFace(project, visit.sessionId)).toMatchObject({
      status: 200,
      body: { risk_score: before.body.risk_score },
    });
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['verification.face_check.completed']);
  });

  it('of a print that is turned before the camera fails', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['verification.failed'] });
    const visit = await newVisit(project);
    const { page } = await openWith(printedCamera(), visit);
    await showFace(page);
    await seesResult(page, 'result_failure_title', 'real-face-print');
    await page.getByText(en.failed_face).waitFor();
    expect(await backInShop(page, visit)).toEqual({
      session_id: visit.sessionId,
      success: 'false',
      error_message: 'liveness_check_failed',
    });
    expect(failureOf(await verifyFace(project, visit.sessionId))).toEqual([400, 'liveness_check_failed']);
    await receiver.until(1);
    expect(receiver.received[0]!.body.data).toMatchObject({ error_message: 'liveness_check_failed' });
  });

  it('without camera permission fails when the person cancels', async () => {
    const visit = await newVisit(project);
    const refuses = ['--use-fake-device-for-media-stream', '--deny-permission-prompts'];
    const { browser, page } = await openWith(Promise.resolve(refuses), visit);
    await agree(page);
    await turnCameraOn(page);
    await atStep(page, 'camera_refused_title');
    expect(failureOf(await verifyFace(project, visit.sessionId))).toEqual([400, 'session_not_complete']);
    await press(page, 'give_up');
    await press(page, 'give_up_stop');
    await seesResult(page, 'result_failure_title', 'real-camera-refused');
    expect(await backInShop(page, visit)).toEqual({
      session_id: visit.sessionId,
      success: 'false',
      error_message: 'failed_to_get_camera_permission',
    });
    expectOrderly(browser, visit);
    expect(failureOf(await verifyFace(project, visit.sessionId))).toEqual([400, 'session_not_complete']);
  });

  it('that is simulated uses no camera, and redirects after three seconds', async () => {
    const visit = await newVisit(project, { simulate: 'success', simulate_decision: 'Real' });
    const { browser, page } = await openCaptureWithout('about:blank');
    const openedAt = Date.now();
    await page.goto(visit.url);
    await atStep(page, 'simulated_title');
    expect(await backInShop(page, visit)).toEqual({ session_id: visit.sessionId, success: 'true' });
    expect(Date.now() - openedAt).toBeGreaterThan(2900);
    expectOrderly(browser, visit);
    const { status, body } = await verifyFace(project, visit.sessionId);
    expect([status, body.decision, body.risk_flags]).toEqual([200, 'Real', []]);
  });
});
