import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, TestClock } from '../support/gateway.ts';
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
  scanFace,
  shoot,
  turnCameraOn,
  waitForBack,
} from './support/capture-steps.ts';
import { openVisit, visitsOfFile } from './support/capture-visit.ts';
import { passportOf, photoOf } from './support/verification-people.ts';

const newVisit = visitsOfFile();

const RESOURCE = /^Failed to load resource/;

describe('a link', () => {
  it('that another browser uses is rejected there', async () => {
    const visit = await newVisit();
    const first = await openCapture(visit.link);
    await agree(first.page);
    await atStep(first.page, 'camera_title');
    const second = await openCaptureWithout(visit.link);
    await agree(second.page);
    await atStep(second.page, 'started_title');
    await expectClean(second, RESOURCE);
  });

  it('that is incomplete shows that it does not work', async () => {
    const visit = await newVisit();
    const { page } = await openCaptureWithout(visit.link.slice(0, -3));
    await atStep(page, 'link_broken_title');
    await expectAccessible(page);
  });

  it('that has expired, also while the person reads, shows so', async () => {
    const clock = new TestClock();
    const timed = await startGateway({ clock });
    onTestFinished(() => timed.close());
    const visit = await openVisit(timed.baseUrl, await timed.project());
    const reader = await openCaptureWithout(visit.link);
    await expect.poll(() => visit.accepted('open').length).toBe(1);
    clock.advance(24 * 3_600_000);
    await agree(reader.page);
    await atStep(reader.page, 'link_over_title');
    const late = await openCaptureWithout(visit.link);
    await atStep(late.page, 'link_over_title');
    expect(visit.accepted('start')).toEqual([]);
  });

  it('is accepted by the time of the service, for any clock of the device', async () => {
    const visit = await newVisit();
    const openedAt = Date.now();
    const { browser, page } = await openCaptureWithout('about:blank');
    await browser.context.clock.setSystemTime('2020-02-02T02:02:02Z');
    await page.goto(visit.link);
    await expect.poll(() => visit.accepted('open').length).toBe(1);
    await agree(page);
    await atStep(page, 'camera_title');
    const givenAt = Date.parse(visit.accepted('start')[0]?.consent.given_at);
    expect(givenAt).toBeGreaterThan(openedAt - 60_000);
    expect(givenAt).toBeLessThan(Date.now() + 60_000);
  });

  it('of an unreadable document captures only the document again', async () => {
    const visit = await newVisit({ id: 'true' });
    const capture = await openCapture(visit.link, { context: PHONE, recordsVideo: false });
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    visit.treat(({ path }) => (path.endsWith('/status') ? 'drop' : 'forward'));
    // The camera shows the person, whose photograph is no document.
    await photograph(page, 'passport_title');
    const reason = page.getByRole('alert').getByText(/\S/);
    await atStep(page, 'waiting_title');
    visit.treat(() => 'forward');
    await atStep(page, 'passport_title');
    await reason.waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await shoot(page, 'retake');
    const shown = await reason.textContent();
    // A reloaded page requests the same steps.
    await page.reload();
    await page.getByText(shown!).waitFor();
    await chooseFile(page, 'passport_title', await photoOf(await passportOf(), 'front'));
    await atStep(page, 'result_success_title');
    expect(visit.accepted('complete')).toHaveLength(2);
    expect(visit.arrivals.filter((name) => name === 'id_front/0')).toHaveLength(2);
    expect(visit.arrivals.filter((name) => name === 'face_frame/0')).toHaveLength(1);
    await waitForBack(page, visit);
    await expectClean(capture);
  });

  it('of a simulation uses no camera, and redirects after three seconds', async () => {
    const visit = await newVisit({ simulate: 'failed_to_process_id_scan', id: 'true' });
    const openedMs = Date.now();
    const capture = await openCaptureWithout(visit.link);
    await atStep(capture.page, 'simulated_title');
    await expectAccessible(capture.page);
    await shoot(capture.page, 'simulated');
    await waitForBack(capture.page, visit);
    expect(Date.now() - openedMs).toBeGreaterThan(2900);
    expect(new URL(capture.page.url()).searchParams.get('error_message')).toBe('failed_to_process_id_scan');
    expect(visit.accepted('start')).toEqual([]);
    await expectClean(capture);
  });
});
