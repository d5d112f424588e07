import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { en, type TextKey } from '../../clients/capture/texts/en.ts';
import type { PhotoOptions } from '../fixtures/documents/photograph.ts';
import type { Specimen } from '../fixtures/documents/specimen.ts';
import { sharedFrame } from '../fixtures/faces/challenge.ts';
import { toJpeg } from '../fixtures/faces/photo.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { collect, headOf, overSocket } from '../support/subscriptions.ts';
import { verificationLink, verifyFace, verifyId } from '../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import {
  agree,
  atStep,
  chooseDocument,
  chooseFile,
  openCaptureWithout,
  press,
  refusalsOf,
  scanFace,
  shoot,
  turnCameraOn,
} from './support/capture-steps.ts';
import type { TestBrowser } from './support/chromium.ts';
import {
  blankPortrait,
  idCardOf,
  licenseOf,
  livingCamera,
  passportOf,
  photoOf,
  printedCamera,
} from './support/verification-people.ts';
import { openSite } from './support/visits.ts';

/*
 * Verifications from the link to the redirect, with a browser, its camera and files, on a real gateway: it
 * reads the images, and the tests check the responses to the project's server.
 */

/** Reading takes seconds, and longer on a busy machine. */
const WAIT_TIMEOUT_MS = 240_000;

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

type Visit = { sessionId: string; url: string; shop: string };

/** A session whose page redirects to a shop. */
async function newVisit(query: Record<string, string> = {}): Promise<Visit> {
  const title = '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">';
  const site = await openSite({ pages: { '/back': `${title}<h1>Back in the shop</h1>` } });
  const shop = `${site.url}/back`;
  const { sessionId, url } = await verificationLink(project, { lng: 'en', redirect_url: shop, ...query });
  return { sessionId, url, shop };
}

/** Opens the page in a browser with this camera. */
async function openWith(camera: Promise<string[]>, { url }: Visit) {
  const capture = await openCaptureWithout(url, {
    mode: 'window',
    hidesAutomation: true,
    args: await camera,
  });
  capture.page.setDefaultTimeout(60_000);
  return capture;
}

/** From consent to the accepted images of the face. */
async function showFace(page: Page): Promise<void> {
  await agree(page);
  await turnCameraOn(page);
  await scanFace(page);
}

const KINDS = { passport: 'passport', id_card: 'id_card', license: 'driver_license' } as const;

/** Uploads all sides of a document as files. */
async function showDocument(page: Page, document: Specimen, options: PhotoOptions = {}): Promise<void> {
  await chooseDocument(page, KINDS[document.kind as keyof typeof KINDS]);
  for (const side of document.sides) {
    const heading = document.kind === 'passport' ? 'passport_title' : (`${side}_title` as const);
    await chooseFile(page, heading, await photoOf(document, side, options));
  }
}

/** Waits for the result, after all images were read; blocked requests have no effect. */
async function seesResult(page: Page, heading: TextKey, shot: string): Promise<void> {
  page.setDefaultTimeout(WAIT_TIMEOUT_MS / 2);
  await atStep(page, heading);
  await shoot(page, shot);
  expect(await refusalsOf(page)).toEqual([]);
}

/** Parameters of the redirect to the shop. */
async function backInShop(page: Page, { shop }: Visit): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(shop));
  await page.getByRole('heading', { name: 'Back in the shop' }).waitFor();
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** No exception, no console error, and no other host than the gateway and the shop. */
function expectOrderly(browser: TestBrowser, visit: Visit): void {
  expect(browser.pageErrors).toEqual([]);
  expect(browser.consoleErrors).toEqual([]);
  const hosts = new Set(browser.requests.map(({ host }) => host));
  expect([...hosts].sort()).toEqual([new URL(visit.url).host, new URL(visit.shop).host].sort());
}

/** A subscription to completed verifications, from now on. */
async function subscribed() {
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  onTestFinished(() => client.dispose());
  return collect(client, COMPLETED, { after: await headOf(project) });
}

/** Everything of an ID check except its end. */
async function showedIdCheck(document: Specimen, options: PhotoOptions = {}) {
  const visit = await newVisit({ id: 'true' });
  const { page } = await openWith(livingCamera(), visit);
  await showFace(page);
  await showDocument(page, document, options);
  return { page, visit };
}

/** An answer in the names of our own types. */
function camelCased(value: Body): Body {
  if (typeof value !== 'object' || value === null) return value;
  const name = (key: string) => key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), camelCased(each)]));
}

