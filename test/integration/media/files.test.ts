import { mkdir, readdir, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { createLogger } from '@vouchgraph/platform/logger';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { download, expectedMedia, noiseImage, storedKey, upload, videoBytes } from '../../support/media.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const masterKey = generateMasterKey();
const clock = new TestClock();
const lines: string[] = [];
const log = createLogger(
  'info',
  new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  }),
);
let gateway: Gateway;
let client: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, clock, log });
  client = await gateway.project();
});
afterAll(() => gateway.close());

const expected = (options?: Parameters<typeof expectedMedia>[2]) =>
  expectedMedia({ gateway, masterKey }, client, options);
const fileOf = async (objectId: string) =>
  path.join(gateway.mediaDir, await storedKey(gateway, client.projectId, objectId));
/** Names of all files of an object. */
async function filesOf(objectId: string): Promise<string[]> {
  const shard = path.join(gateway.mediaDir, client.projectId, objectId.slice(-2));
  const names = await readdir(shard).catch(() => []);
  return names.filter((name) => name.startsWith(objectId));
}
const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

async function uploaded(options?: Parameters<typeof expectedMedia>[2], bytes?: Buffer) {
  const media = await expected(options);
  const content = bytes ?? (await noiseImage());
  const { status } = await upload(media.uploadUrl, content, options?.contentType);
  expect(status).toBe(200);
  return { ...media, bytes: content, file: await fileOf(media.objectId) };
}

/** A file as left by a process that crashed before updating the database. */
async function writeOrphan(name: string, writtenAt: Date): Promise<string> {
  const file = path.join(gateway.mediaDir, client.projectId, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, 'encrypted');
  await utimes(file, writtenAt, writtenAt);
  return file;
}

describe('on the disk', () => {
  it('uploaded content is encrypted, and files are readable only by the user of the process', async () => {
    const { file, bytes } = await uploaded();
    const encrypted = await readFile(file);
    for (let at = 0; at + 16 <= bytes.length; at += 16)
      expect(encrypted.includes(bytes.subarray(at, at + 16))).toBe(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (
      let folder = path.dirname(file);
      folder.length >= gateway.mediaDir.length;
      folder = path.dirname(folder)
    )
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('an upload leaves one file, and a rejected upload none', async () => {
    const { file, uploadUrl, objectId } = await uploaded();
    await upload(uploadUrl, await noiseImage());
    await upload(uploadUrl, Buffer.from('no image'));
    const second = await fileOf(objectId);
    expect(second).not.toBe(file);
    expect(await filesOf(objectId)).toEqual([path.basename(second)]);
  });

  it.each([
    ['flipped', (encrypted: Buffer) => encrypted.with(40, encrypted[40]! ^ 1)],
    ['truncated', (encrypted: Buffer) => encrypted.subarray(0, -1)],
    ['emptied', () => Buffer.alloc(0)],
    ['of an unknown version', (encrypted: Buffer) => encrypted.with(0, 9)],
  ])('a file that was %s is an error without path and key', async (_name, spoil) => {
    const { file, readUrl, objectId } = await uploaded();
    await writeFile(file, spoil(await readFile(file)));
    lines.length = 0;
    const answer = await download(readUrl);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.bytes.toString())).toEqual({
      statusCode: 500,
      code: expect.any(String),
      message: 'Internal server error',
    });
    const logged = lines.filter((line) => line.includes('unexpected error'));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!).requestId).toBe(answer.headers.get('x-request-id'));
    for (const line of lines) {
      expect(line).not.toContain(gateway.mediaDir);
      expect(line).not.toContain(objectId);
    }
  });

  it('a file replaced by that of another object cannot be decrypted', async () => {
    const [one, other] = [await uploaded(), await uploaded()];
    await writeFile(one.file, await readFile(other.file));
    expect((await download(one.readUrl)).status).toBe(500);
    expect((await download(other.readUrl)).status).toBe(200);
  });

  it('a file with damage in the middle is returned up to the damaged part', async () => {
    const options = { kind: 'face_clip', contentType: 'video/webm' } as const;
    const { file, readUrl, bytes } = await uploaded(options, videoBytes(300_000));
    await writeFile(file, (await readFile(file)).with(200_000, 0).with(200_001, 0).with(200_002, 0));
    const response = await fetch(readUrl);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const part = await download(readUrl, { range: 'bytes=0-999' });
    expect(part.bytes.equals(bytes.subarray(0, 1000))).toBe(true);
  });

  it('a lost file is an error, not an unknown object', async () => {
    const { file, readUrl } = await uploaded();
    await rm(file);
    expect((await download(readUrl)).status).toBe(500);
  });

  it('an upload to a failing storage returns 503, and the earlier content is kept', async () => {
    const { uploadUrl, readUrl, bytes, file } = await uploaded();
    const shard = path.dirname(file);
    const names = await readdir(shard);
    await rename(shard, `${shard}.kept`);
    // A file in place of its folder: writes below it fail, even for root.
    await writeFile(shard, '');
    lines.length = 0;
    const answer = await upload(uploadUrl, await noiseImage());
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(lines.filter((line) => line.includes('cannot be stored'))).toHaveLength(1);
    for (const line of lines) expect(line).not.toContain(gateway.mediaDir);
    await rm(shard);
    await rename(`${shard}.kept`, shard);
    expect(await readdir(shard)).toEqual(names);
    expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
  });
});

