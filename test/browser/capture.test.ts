import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { CONSENT_TEXT_VERSION } from '../../clients/capture/consent.ts';
import { en, type TextKey } from '../../clients/capture/texts/en.ts';
import { textsOf } from '../../clients/capture/texts/texts.ts';
import { openCaptureGateway } from './support/capture-gateway.ts';
import {
  agree,
  atStep,
  chooseDocument,
  chooseFile,
  expectAccessible,
  expectClean,
  expectToFit,
  openCapture,
  openCaptureWithout,
  photograph,
  press,
  refusalsOf,
  scanFace,
  shoot,
  turnCameraOn,
  videoRuns,
} from './support/capture-steps.ts';

const RESOURCE = /^Failed to load resource/;

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const waitForBack = (page: Page) => page.waitForURL(/\/back\?/);

describe('a face check', () => {
  it('goes from consent to the way back, and hands in what the service asked for', async () => {
    const gateway = await openCaptureGateway({ challenge: ['right', 'left'] });
    const capture = await openCapture(gateway.link);
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'result_success_title');
    expect(await refusalsOf(page)).toEqual([]);
    await waitForBack(page);
    expect(new URL(page.url()).searchParams.get('success')).toBe('true');
    const { start, complete, facts } = gateway.told;
    expect(start[0]).toMatchObject({ consent: { text_version: CONSENT_TEXT_VERSION }, language: 'en' });
    expect(Math.abs(Date.now() - Date.parse(start[0]?.consent.given_at))).toBeLessThan(60_000);
    expect(complete).toHaveLength(1);
    expect(complete[0]).toMatchObject({
      document_type: null,
      camera: { width: 640, height: 480, device_count: 1 },
    });
    expect(complete[0]?.challenge.map(({ step }: { step: string }) => step)).toEqual([
      'center',
      'right',
      'left',
    ]);
    expect(facts.some(({ checks }) => checks?.camera_labels?.length === 1)).toBe(true);
    const named = complete[0]?.challenge.flatMap(({ frames }: { frames: number[] }) => frames);
    expect([...gateway.media.keys()].sort()).toEqual(
      [...named.map((sequence: number) => `face_frame/${sequence}`), 'face_clip/0'].sort(),
    );
    for (const sequence of named) {
      const picture = await sharp(gateway.media.get(`face_frame/${sequence}`)).metadata();
      expect([picture.format, picture.width, picture.height]).toEqual(['jpeg', 640, 480]);
    }
    // The mark with which every WebM file begins.
    expect(gateway.media.get('face_clip/0')?.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
    await expectClean(capture);
  });

  it('leaves nothing in the browser when it is over', async () => {
    const gateway = await openCaptureGateway();
    const { browser, page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await waitForBack(page);
    const left = JSON.stringify(await browser.context.storageState({ indexedDB: true }));
    expect(left).not.toContain('token-');
    expect(left).not.toContain('face_frame');
  });

  it('takes the face again when somebody is not content', async () => {
    const gateway = await openCaptureGateway({ challenge: ['left'] });
    const { page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await atStep(page, 'face_title');
    await videoRuns(page);
    await press(page, 'face_start');
    await atStep(page, 'face_review_title');
    await press(page, 'take_again');
    expect(gateway.arrivals).toEqual([]);
    await scanFace(page);
    await atStep(page, 'result_success_title');
    expect(new Set(gateway.arrivals).size).toBe(gateway.arrivals.length);
  });

  it('says what went wrong, and takes it back with the person', async () => {
    const outcome = { success: false, error_message: 'liveness_check_failed' };
    const gateway = await openCaptureGateway({ outcome, challenge: ['left'] });
    const { page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'result_failure_title');
    await page.getByText(en.failed_face).waitFor();
    await waitForBack(page);
    expect(new URL(page.url()).searchParams.get('error_message')).toBe('liveness_check_failed');
  });
});

describe('an ID check', () => {
  it('photographs both sides of a card, one with the camera and one from a file', async () => {
    const gateway = await openCaptureGateway({ kind: 'id' });
    const capture = await openCapture(gateway.link);
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'id_card');
    await photograph(page, 'front_title');
    await chooseFile(page, 'back_title');
    await atStep(page, 'result_success_title');
    expect(await refusalsOf(page)).toEqual([]);
    await waitForBack(page);
    expect(gateway.told.complete[0]).toMatchObject({ document_type: 'id_card' });
    const sizes = await Promise.all(
      ['id_front/0', 'id_back/0'].map(async (name) => {
        const { format, width, height } = await sharp(gateway.media.get(name)).metadata();
        return [format, width, height];
      }),
    );
    expect(sizes).toEqual([
      ['jpeg', 640, 480],
      ['jpeg', 1000, 700],
    ]);
    await expectClean(capture);
  });

  it('photographs one page of a passport', async () => {
    const gateway = await openCaptureGateway({ kind: 'id', challenge: [] });
    const { page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    await chooseFile(page, 'passport_title');
    await atStep(page, 'result_success_title');
    expect(gateway.media.has('id_back/0')).toBe(false);
  });

  it('says so when a file is no picture', async () => {
    const gateway = await openCaptureGateway({ kind: 'id', challenge: [] });
    const { page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    const file = { name: 'card.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') };
    await page.getByLabel(en.document_file).setInputFiles(file);
    await page.getByRole('alert').getByText(en.document_file_unreadable).waitFor();
    await atStep(page, 'passport_title');
  });
});

describe('a camera', () => {
  it('that is refused is explained, can be tried again, and ends the check when it is given up', async () => {
    const gateway = await openCaptureGateway();
    const capture = await openCaptureWithout(gateway.link, {
      args: ['--use-fake-device-for-media-stream', '--deny-permission-prompts'],
    });
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await atStep(page, 'camera_refused_title');
    await page.getByText(en.camera_refused_2).waitFor();
    await expectAccessible(page);
    await shoot(page, 'camera-refused');
    await press(page, 'try_again');
    await atStep(page, 'camera_refused_title');
    await press(page, 'give_up');
    await atStep(page, 'give_up_title');
    await press(page, 'go_back');
    await atStep(page, 'camera_refused_title');
    await press(page, 'give_up');
    await press(page, 'give_up_stop');
    await page.getByText(en.failed_camera).waitFor();
    expect(gateway.told.fail).toEqual([{ reason: 'failed_to_get_camera_permission' }]);
    await waitForBack(page);
    await expectClean(capture);
  });

  it('that a desktop does not have is replaced by a phone', async () => {
    const gateway = await openCaptureGateway({ challenge: ['left'] });
    const desktop = await openCaptureWithout(gateway.link);
    await agree(desktop.page);
    await turnCameraOn(desktop.page);
    await atStep(desktop.page, 'handover_title');
    await desktop.page.getByText(gateway.phoneLink).waitFor();
    await desktop.page.getByRole('img', { name: en.handover_code }).waitFor();
    await expectAccessible(desktop.page);
    await shoot(desktop.page, 'handover');
    const phone = await openCapture(gateway.phoneLink, { context: PHONE });
    await agree(phone.page);
    await atStep(phone.page, 'camera_title');
    // A desktop that is loaded again waits on.
    await desktop.page.reload();
    await atStep(desktop.page, 'handover_title');
    await turnCameraOn(phone.page);
    await scanFace(phone.page);
    await atStep(phone.page, 'result_success_title');
    await atStep(desktop.page, 'result_success_title');
    await waitForBack(desktop.page);
    // The token is the phone's now, so that the desktop is refused once before it asks by its link.
    await expectClean(desktop, RESOURCE);
    await expectClean(phone);
  });

  it('of this device may be used after all, unless the phone has gone on', async () => {
    const gateway = await openCaptureGateway({ challenge: [] });
    const desktop = await openCapture(gateway.link);
    await agree(desktop.page);
    await atStep(desktop.page, 'camera_title');
    await press(desktop.page, 'use_phone');
    await atStep(desktop.page, 'handover_title');
    await press(desktop.page, 'handover_here');
    await atStep(desktop.page, 'camera_title');
    await press(desktop.page, 'use_phone');
    await atStep(desktop.page, 'handover_title');
    const phone = await openCaptureWithout(gateway.phoneLink);
    await agree(phone.page);
    await atStep(phone.page, 'camera_title');
    await press(desktop.page, 'handover_here');
    await atStep(desktop.page, 'started_title');
  });
});

describe('a page that loses its connection or is loaded again', () => {
  it('sends after a reload what had not arrived, and nothing twice', async () => {
    const gateway = await openCaptureGateway({ kind: 'id', challenge: ['left'] });
    // The connection breaks with the fourth upload.
    gateway.setTreatment(({ method }) =>
      method === 'PUT' && gateway.arrivals.length >= 3 ? 'drop' : 'answer',
    );
    const { browser, page } = await openCapture(gateway.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'document_type_title');
    await expect.poll(() => gateway.arrivals.length).toBe(3);
    gateway.setTreatment(() => 'answer');
    await page.reload();
    await chooseDocument(page, 'driver_license');
    await chooseFile(page, 'front_title');
    await page.reload();
    await chooseFile(page, 'back_title');
    await atStep(page, 'result_success_title');
    expect(gateway.arrivals.toSorted()).toEqual([...new Set(gateway.arrivals)].toSorted());
    expect([...gateway.media.keys()].toSorted()).toEqual(
      [
        ...Array.from({ length: 8 }, (_, sequence) => `face_frame/${sequence}`),
        'face_clip/0',
        'id_front/0',
        'id_back/0',
      ].toSorted(),
    );
    expect(gateway.told.complete[0]).toMatchObject({
      document_type: 'driver_license',
      challenge: [
        { step: 'center', frames: [0, 1, 2, 3] },
        { step: 'left', frames: [4, 5, 6, 7] },
      ],
      camera: { device_count: 1 },
    });
    expect(browser.pageErrors).toEqual([]);
  });

  it('tries uploads again by itself', async () => {
    const gateway = await openCaptureGateway({ challenge: [] });
    let failures = 2;
    gateway.setTreatment(({ method }) => {
      if (method !== 'PUT' || failures === 0) return 'answer';
      failures -= 1;
      return 'fail';
    });
    const capture = await openCapture(gateway.link);
    await agree(capture.page);
    await turnCameraOn(capture.page);
    await scanFace(capture.page);
    await atStep(capture.page, 'result_success_title');
    expect(failures).toBe(0);
    await expectClean(capture, RESOURCE);
  });

  it('waits on when it is loaded again after everything was handed in', async () => {
    const gateway = await openCaptureGateway({ challenge: [] });
    const { page } = await openCapture(gateway.link);
    gateway.setTreatment(({ path }) => (path.endsWith('/status') ? 'fail' : 'answer'));
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'waiting_title');
    await page.reload();
    await atStep(page, 'waiting_title');
    gateway.setTreatment(() => 'answer');
    await atStep(page, 'result_success_title');
    expect(gateway.told.start).toHaveLength(1);
  });

  it('offers to try again when the service cannot be reached', async () => {
    const gateway = await openCaptureGateway();
    const { browser, page } = await openCapture(gateway.link);
    await browser.context.clock.install();
    gateway.setTreatment(() => 'drop');
    await agree(page);
    await browser.context.clock.runFor(60_000);
    await atStep(page, 'offline_title');
    gateway.setTreatment(() => 'answer');
    await press(page, 'try_again');
    await atStep(page, 'camera_title');
  });
});

describe('a link', () => {
  it('that another browser uses is refused there', async () => {
    const gateway = await openCaptureGateway();
    const first = await openCapture(gateway.link);
    await agree(first.page);
    await atStep(first.page, 'camera_title');
    const second = await openCaptureWithout(gateway.link);
    await agree(second.page);
    await atStep(second.page, 'started_title');
    await expectClean(second, RESOURCE);
  });

  it('that is not whole is said not to work', async () => {
    const gateway = await openCaptureGateway();
    const { page } = await openCaptureWithout(gateway.link.slice(0, -3));
    await atStep(page, 'link_broken_title');
    await expectAccessible(page);
  });

  it('that is over is said to be over', async () => {
    const gateway = await openCaptureGateway();
    gateway.setState('expired');
    const { page } = await openCaptureWithout(gateway.link);
    await atStep(page, 'link_over_title');
    expect(gateway.told.start).toEqual([]);
  });

  it('that ended while somebody read is over when they agree', async () => {
    const gateway = await openCaptureGateway();
    const { page } = await openCaptureWithout(gateway.link);
    await atStep(page, 'consent_title');
    gateway.setState('processing');
    await agree(page);
    await atStep(page, 'link_over_title');
  });

  it('is agreed to by the time of the service, however wrong the clock of the device', async () => {
    const gateway = await openCaptureGateway();
    const { browser, page } = await openCaptureWithout('about:blank');
    await browser.context.clock.setSystemTime('2020-02-02T02:02:02Z');
    const opened = page.waitForResponse(/\/open$/);
    await page.goto(gateway.link);
    await (await opened).finished();
    await agree(page);
    await atStep(page, 'camera_title');
    const givenAt = Date.parse(gateway.told.start[0]?.consent.given_at);
    expect(Math.abs(Date.now() - givenAt)).toBeLessThan(60_000);
  });

  it('of a document that could not be judged has the document captured again, and nothing else', async () => {
    const gateway = await openCaptureGateway({ kind: 'id', retake: 'glare' });
    const capture = await openCapture(gateway.link, { context: PHONE });
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    await photograph(page, 'passport_title');
    await page.getByText(en.retake_glare).waitFor();
    await atStep(page, 'passport_title');
    await expectAccessible(page);
    await expectToFit(page);
    await shoot(page, 'retake');
    // A page that is loaded again asks for the same.
    await page.reload();
    await page.getByText(en.retake_glare).waitFor();
    await photograph(page, 'passport_title');
    await atStep(page, 'result_success_title');
    expect(gateway.told.complete).toHaveLength(2);
    expect(gateway.arrivals.filter((name) => name === 'id_front/0')).toHaveLength(2);
    expect(gateway.arrivals.filter((name) => name === 'face_frame/0')).toHaveLength(1);
    await waitForBack(page);
    await expectClean(capture);
  });

  it('of a simulation uses no camera, and goes back by itself after three seconds', async () => {
    const outcome = { success: false, error_message: 'failed_to_process_id_scan' };
    const gateway = await openCaptureGateway({ isSimulated: true, outcome });
    const capture = await openCaptureWithout(gateway.link);
    const openedMs = Date.now();
    await atStep(capture.page, 'simulated_title');
    await expectAccessible(capture.page);
    await shoot(capture.page, 'simulated');
    await waitForBack(capture.page);
    expect(Date.now() - openedMs).toBeGreaterThan(2900);
    expect(new URL(capture.page.url()).searchParams.get('error_message')).toBe('failed_to_process_id_scan');
    expect(gateway.told.start).toEqual([]);
    await expectClean(capture);
  });
});

/** Goes to the button with Tab alone, and presses it. */
async function pressByKeyboard(page: Page, button: TextKey): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate('document.activeElement.textContent');
    if (name !== en[button]) continue;
    // Whoever goes by keyboard has to see where they are.
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    return page.keyboard.press('Enter');
  }
  throw new Error(`Tab never came to "${en[button]}"`);
}

