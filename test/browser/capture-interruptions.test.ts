import { describe, expect, it } from 'vitest';
import type { Body } from '../support/gateway.ts';
import {
  agree,
  atStep,
  chooseDocument,
  chooseFile,
  expectClean,
  openCapture,
  press,
  scanFace,
  turnCameraOn,
} from './support/capture-steps.ts';
import { visitsOfFile } from './support/capture-visit.ts';

const newVisit = visitsOfFile();

const RESOURCE = /^Failed to load resource/;

describe('a page that loses its connection or is reloaded', () => {
  it('uploads missing images after a reload, and none twice', async () => {
    const visit = await newVisit({ id: 'true' });
    // The connection breaks with the fourth upload.
    visit.treat(({ method }) => (method === 'PUT' && visit.arrivals.length >= 3 ? 'drop' : 'forward'));
    const { browser, page } = await openCapture(visit.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'document_type_title');
    await expect.poll(() => visit.arrivals.length).toBe(3);
    // An upload that is under way while the page is reloaded may be repeated, so that none is.
    await page.reload();
    visit.treat(() => 'forward');
    await chooseDocument(page, 'driver_license');
    await chooseFile(page, 'front_title');
    // The next step appears when the browser has stored the photograph.
    await atStep(page, 'back_title');
    await expect.poll(() => visit.arrivals).toContain('id_front/0');
    await expect.poll(() => visit.arrivals).toContain('face_clip/0');
    await page.reload();
    await chooseFile(page, 'back_title');
    await expect.poll(() => visit.accepted('complete').length).toBe(1);
    expect(visit.arrivals.toSorted()).toEqual([...new Set(visit.arrivals)].toSorted());
    const [completion] = visit.accepted('complete');
    const frames = completion?.challenge.flatMap(({ frames }: Body) => frames);
    expect([...visit.media.keys()].toSorted()).toEqual(
      [
        ...frames.map((sequence: number) => `face_frame/${sequence}`),
        'face_clip/0',
        'id_front/0',
        'id_back/0',
      ].toSorted(),
    );
    expect(completion).toMatchObject({ document_type: 'driver_license', camera: { device_count: 1 } });
    expect(browser.pageErrors).toEqual([]);
  });

  it('retries uploads automatically', async () => {
    const visit = await newVisit();
    let failures = 2;
    visit.treat(({ method }) => {
      if (method !== 'PUT' || failures === 0) return 'forward';
      failures -= 1;
      return 'drop';
    });
    const capture = await openCapture(visit.link);
    await agree(capture.page);
    await turnCameraOn(capture.page);
    await scanFace(capture.page);
    await atStep(capture.page, 'result_success_title');
    expect(failures).toBe(0);
    await expectClean(capture, RESOURCE);
  });

  it('continues to wait after a reload once everything is uploaded', async () => {
    const visit = await newVisit();
    const { page } = await openCapture(visit.link, { recordsVideo: false });
    visit.treat(({ path }) => (path.endsWith('/status') ? 'drop' : 'forward'));
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'waiting_title');
    await page.reload();
    await atStep(page, 'waiting_title');
    visit.treat(() => 'forward');
    await atStep(page, 'result_success_title');
    expect(visit.accepted('complete')).toHaveLength(1);
  });

  it('offers to retry when the service is unreachable', async () => {
    const visit = await newVisit();
    const { browser, page } = await openCapture(visit.link);
    await atStep(page, 'consent_title');
    await browser.context.clock.install();
    visit.treat(() => 'drop');
    await agree(page);
    await browser.context.clock.runFor(60_000);
    await atStep(page, 'offline_title');
    visit.treat(() => 'forward');
    await press(page, 'try_again');
    await atStep(page, 'camera_title');
  });

  it('accepts the consent when the clock of the device is set during the visit', async () => {
    const visit = await newVisit();
    const { browser, page } = await openCapture(visit.link, { recordsVideo: false });
    await atStep(page, 'consent_title');
    await browser.context.clock.setSystemTime('2083-10-28T06:13:28.773Z');
    await agree(page);
    await atStep(page, 'camera_title');
    expect(visit.accepted('start')).toHaveLength(1);
  });
});
