import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en, type TextKey } from '../../clients/capture/texts/en.ts';
import { textsOf } from '../../clients/capture/texts/texts.ts';
import {
  agree,
  atStep,
  chooseFile,
  continueScan,
  expectAccessible,
  expectToFit,
  openCapture,
  openCaptureWithout,
  PHONE,
  press,
  scanUntilLeft,
  shoot,
  turnCameraOn,
  videoRuns,
} from './support/capture-steps.ts';
import { visitsOfFile } from './support/capture-visit.ts';
import { idCardOf, photoOf } from './support/verification-people.ts';

const newVisit = visitsOfFile();

/** Moves to the button only with Tab, and presses it. */
async function pressByKeyboard(page: Page, button: TextKey): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate('document.activeElement.textContent');
    if (name !== en[button]) continue;
    // A keyboard user has to see the focus.
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    return page.keyboard.press('Enter');
  }
  throw new Error(`Tab never came to "${en[button]}"`);
}

describe('the accessible capture page', () => {
  it('can be used from start to end with the keyboard alone', async () => {
    const visit = await newVisit({ id: 'true' });
    const { page } = await openCapture(visit.link);
    const walk: [TextKey, TextKey][] = [
      ['consent_title', 'consent_agree'],
      ['camera_title', 'camera_start'],
      ['face_title', 'face_start'],
      ['face_review_title', 'use_pictures'],
      ['document_type_title', 'id_card'],
      ['front_title', 'document_take'],
      ['document_review_title', 'take_again'],
      ['front_title', 'document_take'],
      ['document_review_title', 'use_picture'],
      ['back_title', 'document_take'],
      ['document_review_title', 'use_picture'],
    ];
    for (const [heading, button] of walk) {
      await atStep(page, heading);
      if (button === 'face_start' || button === 'document_take') await videoRuns(page);
      await pressByKeyboard(page, button);
    }
    await expect.poll(() => visit.accepted('complete').length).toBe(1);
  });

  const SCREENS: [string, BrowserContextOptions][] = [
    ['phone', PHONE],
    [
      'narrow',
      { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true, reducedMotion: 'reduce' },
    ],
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ];

  it.each(SCREENS)('has no barrier in any step, and fits (%s)', async (name, context) => {
    const visit = await newVisit({ id: 'true' });
    const { page } = await openCapture(visit.link, { context, recordsVideo: false });
    let count = 0;
    const look = async (step: string) => {
      count += 1;
      await shoot(page, `${name}-${String(count).padStart(2, '0')}-${step}`);
      await expectToFit(page);
      await expectAccessible(page);
    };
    await atStep(page, 'consent_title');
    await look('consent');
    await agree(page);
    await atStep(page, 'camera_title');
    await look('camera');
    await turnCameraOn(page);
    await atStep(page, 'face_title');
    await videoRuns(page);
    await look('face');
    await scanUntilLeft(page);
    await look('face-left');
    await continueScan(page);
    await atStep(page, 'face_review_title');
    await look('face-review');
    await press(page, 'use_pictures');
    await atStep(page, 'document_type_title');
    await look('document-type');
    await press(page, 'id_card');
    await atStep(page, 'front_title');
    await videoRuns(page);
    await page.locator('.prompt:not(:empty)').waitFor();
    await look('front');
    await press(page, 'document_take');
    await atStep(page, 'document_review_title');
    await look('review');
    await press(page, 'take_again');
    const card = await idCardOf();
    await chooseFile(page, 'front_title', await photoOf(card, 'front'));
    await atStep(page, 'back_title');
    await press(page, 'give_up');
    await atStep(page, 'give_up_title');
    await look('give-up');
    await press(page, 'go_back');
    visit.treat(({ method }) => (method === 'PUT' ? 'drop' : 'forward'));
    await chooseFile(page, 'back_title', await photoOf(card, 'back'));
    await atStep(page, 'sending_title');
    await look('sending');
    await page.getByText(en.sending_stalled).waitFor();
    await look('stalled');
    visit.treat(({ path }) => (path.endsWith('/status') ? 'drop' : 'forward'));
    await press(page, 'try_again');
    await atStep(page, 'waiting_title');
    await look('waiting');
    visit.treat(() => 'forward');
    await atStep(page, 'result_success_title');
    await look('result');
  });

  it('shows Arabic from right to left', async () => {
    const visit = await newVisit({ lng: 'ar' });
    const { page } = await openCapture(visit.link, { context: PHONE, recordsVideo: false });
    const ar = textsOf('ar');
    await page.getByRole('heading', { name: ar.consent_title }).waitFor();
    const root = page.locator('html');
    expect([await root.getAttribute('lang'), await root.getAttribute('dir')]).toEqual(['ar', 'rtl']);
    await expectAccessible(page);
    await shoot(page, 'arabic-consent');
    await page.getByRole('button', { name: ar.consent_agree }).click();
    await page.getByRole('button', { name: ar.camera_start }).click();
    await scanUntilLeft(page, ar);
    await shoot(page, 'arabic-face-left');
    // The mirrored image shows a turn to the person's left on the left, in any text direction.
    const [arrow, video] = await Promise.all([
      page.locator('.arrow').boundingBox(),
      page.locator('video').boundingBox(),
    ]);
    expect(arrow!.x + arrow!.width).toBeLessThan(video!.x + video!.width / 2);
    expect(visit.accepted('start')[0]?.language).toBe('ar');
  });

  it('changes its language on selection, also for a reload before the consent', async () => {
    const visit = await newVisit();
    const { page } = await openCaptureWithout(visit.link);
    for (const language of ['es', 'fr', 'de', 'ar'] as const) {
      const { consent_title } = textsOf(language);
      await page.locator('select').selectOption(language);
      await page.getByRole('heading', { name: consent_title }).waitFor();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.title()).toContain(consent_title);
    }
    await page.reload();
    await page.getByRole('heading', { name: textsOf('ar').consent_title }).waitFor();
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await page.getByRole('button', { name: textsOf('ar').consent_agree }).click();
    await page.getByRole('heading', { name: textsOf('ar').camera_title }).waitFor();
    expect(visit.accepted('start')[0]?.language).toBe('ar');
  });

  it('has a small size', async () => {
    const folder = new URL('../../clients/capture/generated/', import.meta.url);
    const files = await Promise.all(
      ['capture.js', 'capture.css'].map((file) => readFile(new URL(file, folder))),
    );
    const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    expect(bytes).toBeLessThan(150 * 1024);
  });
});