describe('a page for everybody', () => {
  it('is used from end to end with the keyboard alone', async () => {
    const gateway = await openCaptureGateway({ kind: 'id', challenge: ['left'] });
    const { page } = await openCapture(gateway.link);
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
    await atStep(page, 'result_success_title');
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
    const gateway = await openCaptureGateway({ kind: 'id' });
    const { page } = await openCapture(gateway.link, { context });
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
    await press(page, 'face_start');
    await page.getByText(en.face_left, { exact: true }).waitFor();
    await look('face-left');
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
    await press(page, 'use_picture');
    await atStep(page, 'back_title');
    await press(page, 'give_up');
    await atStep(page, 'give_up_title');
    await look('give-up');
    await press(page, 'go_back');
    gateway.setTreatment(({ method }) => (method === 'PUT' ? 'fail' : 'answer'));
    await chooseFile(page, 'back_title');
    await atStep(page, 'sending_title');
    await look('sending');
    await page.getByText(en.sending_stalled).waitFor();
    await look('stalled');
    gateway.setTreatment(({ path }) => (path.endsWith('/status') ? 'fail' : 'answer'));
    await press(page, 'try_again');
    await atStep(page, 'waiting_title');
    await look('waiting');
    gateway.setTreatment(() => 'answer');
    await atStep(page, 'result_success_title');
    await look('result');
  });

  it('speaks Arabic from right to left', async () => {
    const gateway = await openCaptureGateway({ language: 'ar', challenge: ['left'] });
    const { page } = await openCapture(gateway.link, { context: PHONE });
    const ar = textsOf('ar');
    await page.getByRole('heading', { name: ar.consent_title }).waitFor();
    const root = page.locator('html');
    expect([await root.getAttribute('lang'), await root.getAttribute('dir')]).toEqual(['ar', 'rtl']);
    await expectAccessible(page);
    await shoot(page, 'arabic-consent');
    await page.getByRole('button', { name: ar.consent_agree }).click();
    await page.getByRole('button', { name: ar.camera_start }).click();
    await videoRuns(page);
    await page.getByRole('button', { name: ar.face_start }).click();
    await page.getByText(ar.face_left, { exact: true }).waitFor();
    await shoot(page, 'arabic-face-left');
    // The mirror shows a turn to the person's left on the left, whichever way the text runs.
    const [arrow, video] = await Promise.all([
      page.locator('.arrow').boundingBox(),
      page.locator('video').boundingBox(),
    ]);
    expect(arrow!.x + arrow!.width).toBeLessThan(video!.x + video!.width / 2);
    expect(gateway.told.start[0]?.language).toBe('ar');
  });

  it('changes its language when somebody chooses another', async () => {
    const gateway = await openCaptureGateway();
    const { page } = await openCaptureWithout(gateway.link);
    for (const language of ['es', 'fr', 'de', 'ar'] as const) {
      const { consent_title } = textsOf(language);
      await page.locator('select').selectOption(language);
      await page.getByRole('heading', { name: consent_title }).waitFor();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.title()).toContain(consent_title);
    }
    await page.getByRole('button', { name: textsOf('ar').consent_agree }).click();
    await page.getByRole('heading', { name: textsOf('ar').camera_title }).waitFor();
    expect(gateway.told.start[0]?.language).toBe('ar');
  });

  it('is small', async () => {
    const folder = new URL('../../clients/capture/generated/', import.meta.url);
    const files = await Promise.all(
      ['capture.js', 'capture.css'].map((file) => readFile(new URL(file, folder))),
    );
    const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    expect(bytes).toBeLessThan(150 * 1024);
  });
});