describe('the row of a slot', () => {
  it('is one for many concurrent requests, each with one statement', async () => {
    const { project, sessionId } = await expected();
    const slot = { sessionId, kind: 'id_back', sequence: 0 } as const;
    gateway.takeStatements();
    const rows = await Promise.all(
      Array.from({ length: 5 }, () => gateway.app.media.expect(project, slot, 'image/jpeg')),
    );
    const sent = gateway.takeStatements().filter((name) => name.startsWith('media.'));
    expect(new Set(rows.map(({ objectId }) => objectId)).size).toBe(1);
    expect(sent).toEqual(rows.map(() => 'media.expect'));
  });

  it('has a new id for another content type, and the same one for two concurrent requests', async () => {
    const { project, sessionId } = await expected();
    const slot = { sessionId, kind: 'id_back', sequence: 0 } as const;
    const expectOf = (type: string) => gateway.app.media.expect(project, slot, type);
    const { objectId } = await expectOf('image/jpeg');
    const [first, second] = await Promise.all([expectOf('image/png'), expectOf('image/png')]);
    expect(first.objectId).toBe(second.objectId);
    expect(first).toMatchObject({ contentType: 'image/png', state: 'expected', bytes: 0, version: null });
    expect(first.objectId).not.toBe(objectId);
  });
});

