import { readdir } from 'node:fs/promises';
import { mediaKey } from '@vouchgraph/media/internals/media-key';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { download, expectedMedia, noiseImage, storedKey, upload, videoBytes } from '../../support/media.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';

const masterKey = generateMasterKey();
const clock = new TestClock();
let s3: S3Server;
let gateway: Gateway;
let client: TestProject;

beforeAll(async () => {
  s3 = await startS3Server('images', 'AKIDEXAMPLE');
  const settings = {
    MEDIA_DRIVER: 's3',
    MEDIA_S3_BUCKET: 'images',
    MEDIA_S3_REGION: 'eu-central-1',
    MEDIA_S3_ENDPOINT: s3.endpoint,
    MEDIA_S3_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
    MEDIA_S3_FORCE_PATH_STYLE: '1',
  };
  gateway = await startGateway({ masterKey, clock, settings });
  client = await gateway.project();
});
afterAll(async () => {
  await gateway.close();
  await s3.close();
});
beforeEach(() => {
  s3.requests.length = 0;
});

const expected = (options?: Parameters<typeof expectedMedia>[2]) =>
  expectedMedia({ gateway, masterKey }, client, options);
const keyOf = (objectId: string) => storedKey(gateway, client.projectId, objectId);

describe('images in a bucket', () => {
  it('are encrypted, can be read completely and in parts, and are stored nowhere else', async () => {
    const { uploadUrl, readUrl, objectId } = await expected({ contentType: 'image/png' });
    const bytes = await noiseImage(250, 'png');
    expect((await upload(uploadUrl, bytes, 'image/png')).status).toBe(200);
    const encrypted = s3.files.get(await keyOf(objectId))!.bytes;
    expect(encrypted.includes(bytes.subarray(1000, 1032))).toBe(false);
    expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
    const part = await download(readUrl, { range: 'bytes=70000-140000' });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(bytes.subarray(70_000, 140_001))).toBe(true);
    await expect(readdir(gateway.mediaDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are replaced', async () => {
    const { uploadUrl, readUrl } = await expected();
    await upload(uploadUrl, await noiseImage());
    const second = await noiseImage();
    await upload(uploadUrl, second);
    expect((await download(readUrl)).bytes.equals(second)).toBe(true);
  });

  it('are truncated when they change while they are read, and versions never mix', async () => {
    const { project, objectId, slot } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    const { media } = gateway.app;
    await media.store(project, slot, 'video/webm', videoBytes(200_000));
    const open = (await media.open(project, objectId))!;
    await media.store(project, slot, 'video/webm', videoBytes(200_000));
    const reading = open.read()[Symbol.asyncIterator]();
    await expect(reading.next()).rejects.toMatchObject({ kind: 'unavailable' });
    await open.close();
  });

  it('that were damaged or lost are an error', async () => {
    const { uploadUrl, readUrl, objectId } = await expected();
    await upload(uploadUrl, await noiseImage());
    const key = await keyOf(objectId);
    const file = s3.files.get(key)!;
    s3.files.set(key, { ...file, bytes: file.bytes.with(50, file.bytes[50]! ^ 1) as Buffer });
    expect((await download(readUrl)).status).toBe(500);
    s3.files.delete(key);
    expect((await download(readUrl)).status).toBe(500);
  });

  it('return 503 while the bucket rejects requests', async () => {
    const { uploadUrl, readUrl } = await expected();
    const bytes = await noiseImage();
    await upload(uploadUrl, bytes);
    s3.isLocked = true;
    try {
      expect((await upload(uploadUrl, await noiseImage())).status).toBe(503);
      const answer = await download(readUrl);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.bytes.toString()).not.toMatch(/Access|images/);
    } finally {
      s3.isLocked = false;
    }
    expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
  });

  it('are erased', async () => {
    const { uploadUrl, readUrl, objectId, project, sessionId } = await expected();
    await upload(uploadUrl, await noiseImage());
    const key = await keyOf(objectId);
    expect(s3.files.has(key)).toBe(true);
    await gateway.app.media.eraseSessions(project, [sessionId]);
    expect(s3.files.has(key)).toBe(false);
    expect((await download(readUrl)).status).toBe(404);
  });

  it('without a row are purged, through all pages of the list', async () => {
    const { uploadUrl, objectId } = await expected();
    await upload(uploadUrl, await noiseImage());
    const old = new Date(clock.now().getTime() - 2 * 3_600_000);
    const strayKey = () => mediaKey(client.projectId, { objectId: newId(), version: newId() });
    const orphans = Array.from({ length: 8 }, strayKey);
    for (const key of orphans) s3.files.set(key, { bytes: Buffer.from('encrypted'), modifiedAt: old });
    const fresh = strayKey();
    s3.files.set(fresh, { bytes: Buffer.from('encrypted'), modifiedAt: clock.now() });
    await gateway.app.purgeMedia();
    expect(orphans.filter((key) => s3.files.has(key))).toEqual([]);
    expect([s3.files.has(fresh), s3.files.has(await keyOf(objectId))]).toEqual([true, true]);
  });
});

describe('the settings of a bucket', () => {
  it('require the bucket of the s3 driver, and both parts of the access key', () => {
    expect(() => readConfig({ MEDIA_DRIVER: 's3' })).toThrow(/MEDIA_S3_BUCKET: is required if/);
    expect(() => readConfig({ MEDIA_S3_ACCESS_KEY_ID: 'x' })).toThrow(
      /MEDIA_S3_SECRET_ACCESS_KEY: must be set/,
    );
    expect(readConfig({ MEDIA_DRIVER: 's3', MEDIA_S3_BUCKET: 'b' }).media).toEqual({
      driver: 's3',
      bucket: 'b',
      region: 'us-east-1',
      endpoint: undefined,
      credentials: undefined,
      forcePathStyle: false,
    });
  });
});
