import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { CONSENT_TEXT_VERSION } from '../../clients/capture/consent.ts';
import { en } from '../../clients/capture/texts/en.ts';
import {
  agree,
  atStep,
  chooseDocument,
  chooseFile,
  expectClean,
  openCapture,
  openCaptureWithout,
  photograph,
  press,
  refusalsOf,
  scanFace,
  turnCameraOn,
  videoRuns,
  waitForBack,
} from './support/capture-steps.ts';
import { visitsOfFile } from './support/capture-visit.ts';
import { passportOf, photoOf, printedCamera } from './support/verification-people.ts';

const newVisit = visitsOfFile();

describe('a face check', () => {
  it('leads from consent to the redirect, and uploads the requested images', async () => {
    const visit = await newVisit();
    const openedAt = Date.now();
    const capture = await openCapture(visit.link);
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'result_success_title');
    expect(await refusalsOf(page)).toEqual([]);
    await waitForBack(page, visit);
    expect(new URL(page.url()).searchParams.get('success')).toBe('true');
    const start = visit.accepted('start');
    const complete = visit.accepted('complete');
    expect(start[0]).toMatchObject({ consent: { text_version: CONSENT_TEXT_VERSION }, language: 'en' });
    const givenAt = Date.parse(start[0]?.consent.given_at);
    expect(givenAt).toBeGreaterThan(openedAt - 60_000);
    expect(givenAt).toBeLessThan(Date.now() + 60_000);
    expect(complete).toHaveLength(1);
    expect(complete[0]).toMatchObject({
      document_type: null,
      camera: { width: 640, height: 480, device_count: 1 },
    });
    const steps = complete[0]?.challenge.map(({ step }: { step: string }) => step);
    expect(steps[0]).toBe('center');
    expect(steps.slice(1).sort()).toEqual(['left', 'right']);
    expect(visit.facts().some(({ checks }) => checks?.camera_labels?.length === 1)).toBe(true);
    const named = complete[0]?.challenge.flatMap(({ frames }: { frames: number[] }) => frames);
    expect([...visit.media.keys()].sort()).toEqual(
      [...named.map((sequence: number) => `face_frame/${sequence}`), 'face_clip/0'].sort(),
    );
    for (const sequence of named) {
      const metadata = await sharp(visit.media.get(`face_frame/${sequence}`)).metadata();
      expect([metadata.format, metadata.width, metadata.height]).toEqual(['jpeg', 640, 480]);
    }
    // The first bytes of every WebM file.
    expect(visit.media.get('face_clip/0')?.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
    await expectClean(capture);
  });

  it('leaves no data in the browser when it completes', async () => {
    const visit = await newVisit();
    const { browser, page } = await openCapture(visit.link);
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await waitForBack(page, visit);
    const left = JSON.stringify(await browser.context.storageState({ indexedDB: true }));
    expect(left).not.toContain(visit.sessionId);
    expect(left).not.toContain('face_frame');
  });

  it('captures the face again on request', async () => {
    const visit = await newVisit();
    const { page } = await openCapture(visit.link, { recordsVideo: false });
    await agree(page);
    await turnCameraOn(page);
    await atStep(page, 'face_title');
    await videoRuns(page);
    await press(page, 'face_start');
    await atStep(page, 'face_review_title');
    await press(page, 'take_again');
    expect(visit.arrivals).toEqual([]);
    await scanFace(page);
    await atStep(page, 'result_success_title');
    expect(new Set(visit.arrivals).size).toBe(visit.arrivals.length);
  });

  it('shows the reason of a failure, and returns with it', async () => {
    const visit = await newVisit();
    const { page } = await openCaptureWithout(visit.link, { args: await printedCamera() });
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await atStep(page, 'result_failure_title');
    await page.getByText(en.failed_face).waitFor();
    await waitForBack(page, visit);
    expect(new URL(page.url()).searchParams.get('error_message')).toBe('liveness_check_failed');
  });
});

describe('an ID check', () => {
  it('captures both sides of a card, one with the camera and one from a file', async () => {
    const visit = await newVisit({ id: 'true' });
    const capture = await openCapture(visit.link);
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'id_card');
    await photograph(page, 'front_title');
    await chooseFile(page, 'back_title');
    await expect.poll(() => visit.accepted('complete').length).toBe(1);
    expect(await refusalsOf(page)).toEqual([]);
    expect(visit.accepted('complete')[0]).toMatchObject({ document_type: 'id_card' });
    const sizes = await Promise.all(
      ['id_front/0', 'id_back/0'].map(async (name) => {
        const { format, width, height } = await sharp(visit.media.get(name)).metadata();
        return [format, width, height];
      }),
    );
    expect(sizes).toEqual([
      ['jpeg', 640, 480],
      ['jpeg', 1000, 700],
    ]);
    await expectClean(capture);
  });

  it('captures one page of a passport', async () => {
    const visit = await newVisit({ id: 'true' });
    const { page } = await openCapture(visit.link, { recordsVideo: false });
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    await chooseFile(page, 'passport_title', await photoOf(await passportOf(), 'front'));
    await atStep(page, 'result_success_title');
    expect(visit.media.has('id_back/0')).toBe(false);
  });

  it('reports a file that is not an image', async () => {
    const visit = await newVisit({ id: 'true' });
    const { page } = await openCapture(visit.link, { recordsVideo: false });
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    const file = { name: 'card.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no image') };
    await page.getByLabel(en.document_file).setInputFiles(file);
    await page.getByRole('alert').getByText(en.document_file_unreadable).waitFor();
    await atStep(page, 'passport_title');
  });
});
