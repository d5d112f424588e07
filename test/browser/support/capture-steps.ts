import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { en, type TextKey, type Texts } from '../../../clients/capture/texts/en.ts';
import { fill } from '../../../clients/shared/languages.ts';
import { type BrowserOptions, type TestBrowser, WAIT_TIMEOUT_MS } from './chromium.ts';
import { cardImage } from './fake-camera.ts';
import { livingCamera } from './verification-people.ts';
import { openBrowser } from './visits.ts';

/** Characters of a page in an error. */
const MAX_SHOWN = 500;

/** Longest wait for them. */
const SHOWN_TIMEOUT_MS = 10_000;

/* The steps of the hosted page as a person takes them, for any service behind it. */

/** The screen of a phone. */
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export type Capture = { browser: TestBrowser; page: Page };

export type CaptureOptions = BrowserOptions & {
  /**
   * False: a browser without MediaRecorder, as some are. Its page uploads no video of the scan. Recording costs more processor
   * time than the rest of a visit, so that tests record where the video matters.
   */
  recordsVideo?: boolean;
};

/** A browser with a permitted camera, which shows a person, on the page. */
export async function openCapture(link: string, options: CaptureOptions = {}): Promise<Capture> {
  const camera = await livingCamera();
  return openCaptureWithout(link, { ...options, args: [...camera, ...(options.args ?? [])] });
}

/** A browser without a camera, on the page. */
export async function openCaptureWithout(link: string, options: CaptureOptions = {}): Promise<Capture> {
  const { recordsVideo = true, ...rest } = options;
  const browser = await openBrowser({ mode: 'shell', ...rest });
  if (!recordsVideo) await browser.context.addInitScript('delete window.MediaRecorder');
  return { browser, page: await openLink(browser, link) };
}

/** Opens the page in an open browser, and records the violations of its policy. */
async function openLink(browser: TestBrowser, link: string): Promise<Page> {
  const page = await browser.open();
  page.setDefaultTimeout(2 * WAIT_TIMEOUT_MS);
  await page.addInitScript(`
    refusals = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      refusals.push(violatedDirective + ' ' + blockedURI));
  `);
  await page.goto(link);
  return page;
}

/** Waits for the step with this heading, which must have the focus. The error names what the page shows instead. */
export async function atStep(page: Page, heading: TextKey): Promise<void> {
  try {
    await page.getByRole('heading', { level: 1, name: en[heading], exact: true }).waitFor();
    await page.locator('h1:focus').waitFor();
  } catch (error) {
    // Has a limit, which `evaluate` has not: the page may respond to nothing.
    const shown = await page.locator('body').innerText({ timeout: SHOWN_TIMEOUT_MS }).catch(String);
    throw new Error(`the page is not at ${heading}, it shows: ${shown.slice(0, MAX_SHOWN)}`, {
      cause: error,
    });
  }
}

/** Waits until the page shows the number of its step. */
export function atStepNumber(page: Page, n: number, total: number): Promise<void> {
  return page.getByText(fill(en.step_of, { n, total }), { exact: true }).waitFor();
}

/** The decoder, with its own file in place of one on a public server. */
async function decoder(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const wasmBinary = new Uint8Array(await readFile(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

/** The address in the QR code of the page, read from its pixels. */
export async function scanCode(page: Page): Promise<string> {
  const image = await page.getByRole('img', { name: en.handover_code }).screenshot();
  await decoder();
  const [found] = await readBarcodes(new Uint8Array(image), { formats: ['QRCode'] });
  if (!found?.text) throw new Error('the image contains no QR code');
  return found.text;
}

export async function press(page: Page, button: TextKey): Promise<void> {
  await page.getByRole('button', { name: en[button], exact: true }).click();
}

export async function agree(page: Page): Promise<void> {
  await atStep(page, 'consent_title');
  await press(page, 'consent_agree');
}

export async function turnCameraOn(page: Page): Promise<void> {
  await atStep(page, 'camera_title');
  await press(page, 'camera_start');
}

/** Scans the face, and accepts the images. */
export async function scanFace(page: Page): Promise<void> {
  await atStep(page, 'face_title');
  await videoRuns(page);
  await press(page, 'face_start');
  await atStep(page, 'face_review_title');
  await press(page, 'use_pictures');
}

/** A scan takes one image after the other: it stays at the turn to the left while the first image of this step is not complete. */
const HELD_TURN = `{
  const { toBlob } = HTMLCanvasElement.prototype;
  const continued = new Promise((resolve) => {
    continueScan = resolve;
  });
  HTMLCanvasElement.prototype.toBlob = async function (...options) {
    if (document.querySelector('.arrow.left')) await continued;
    toBlob.apply(this, options);
  };
}`;

/** Starts the scan of the face, which stays at the turn to the left until the script calls `continueScan`. */
export async function scanUntilLeft(page: Page, texts: Texts = en): Promise<void> {
  await videoRuns(page);
  await page.evaluate(HELD_TURN);
  await page.getByRole('button', { name: texts.face_start, exact: true }).click();
  await page.getByText(texts.face_left, { exact: true }).waitFor();
}

/** Continues the scan to its end. */
export async function continueScan(page: Page): Promise<void> {
  await page.evaluate('continueScan()');
}

export async function chooseDocument(
  page: Page,
  type: 'passport' | 'id_card' | 'driver_license',
): Promise<void> {
  await atStep(page, 'document_type_title');
  await press(page, type);
}

/** Captures one side with the camera. */
export async function photograph(page: Page, heading: TextKey): Promise<void> {
  await atStep(page, heading);
  await videoRuns(page);
  await press(page, 'document_take');
  await atStep(page, 'document_review_title');
  await press(page, 'use_picture');
}

/** Chooses a file for one side; by default an image of a card without text. */
export async function chooseFile(page: Page, heading: TextKey, imageBytes?: Buffer): Promise<void> {
  await atStep(page, heading);
  const file = { name: 'card.jpg', mimeType: 'image/jpeg', buffer: imageBytes ?? (await cardImage()) };
  await page.getByLabel(en.document_file).setInputFiles(file);
  await atStep(page, 'document_review_title');
  await press(page, 'use_picture');
}

/** Lets the page redirect to the customer's site, and waits for it. */
export function waitForBack(page: Page, visit: { letBack(): void }): Promise<void> {
  visit.letBack();
  return page.waitForURL(/\/back\?/);
}

export async function videoRuns(page: Page): Promise<void> {
  const width = () => page.evaluate('document.querySelector("video")?.videoWidth ?? 0');
  await expect.poll(width).toBeGreaterThan(0);
}

/** No exception, no console error, no other host, and no policy violation. */
export async function expectClean({ browser, page }: Capture, allowedComplaints = /$^/): Promise<void> {
  expect(browser.pageErrors).toEqual([]);
  expect(browser.consoleErrors.filter((text) => !allowedComplaints.test(text))).toEqual([]);
  const hosts = new Set(browser.requests.map(({ host }) => host));
  expect([...hosts]).toEqual([new URL(page.url()).host]);
}

/** Policy violations on the page so far. */
export function refusalsOf(page: Page): Promise<string[]> {
  return page.evaluate('refusals');
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects that axe-core reports no problem on the page. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('Boolean(window.axe)'))) await page.evaluate(axe.source);
  const found = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
  );
  expect(
    found.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]),
  ).toEqual([]);
}

/** No element is wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  const sizes = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]';
  const [content, window] = await page.evaluate<[number, number]>(sizes);
  expect(content).toBe(window);
}

/** Saves a screenshot of the page in the folder of CAPTURE_SHOTS; does nothing without it. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.CAPTURE_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