describe('an open file', () => {
  it.runIf(process.platform === 'linux')('is closed for any end of its reader', async () => {
    const options = { kind: 'face_clip', contentType: 'video/webm' } as const;
    lines.length = 0;
    const { file, readUrl, project, objectId } = await uploaded(options, videoBytes(8 * 1024 * 1024));
    const media = (await gateway.app.media.open(project, objectId))!;
    expect(await openDescriptors(file)).toBe(1);
    await media.close();
    for (const method of ['GET', 'HEAD']) await download(readUrl, {}, method);
    await download(readUrl, { range: 'bytes=99999999-' });
    const leaving = new AbortController();
    const response = await fetch(readUrl, { signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    await vi.waitFor(async () => expect(await openDescriptors(file)).toBe(0), 50_000);
    expect(lines.filter((line) => line.includes('unexpected error'))).toEqual([]);
    await writeFile(file, Buffer.alloc(5));
    expect((await download(readUrl)).status).toBe(500);
    expect(await openDescriptors(file)).toBe(0);
  });
});

/** Number of open handles of a file in this process. */
async function openDescriptors(file: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
  return (await Promise.all(targets)).filter((target) => target === file).length;
}

describe('erasing', () => {
  it('deletes the images of these sessions, files and rows, and of no others', async () => {
    const front = await uploaded();
    const back = await uploaded({ sessionId: front.sessionId, kind: 'id_back' });
    const waiting = await expected({
      sessionId: front.sessionId,
      kind: 'face_clip',
      contentType: 'video/webm',
    });
    const other = await uploaded();
    const { media } = gateway.app;
    await media.eraseSessions(front.project, [front.sessionId]);
    expect([await exists(front.file), await exists(back.file), await exists(other.file)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await download(front.readUrl)).status).toBe(404);
    expect((await upload(waiting.uploadUrl, videoBytes(), 'video/webm')).status).toBe(404);
    expect(await media.ofSession(front.project, front.sessionId)).toEqual([]);
    expect((await download(other.readUrl)).status).toBe(200);
    await expect(media.read(front.project, front.objectId)).rejects.toMatchObject({
      code: 'media.not_found',
    });
  });

  it('of a session of another project deletes nothing', async () => {
    const { sessionId, readUrl } = await uploaded();
    const stranger = await gateway.project();
    const { project } = await expectedMedia({ gateway, masterKey }, stranger);
    await gateway.app.media.eraseSessions(project, [sessionId]);
    expect((await download(readUrl)).status).toBe(200);
  });

  it('during an upload leaves no file', async () => {
    const { media } = gateway.app;
    const { project, sessionId, objectId, slot } = await expected();
    const bytes = await noiseImage();
    // The body is read after the row and before the file is written.
    const late = media.receive(project, objectId, 'image/jpeg', async () => {
      await media.eraseSessions(project, [sessionId]);
      return bytes;
    });
    await expect(late).rejects.toMatchObject({ code: 'media.not_found' });
    expect(await filesOf(objectId)).toEqual([]);
    expect(await media.ofSession(project, slot.sessionId)).toEqual([]);
  });

  it('that failed to delete a file is completed by the purge', async () => {
    const { file, project, sessionId, readUrl, slot } = await uploaded();
    await rm(file);
    // A folder cannot be deleted like a file.
    await mkdir(path.join(file, 'x'), { recursive: true });
    await gateway.app.media.eraseSessions(project, [sessionId]);
    expect((await download(readUrl)).status).toBe(404);
    await expect(gateway.app.media.expect(project, slot, 'image/jpeg')).rejects.toMatchObject({
      code: 'media.erased',
    });
    await gateway.app.purgeMedia();
    expect(await rowsOf(sessionId)).toBe(1);
    await rm(file, { recursive: true });
    await writeFile(file, 'encrypted');
    await gateway.app.purgeMedia();
    expect(await exists(file)).toBe(false);
    expect(await rowsOf(sessionId)).toBe(0);
  });
});

async function rowsOf(sessionId: string): Promise<number> {
  const count = {
    name: 'test.count_media',
    text: 'select count(*)::int as n from media_objects where project_id = $1 and session_id = $2',
  };
  const [row] = await gateway.app.database.system.query(count, [client.projectId, sessionId]);
  return row.n;
}

describe('the purge', () => {
  it('deletes expired objects only', async () => {
    const old = await uploaded();
    clock.advance(29 * DAY_MS);
    const young = await uploaded();
    await gateway.app.purgeMedia();
    expect(await exists(old.file)).toBe(true);
    clock.advance(DAY_MS);
    // Expired, and hidden before it is deleted.
    await expect(gateway.app.media.read(old.project, old.objectId)).rejects.toMatchObject({
      code: 'media.not_found',
    });
    await gateway.app.purgeMedia();
    expect([await exists(old.file), await rowsOf(old.sessionId)]).toEqual([false, 0]);
    expect((await gateway.app.media.read(young.project, young.objectId)).equals(young.bytes)).toBe(true);
  });

  it('deletes files without a row after an hour', async () => {
    const now = clock.now();
    const [before, lately] = [
      new Date(now.getTime() - HOUR_MS - 1000),
      new Date(now.getTime() - HOUR_MS + 60_000),
    ];
    const [a, b, c] = [newId(), newId(), newId()];
    const { file: own, objectId } = await uploaded();
    const earlier = await writeOrphan(`${objectId.slice(-2)}/${objectId}.${newId()}`, before);
    await utimes(own, before, before);
    const orphan = await writeOrphan(`${a.slice(-2)}/${a}.${newId()}`, before);
    const unfinished = await writeOrphan(`${b.slice(-2)}/${b}.${newId()}.0a0b0c.unfinished`, before);
    const fresh = await writeOrphan(`${c.slice(-2)}/${c}.${newId()}`, lately);
    const foreign = await writeOrphan('notes.txt', before);
    await gateway.app.purgeMedia();
    expect(await Promise.all([orphan, earlier, unfinished, fresh, foreign, own].map(exists))).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('keeps the files of unknown projects', async () => {
    const id = newId();
    const file = path.join(gateway.mediaDir, newId(), id.slice(-2), `${id}.${newId()}`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'encrypted');
    await utimes(file, 0, 0);
    await gateway.app.purgeMedia();
    expect(await exists(file)).toBe(true);
  });

  it('keeps a new file whose row is not written yet', async () => {
    const { objectId, uploadUrl, readUrl } = await expected();
    const written = new Date(clock.now().getTime() - HOUR_MS + 60_000);
    const file = await writeOrphan(`${objectId.slice(-2)}/${objectId}.${newId()}`, written);
    expect((await download(readUrl)).status).toBe(404);
    await gateway.app.purgeMedia();
    expect(await exists(file)).toBe(true);
    const bytes = await noiseImage();
    expect((await upload(uploadUrl, bytes)).status).toBe(200);
    expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
  });
});

describe('another gateway on the same storage', () => {
  it('reads uploads of this gateway', async () => {
    const { readUrl, bytes } = await uploaded();
    const second = await startGateway({ masterKey, clock, database: gateway.database });
    try {
      const read = await download(readUrl.replace(gateway.baseUrl, second.baseUrl));
      expect(read.bytes.equals(bytes)).toBe(true);
    } finally {
      await second.close();
    }
  });
});

it('bytes generated by the service are stored and replaced without a URL', async () => {
  const { project, sessionId } = await expected();
  const { media } = gateway.app;
  const slot = { sessionId, kind: 'portrait', sequence: 0 } as const;
  const first = await media.store(project, slot, 'image/png', Buffer.from('first'));
  const second = await media.store(project, slot, 'image/png', Buffer.from('second'));
  expect(second.objectId).toBe(first.objectId);
  expect(String(await media.read(project, first.objectId))).toBe('second');
  expect(String(await media.read(project, first.objectId, { start: 2, end: 4 }))).toBe('co');
});
