import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PhotoOptions } from '../fixtures/documents/photograph.ts';
import type { Specimen } from '../fixtures/documents/specimen.ts';
import { sharedFrame } from '../fixtures/faces/challenge.ts';
import { toJpeg } from '../fixtures/faces/photo.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { verifyId } from '../support/verification.ts';
import { agree, atStep, chooseDocument, chooseFile, openCaptureWithout } from './support/capture-steps.ts';
import { leave } from './support/chromium.ts';
import {
  blankPortrait,
  idCardOf,
  licenseOf,
  livingCamera,
  passportOf,
  photoOf,
} from './support/verification-people.ts';
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

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
});

const KINDS = { passport: 'passport', id_card: 'id_card', license: 'driver_license' } as const;

/** Uploads all sides of a document as files. */
async function showDocument(page: Page, document: Specimen, options: PhotoOptions = {}): Promise<void> {
  await chooseDocument(page, KINDS[document.kind as keyof typeof KINDS]);
  for (const side of document.sides) {
    const heading = document.kind === 'passport' ? 'passport_title' : (`${side}_title` as const);
    await chooseFile(page, heading, await photoOf(document, side, options));
  }
}

/** Everything of an ID check except its end. */
async function showedIdCheck(document: Specimen, options: PhotoOptions = {}) {
  const visit = await newVisit(project, { id: 'true' });
  const { page } = await openWith(livingCamera(), visit, { recordsVideo: false });
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

describe('an ID check', { timeout: READING_TIMEOUT_MS }, () => {
  it.each([
    ['a passport', passportOf],
    ['an identity card', idCardOf],
    ['a license', licenseOf],
  ])('with %s returns the fields of the document and whose face it shows', async (name, make) => {
    const document = await make();
    const visit = await newVisit(project, { id: 'true' });
    const recordsVideo = document.kind === 'passport';
    const { browser, page } = await openWith(livingCamera(), visit, { recordsVideo });
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
    const visit = await newVisit(project, { id: 'true' });
    const { browser, page } = await openWith(livingCamera(), visit, { recordsVideo: false });
    await showFace(page);
    await atStep(page, 'document_type_title');
    const failure = async () => failureOf(await verifyId(project, visit.sessionId));
    await expect.poll(failure).toEqual([400, 'id_scan_not_complete']);
    await leave(page);

    const stranger = await openCaptureWithout(visit.url);
    const refusal = stranger.page.waitForResponse(/\/start$/);
    await agree(stranger.page);
    expect((await refusal).status()).toBe(409);
    await seesResult(stranger.page, 'started_title', 'real-second-browser');
    await stranger.browser.close();

    const tab = await browser.open(visit.url);
    const document = await passportOf();
    await showDocument(tab, document);
    tab.setDefaultTimeout(READING_TIMEOUT_MS / 2);
    await atStep(tab, 'result_success_title');
    expect(await backInShop(tab, visit)).toMatchObject({ success: 'true' });
    const { status, body } = await verifyId(project, visit.sessionId);
    expect(status).toBe(200);
    expect(body.document_data.user_data.id_number).toBe(document.truth.userData.idNumber);
    expect(body.document_signals.id_face_match_score).toBeGreaterThan(0.9);
  });
});