/** Content of a signed image address, for any client. */
async function imageAt(url: string): Promise<{ status: number; format: string | undefined }> {
  const response = await fetch(url);
  const { format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return { status: response.status, format };
}

const failureOf = ({ status, body }: { status: number; body: Body }) => [status, body.error];

describe('a face check', { timeout: WAIT_TIMEOUT_MS }, () => {
  it('of a living person ends with a result, an event, a webhook and the redirect', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['verification.face_check.completed'] });
    const collected = await subscribed();
    const visit = await newVisit();
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
    const visit = await newVisit();
    const { page } = await openWith(livingCamera(), visit);
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
    const visit = await newVisit();
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
    const visit = await newVisit();
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
    const visit = await newVisit({ simulate: 'success', simulate_decision: 'Real' });
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

describe('an ID check', { timeout: WAIT_TIMEOUT_MS }, () => {
  it.each([
    ['a passport', passportOf],
    ['an identity card', idCardOf],
    ['a license', licenseOf],
  ])('with %s returns the fields of the document and whose face it shows', async (name, make) => {
    const document = await make();
    const visit = await newVisit({ id: 'true' });
    const { browser, page } = await openWith(livingCamera(), visit);
    await showFace(page);
    await showDocument(page, document);
    await seesResult(page, 'result_success_title', `real-id-${name}`);
    expect(await backInShop(page, visit)).toEqual({ session_id: visit.sessionId, success: 'true' });
    expectOrderly(browser, visit);
    const { status, body } = await verifyId(project, visit.sessionId);
    expect(status).toBe(200);
    const { templateInfo, userData } = document.truth;
    expect(camelCased(body.document_data)).toEqual({ templateInfo, userData });
    expect(body.document_signals).toMatchObject({
      id_validity: 'likely_authentic_id',
      id_face_status: 'likely_original_face',
      is_full_id_captured: 'full_id_detected',
      is_id_digital_spoof: 'likely_physical_id',
    });
    expect(body.document_signals.id_face_match_score).toBeGreaterThan(0.9);
    const { face, id_scan_front, id_scan_back } = body.photo_urls;
    const imageUrls = [face, id_scan_front, ...(document.sides.includes('back') ? [id_scan_back] : [])];
    for (const url of imageUrls) expect(await imageAt(url)).toMatchObject({ status: 200, format: 'jpeg' });
    expect('id_scan_back' in body.photo_urls).toBe(document.sides.includes('back'));
  });

  it('with a document of another person reports a mismatch', async ({ skip }) => {
    const other = await sharedFrame('person-b-1');
    if (!other) return skip();
    const { page, visit } = await showedIdCheck(await passportOf({ portrait: await toJpeg(other) }));
    await seesResult(page, 'result_success_title', 'real-id-other-face');
    const { status, body } = await verifyId(project, visit.sessionId);
    expect(status).toBe(200);
    expect(body.document_signals.id_face_match_score).toBeLessThan(0.5);
    expect(body.risk_flags).toContain('low_id_face_match_score');
    expect(body.decision).toBe('Fake');
  });

  it('with a document without a face that the frame truncates reports an incomplete image', async () => {
    const { page, visit } = await showedIdCheck(await passportOf({ portrait: await blankPortrait() }), {
      cut: 0.12,
    });
    await seesResult(page, 'result_success_title', 'real-id-cut');
    const { status, body } = await verifyId(project, visit.sessionId);
    expect(status).toBe(200);
    expect(body.document_signals).toMatchObject({
      is_full_id_captured: 'could_not_confidently_determine_full_id_user_needs_to_retry',
      id_face_status: 'not_available',
      id_face_match_score: null,
      id_validity: 'cannot_confirm_id_is_authentic',
    });
    expect(body.decision).toBe('Suspicious');
  });

  it('continues in a new tab after the first one was closed, and in no other browser', async () => {
    const visit = await newVisit({ id: 'true' });
    const { browser, page } = await openWith(livingCamera(), visit);
    await showFace(page);
    await atStep(page, 'document_type_title');
    const failure = async () => failureOf(await verifyId(project, visit.sessionId));
    await expect.poll(failure).toEqual([400, 'id_scan_not_complete']);
    await page.close();

    const stranger = await openCaptureWithout(visit.url);
    const refusal = stranger.page.waitForResponse(/\/start$/);
    await agree(stranger.page);
    expect((await refusal).status()).toBe(409);
    await seesResult(stranger.page, 'started_title', 'real-second-browser');
    await stranger.browser.close();

    const tab = await browser.open(visit.url);
    const document = await passportOf();
    await showDocument(tab, document);
    tab.setDefaultTimeout(WAIT_TIMEOUT_MS / 2);
    await atStep(tab, 'result_success_title');
    expect(await backInShop(tab, visit)).toMatchObject({ success: 'true' });
    const { status, body } = await verifyId(project, visit.sessionId);
    expect(status).toBe(200);
    expect(body.document_data.user_data.id_number).toBe(document.truth.userData.idNumber);
    expect(body.document_signals.id_face_match_score).toBeGreaterThan(0.9);
  });
});
