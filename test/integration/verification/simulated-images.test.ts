import { decodeUpright } from '@vouchgraph/vision/image-check';
import { opencvReady } from '@vouchgraph/vision/internals/documents/pixels/opencv';
import { readUpright } from '@vouchgraph/vision/internals/documents/pixels/orient';
import { createStopwatch } from '@vouchgraph/vision/internals/stopwatch';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { download } from '../../support/media.ts';
import { playedVerification, verifyFace, verifyId } from '../../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Width by height of an ID-1 card, in millimeters. */
const ID_1_ASPECT = 85.6 / 53.98;
const SIDES = ['face', 'id_scan_front', 'id_scan_back'];

const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;
beforeAll(async () => {
  gateway = await startGateway({
    clock,
    settings: { WEBHOOK_ALLOW_LOOPBACK: '1', MEDIA_RETENTION_DAYS: '3' },
  });
  project = await gateway.project();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const SUCCESS = { simulate: 'success', simulate_decision: 'Real' };
const PHOTOS = `query ($id: ID!) { verification(sessionId: $id) {
  photoUrls { face idScanFront idScanBack } videoUrls } }`;
const photosOf = async (client: TestProject, id: string): Promise<Body> =>
  (await client.graphql(PHOTOS, { id })).verification;
const lettersIn = async (bytes: Uint8Array): Promise<string> => {
  await opencvReady();
  const image = (await decodeUpright(bytes, 2000))!;
  const { lines } = await readUpright({ ...image, channels: 3 }, createStopwatch());
  return lines.map(({ text }) => text).join(' ');
};

describe('the images of a simulated success', () => {
  it('of a face check are one portrait that loads, marked as simulated', async () => {
    const session = await playedVerification(gateway, project, SUCCESS);
    const { photo_urls, video_urls } = (await verifyFace(project, session)).body;
    expect(Object.keys(photo_urls)).toEqual(['face']);
    expect(video_urls).toEqual([]);
    const { status, headers, bytes } = await download(photo_urls.face);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/jpeg');
    const { format, width, height } = await sharp(bytes).metadata();
    expect(format).toBe('jpeg');
    expect(height).toBeGreaterThan(width);
    expect(await lettersIn(bytes)).toContain('SIMULATED');
    const shown = await photosOf(project, session);
    expect(shown).toEqual({
      photoUrls: { face: expect.stringContaining('/media/'), idScanFront: null, idScanBack: null },
      videoUrls: [],
    });
  }, 60_000);

  it('of an ID check are a portrait and both sides of a card, marked as simulated', async () => {
    const session = await playedVerification(gateway, project, { ...SUCCESS, id: 'true' });
    const { photo_urls, video_urls } = (await verifyId(project, session)).body;
    expect(Object.keys(photo_urls)).toEqual(SIDES);
    expect(new Set(Object.values(photo_urls)).size).toBe(3);
    expect(video_urls).toEqual([]);
    for (const side of ['id_scan_front', 'id_scan_back']) {
      const { status, headers, bytes } = await download(photo_urls[side]);
      expect([status, headers.get('content-type')], side).toEqual([200, 'image/jpeg']);
      const { width, height } = await sharp(bytes).metadata();
      expect(Math.abs(width / height / ID_1_ASPECT - 1), side).toBeLessThan(0.01);
      expect(await lettersIn(bytes), side).toContain('SIMULATED');
    }
    expect((await download(photo_urls.face)).status).toBe(200);
  }, 60_000);

  it('are read by ranges, and only by their own addresses', async () => {
    const session = await playedVerification(gateway, project, SUCCESS);
    const { face } = (await verifyFace(project, session)).body.photo_urls;
    const whole = await download(face);
    const part = await download(face, { range: 'bytes=2-9' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 2-9/${whole.bytes.length}`);
    expect(part.bytes).toEqual(whole.bytes.subarray(2, 10));
    expect((await download(face, { range: `bytes=${whole.bytes.length}-` })).status).toBe(416);
    expect((await download(face, {}, 'HEAD')).headers.get('content-length')).toBe(`${whole.bytes.length}`);
    const other = await gateway.project();
    const changed = (change: (url: URL) => void) => {
      const url = new URL(face);
      change(url);
      return url.href;
    };
    const refused = [
      changed((url) => url.searchParams.set('signature', `A${url.searchParams.get('signature')!.slice(1)}x`)),
      changed((url) => url.searchParams.set('expires', `${Number(url.searchParams.get('expires')) + 1}`)),
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => {
        url.pathname = url.pathname.replace(project.projectId, other.projectId);
      }),
    ];
    for (const url of refused) expect((await download(url)).status, url).toBe(404);
  });

  it('have addresses valid for 15 minutes in responses and for 7 days in webhooks', async () => {
    await createEndpoint(project, {
      url: receiver.url(),
      eventTypes: ['verification.id_check.completed'],
    });
    const session = await playedVerification(gateway, project, { ...SUCCESS, id: 'true' });
    await gateway.app.settleWebhooks();
    const sent = receiver.received.find(({ body }) => body.metadata.session_id === session)!;
    const { photo_urls, video_urls } = sent.body.data;
    expect(Object.keys(photo_urls)).toEqual(SIDES);
    expect(video_urls).toEqual([]);
    const answered = (await verifyId(project, session)).body.photo_urls;
    const minutesOf = (url: string) =>
      (Number(new URL(url).searchParams.get('expires')) * 1000 - clock.now().getTime()) / MINUTE_MS;
    for (const side of SIDES) {
      expect(minutesOf(answered[side])).toBeCloseTo(15, 0);
      expect(minutesOf(photo_urls[side])).toBeCloseTo(7 * 24 * 60, 0);
      expect((await download(photo_urls[side])).status).toBe(200);
    }
    clock.advance(16 * MINUTE_MS);
    expect((await download(answered.face)).status).toBe(404);
    expect((await download(photo_urls.face)).status).toBe(200);
  });

  it('are erased with the account', async () => {
    const account_id = unique('erased');
    const session = await playedVerification(gateway, project, { ...SUCCESS, id: 'true', account_id });
    const { photo_urls } = (await verifyId(project, session)).body;
    expect((await download(photo_urls.face)).status).toBe(200);
    expect((await project.rest('DELETE', `/account/${account_id}`)).status).toBe(200);
    for (const side of SIDES) expect((await download(photo_urls[side])).status, side).toBe(404);
  });

  it('are omitted from responses after they expire, without a key or an empty text', async () => {
    const session = await playedVerification(gateway, project, { ...SUCCESS, id: 'true' });
    expect(Object.keys((await verifyId(project, session)).body.photo_urls)).toEqual(SIDES);
    clock.advance(4 * DAY_MS);
    const { status, body } = await verifyId(project, session);
    expect(status).toBe(200);
    expect(body.photo_urls).toEqual({});
    expect(body.video_urls).toEqual([]);
    expect((await photosOf(project, session)).photoUrls).toEqual({
      face: null,
      idScanFront: null,
      idScanBack: null,
    });
  });

  it('are omitted by excludePII, and do not exist when the simulation fails', async () => {
    const session = await playedVerification(gateway, project, { ...SUCCESS, id: 'true' });
    const { body } = await verifyId(project, session, '?excludePII=true');
    expect(body).not.toHaveProperty('photo_urls');
    expect(body).not.toHaveProperty('video_urls');
    const failed = await playedVerification(gateway, project, { simulate: 'liveness_check_failed' });
    expect(await photosOf(project, failed)).toEqual({ photoUrls: null, videoUrls: null });
  });
});
