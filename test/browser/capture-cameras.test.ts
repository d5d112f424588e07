import { describe, expect, it, onTestFinished } from 'vitest';
import { en, type TextKey } from '../../clients/capture/texts/en.ts';
import { startGateway, TestClock } from '../support/gateway.ts';
import {
  agree,
  atStep,
  atStepNumber,
  chooseDocument,
  chooseFile,
  expectAccessible,
  expectClean,
  openCapture,
  openCaptureWithout,
  PHONE,
  press,
  scanCode,
  scanFace,
  shoot,
  turnCameraOn,
  waitForBack,
} from './support/capture-steps.ts';
import { openVisit, visitsOfFile } from './support/capture-visit.ts';
import { leave, WAIT_TIMEOUT_MS } from './support/chromium.ts';
import type { Treatment } from './support/host-page.ts';
import { passportOf, photoOf } from './support/verification-people.ts';

const newVisit = visitsOfFile();

describe('a camera', () => {
  it('without permission is explained, can be retried, and fails the check when the person cancels', async () => {
    const visit = await newVisit();
    const capture = await openCaptureWithout(visit.link, {
      // The shell asks nobody.
      mode: 'headless',
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
    expect(visit.accepted('fail')).toEqual([{ reason: 'failed_to_get_camera_permission' }]);
    await waitForBack(page, visit);
    await expectClean(capture);
  });

  it('that a desktop lacks is replaced by that of a phone, which scans the code', async () => {
    const visit = await newVisit({ id: 'true' });
    const desktop = await openCaptureWithout(visit.link);
    await agree(desktop.page);
    await turnCameraOn(desktop.page);
    await atStep(desktop.page, 'handover_title');
    await expectAccessible(desktop.page);
    await shoot(desktop.page, 'handover');
    const phoneLink = await scanCode(desktop.page);
    await desktop.page.getByText(phoneLink).waitFor();
    const phone = await openCapture(phoneLink, { context: PHONE, recordsVideo: false });
    await atStep(phone.page, 'consent_title');
    // A second phone with the same code, before either has continued.
    const second = await openCaptureWithout(phoneLink, { context: PHONE });
    await atStep(second.page, 'consent_title');
    await agree(phone.page);
    await atStep(phone.page, 'camera_title');
    await press(second.page, 'consent_agree');
    await atStep(second.page, 'started_title');
    await second.page.reload();
    await atStep(second.page, 'started_title');
    await atStep(desktop.page, 'handover_used_title');
    expect(await desktop.page.getByRole('img', { name: en.handover_code }).count()).toBe(0);
    await expectAccessible(desktop.page);
    await shoot(desktop.page, 'handover-used');
    await desktop.page.reload();
    await atStep(desktop.page, 'handover_used_title');
    await atStepNumber(desktop.page, 1, 3);
    await leave(desktop.page);
    await turnCameraOn(phone.page);
    await scanFace(phone.page);
    await chooseDocument(phone.page, 'passport');
    // The desktop is opened again by its link.
    const again = await desktop.browser.open(visit.link);
    again.setDefaultTimeout(2 * WAIT_TIMEOUT_MS);
    await atStep(again, 'handover_used_title');
    const document = await passportOf();
    await chooseFile(phone.page, 'passport_title', await photoOf(document, 'front'));
    await atStep(phone.page, 'result_success_title');
    await atStep(again, 'result_success_title');
    await waitForBack(again, visit);
    expect(new URL(again.url()).searchParams.get('success')).toBe('true');
    expect(desktop.browser.pageErrors.concat(phone.browser.pageErrors)).toEqual([]);
    // The code after the end, on either phone.
    await second.page.goto(phoneLink);
    await atStep(second.page, 'link_over_title');
  });

  it('of this device can be used again unless the phone has continued', async () => {
    const visit = await newVisit();
    const desktop = await openCapture(visit.link);
    await agree(desktop.page);
    await atStep(desktop.page, 'camera_title');
    await press(desktop.page, 'use_phone');
    await atStep(desktop.page, 'handover_title');
    await press(desktop.page, 'handover_here');
    await atStep(desktop.page, 'camera_title');
    await press(desktop.page, 'use_phone');
    await atStep(desktop.page, 'handover_title');
    const phoneLink = await scanCode(desktop.page);
    // The desktop polls no more, so that its page still shows the code.
    let polls: Treatment = 'hang';
    let isBack = false;
    visit.treat(({ path }) => {
      if (isBack && path.endsWith('/start')) polls = 'forward';
      return path.endsWith('/status') ? polls : 'forward';
    });
    const phone = await openCaptureWithout(phoneLink);
    await agree(phone.page);
    await atStep(phone.page, 'camera_title');
    isBack = true;
    await press(desktop.page, 'handover_here');
    await atStep(desktop.page, 'started_title');
  });

  it('of a phone is offered again when the code has expired', async () => {
    const clock = new TestClock();
    const timed = await startGateway({ clock });
    onTestFinished(() => timed.close());
    const visit = await openVisit(timed.baseUrl, await timed.project());
    const { page } = await openCaptureWithout(visit.link);
    await agree(page);
    await turnCameraOn(page);
    await atStep(page, 'handover_title');
    const phoneLink = await scanCode(page);
    clock.advance(30 * 60_000);
    await page.getByText(en.handover_expired).waitFor();
    const phone = await openCaptureWithout(phoneLink);
    await atStep(phone.page, 'link_over_title');
    await press(page, 'handover_renew');
    await page.getByRole('img', { name: en.handover_code }).waitFor();
    await phone.page.goto(await scanCode(page));
    await agree(phone.page);
    await atStep(page, 'handover_used_title');
  });
});

describe('the step', () => {
  it.each([
    ['a face check', {}, 2],
    ['an ID check', { id: 'true' }, 3],
  ])('of %s is the same after a reload', async (_, query, total) => {
    const visit = await newVisit(query as Record<string, string>);
    const { page } = await openCapture(visit.link, { recordsVideo: false });
    const reloaded = async (heading: TextKey, n: number) => {
      await atStep(page, heading);
      await atStepNumber(page, n, total);
      await page.reload();
      await atStep(page, heading);
      await atStepNumber(page, n, total);
    };
    await agree(page);
    await reloaded('camera_title', 1);
    await press(page, 'use_phone');
    await reloaded('handover_title', 1);
    await press(page, 'handover_here');
    await turnCameraOn(page);
    if (total === 3) {
      await scanFace(page);
      await reloaded('document_type_title', 2);
      await chooseDocument(page, 'id_card');
      await reloaded('front_title', 2);
      await chooseFile(page, 'front_title');
      await reloaded('back_title', 2);
    }
    // The page never learns the result, so that it stays at the last step.
    visit.treat(({ path }) => (path.endsWith('/status') ? 'drop' : 'forward'));
    if (total === 3) await chooseFile(page, 'back_title');
    else await scanFace(page);
    await reloaded('waiting_title', total);
    expect(visit.accepted('complete')).toHaveLength(1);
  });
});

/** Parts of a browser that never respond: its storage, its list of cameras, its quota, and the end of a recording. */
const UNRESPONSIVE = `
  indexedDB.open = () => ({});
  navigator.mediaDevices.enumerateDevices = () => new Promise(() => {});
  navigator.storage.estimate = () => new Promise(() => {});
  MediaRecorder.prototype.stop = () => {};
`;

describe('a browser', () => {
  it('without responses of its storage, devices and recorder completes the check', async () => {
    const visit = await newVisit();
    visit.treat(({ path }) => (path === '/livez' ? 'hang' : 'forward'));
    const capture = await openCapture('about:blank');
    await capture.page.addInitScript(UNRESPONSIVE);
    await capture.page.goto(visit.link);
    await agree(capture.page);
    await turnCameraOn(capture.page);
    await scanFace(capture.page);
    await atStep(capture.page, 'result_success_title');
    expect(visit.media.has('face_clip/0')).toBe(true);
    await expectClean(capture);
  });
});
