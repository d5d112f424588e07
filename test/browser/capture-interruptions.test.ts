import { describe, expect, it } from 'vitest';
import { en } from '../../clients/capture/texts/en.ts';
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
  PHONE,
  photograph,
  press,
  scanFace,
  shoot,
  turnCameraOn,
  waitForBack,
} from './support/capture-steps.ts';

const RESOURCE = /^Failed to load resource/;

describe('a camera', () => {
  it('without permission is explained, can be retried, and fails the check when the person cancels', async () => {
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
    expect(gateway.bodies.fail).toEqual([{ reason: 'failed_to_get_camera_permission' }]);
    await waitForBack(page);
    await expectClean(capture);
  });

  it('that a desktop lacks is replaced by that of a phone', async () => {
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
    // A reloaded desktop page continues to wait.
    await desktop.page.reload();
    await atStep(desktop.page, 'handover_title');
    await turnCameraOn(phone.page);
    await scanFace(phone.page);
    await atStep(phone.page, 'result_success_title');
    await atStep(desktop.page, 'result_success_title');
    await waitForBack(desktop.page);
    // The token now belongs to the phone, so that the desktop is rejected once before it polls by its link.
    await expectClean(desktop, RESOURCE);
    await expectClean(phone);
  });

  it('of this device can be used again unless the phone has continued', async () => {
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

describe('a page that loses its connection or is reloaded', () => {
  it('uploads missing images after a reload, and none twice', async () => {
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
    // The next step appears when the browser has stored the photograph.
    await atStep(page, 'back_title');
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
    expect(gateway.bodies.complete[0]).toMatchObject({
      document_type: 'driver_license',
      challenge: [
        { step: 'center', frames: [0, 1, 2, 3] },
        { step: 'left', frames: [4, 5, 6, 7] },
      ],
      camera: { device_count: 1 },
    });
    expect(browser.pageErrors).toEqual([]);
  });

  it('retries uploads automatically', async () => {
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

  it('continues to wait after a reload once everything is uploaded', async () => {
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
    expect(gateway.bodies.start).toHaveLength(1);
  });

  it('offers to retry when the service is unreachable', async () => {
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
  it('that another browser uses is rejected there', async () => {
    const gateway = await openCaptureGateway();
    const first = await openCapture(gateway.link);
    await agree(first.page);
    await atStep(first.page, 'camera_title');
    const second = await openCaptureWithout(gateway.link);
    await agree(second.page);
    await atStep(second.page, 'started_title');
    await expectClean(second, RESOURCE);
  });

  it('that is incomplete shows that it does not work', async () => {
    const gateway = await openCaptureGateway();
    const { page } = await openCaptureWithout(gateway.link.slice(0, -3));
    await atStep(page, 'link_broken_title');
    await expectAccessible(page);
  });

  it('that has expired shows so', async () => {
    const gateway = await openCaptureGateway();
    gateway.setState('expired');
    const { page } = await openCaptureWithout(gateway.link);
    await atStep(page, 'link_over_title');
    expect(gateway.bodies.start).toEqual([]);
  });

  it('that expires while the person reads is expired when they agree', async () => {
    const gateway = await openCaptureGateway();
    const { page } = await openCaptureWithout(gateway.link);
    await atStep(page, 'consent_title');
    gateway.setState('processing');
    await agree(page);
    await atStep(page, 'link_over_title');
  });

  it('is accepted by the time of the service, for any clock of the device', async () => {
    const gateway = await openCaptureGateway();
    const { browser, page } = await openCaptureWithout('about:blank');
    await browser.context.clock.setSystemTime('2020-02-02T02:02:02Z');
    const opened = page.waitForResponse(/\/open$/);
    await page.goto(gateway.link);
    await (await opened).finished();
    await agree(page);
    await atStep(page, 'camera_title');
    const givenAt = Date.parse(gateway.bodies.start[0]?.consent.given_at);
    expect(Math.abs(Date.now() - givenAt)).toBeLessThan(60_000);
  });

  it('of an unreadable document captures only the document again', async () => {
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
    // A reloaded page requests the same steps.
    await page.reload();
    await page.getByText(en.retake_glare).waitFor();
    await photograph(page, 'passport_title');
    await atStep(page, 'result_success_title');
    expect(gateway.bodies.complete).toHaveLength(2);
    expect(gateway.arrivals.filter((name) => name === 'id_front/0')).toHaveLength(2);
    expect(gateway.arrivals.filter((name) => name === 'face_frame/0')).toHaveLength(1);
    await waitForBack(page);
    await expectClean(capture);
  });

  it('of a simulation uses no camera, and redirects after three seconds', async () => {
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
    expect(gateway.bodies.start).toEqual([]);
    await expectClean(capture);
  });
});
