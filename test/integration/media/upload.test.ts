import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { signedMediaUrl } from '@vouchgraph/media/internals/media-url';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import {
  download,
  expectedMedia,
  noiseImage,
  openProject,
  setVerificationState,
  upload,
  verificationSession,
  videoBytes,
} from '../../support/media.ts';

const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let client: TestProject;
let stranger: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, clock });
  client = await gateway.project();
  stranger = await gateway.project();
});
afterAll(() => gateway.close());

const expected = (options?: Parameters<typeof expectedMedia>[2], of = client) =>
  expectedMedia({ gateway, masterKey }, of, options);

/** The URL with another first character of the signature. */
const otherSignature = (url: string) =>
  url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`);

const NOT_FOUND = { statusCode: 404, code: expect.any(String), message: 'Not Found' };

describe('an upload', () => {
  it('can be read completely, with the announced type', async () => {
    const { uploadUrl, readUrl, objectId, project } = await expected();
    const bytes = await noiseImage();
    const answer = await upload(uploadUrl, bytes);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ request_id: answer.headers.get('x-request-id'), success: true });
    const read = await download(readUrl);
    expect(read.status).toBe(200);
    expect(read.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'content-disposition': 'inline',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect((await gateway.app.media.read(project, objectId)).equals(bytes)).toBe(true);
  });

  it('replaces an earlier one', async () => {
    const { uploadUrl, readUrl, project, sessionId } = await expected();
    const [first, second] = [await noiseImage(32), await noiseImage(48)];
    await upload(uploadUrl, first);
    expect((await upload(uploadUrl, second)).status).toBe(200);
    expect((await download(readUrl)).bytes.equals(second)).toBe(true);
    const rows = await gateway.app.media.ofSession(project, sessionId);
    expect(rows).toMatchObject([{ state: 'stored', bytes: second.length, kind: 'id_front' }]);
  });

  it('leaves one complete file of two concurrent uploads', async () => {
    const { uploadUrl, readUrl } = await expected();
    const bodies = await Promise.all([200, 210].map((side) => noiseImage(side)));
    const answers = await Promise.all(bodies.map((bytes) => upload(uploadUrl, bytes)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { bytes, headers } = await download(readUrl);
    expect(bodies.some((one) => one.equals(bytes))).toBe(true);
    expect(headers.get('content-length')).toBe(String(bytes.length));
  });

  it('of every type is accepted: PNG, WebP, WebM with codecs', async () => {
    for (const format of ['png', 'webp'] as const) {
      const { uploadUrl } = await expected({ contentType: `image/${format}` });
      expect((await upload(uploadUrl, await noiseImage(64, format), `image/${format}`)).status).toBe(200);
    }
    const film = await expected({ kind: 'face_clip', contentType: 'video/webm;codecs=vp8' });
    expect((await upload(film.uploadUrl, videoBytes(), 'video/webm; codecs="vp8"')).status).toBe(200);
    expect((await download(film.readUrl)).headers.get('content-type')).toBe('video/webm');
  });

  it('of 12 MB is accepted, and streamed when read', async () => {
    const { uploadUrl, readUrl } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    const film = videoBytes(12 * 1024 * 1024 - 28);
    expect(film.length).toBe(12 * 1024 * 1024);
    expect((await upload(uploadUrl, film, 'video/webm')).status).toBe(200);
    expect((await download(readUrl)).bytes.equals(film)).toBe(true);
  });
});

describe('an invalid body changes nothing', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  const lyingPng = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(500)]);

  it.each([
    ['empty', Buffer.alloc(0), 'image/png', 400, 'Body must not be empty'],
    ['HEIC', heic, 'image/png', 415, 'Body must be image/png'],
    ['SVG', svg, 'image/png', 415, 'Body must be image/png'],
    ['SVG in its Content-Type', svg, 'image/svg+xml', 415, 'Body must be image/png'],
    ['a PNG only in its first bytes', lyingPng, 'image/png', 400, 'The image is damaged or incomplete'],
    ['a web page', Buffer.from('<!DOCTYPE html><p>hello'), 'image/png', 415, 'Body must be image/png'],
  ])('%s', async (_name, bytes, contentType, status, message) => {
    const { uploadUrl, readUrl } = await expected({ contentType: 'image/png' });
    const good = await noiseImage(64, 'png');
    await upload(uploadUrl, good, 'image/png');
    expect(await upload(uploadUrl, bytes, contentType)).toMatchObject({
      status,
      body: { statusCode: status, code: expect.any(String), message },
    });
    expect((await download(readUrl)).bytes.equals(good)).toBe(true);
  });

  it('a JPEG where a PNG was announced, for any Content-Type', async () => {
    const { uploadUrl } = await expected({ contentType: 'image/png' });
    const bytes = await noiseImage();
    expect((await upload(uploadUrl, bytes, 'image/png')).status).toBe(415);
    expect((await upload(uploadUrl, bytes, 'image/jpeg')).status).toBe(415);
  });

  it('a truncated PNG', async () => {
    const { uploadUrl, readUrl } = await expected({ contentType: 'image/png' });
    const whole = await noiseImage(128, 'png');
    expect((await upload(uploadUrl, whole.subarray(0, whole.length / 2), 'image/png')).status).toBe(400);
    expect(await download(readUrl)).toMatchObject({ status: 404 });
  });

  it('an invalid video', async () => {
    const { uploadUrl } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    expect((await upload(uploadUrl, randomBytes(1000), 'video/webm')).status).toBe(415);
  });

  it.each([
    ['13 MB', 13],
    ['40 MB', 40],
  ])('%s, with Content-Length', async (_name, megabytes) => {
    const { uploadUrl, readUrl } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    const answer = await rawPut(uploadUrl, { 'content-length': String(megabytes * 1024 * 1024) }, megabytes);
    expect(answer).toEqual({
      status: 413,
      body: { statusCode: 413, code: expect.any(String), message: 'Body is larger than 12 MB' },
    });
    expect(await download(readUrl)).toMatchObject({ status: 404 });
  });

  it('13 MB in chunks', async () => {
    const { uploadUrl } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    const answer = await rawPut(uploadUrl, { 'transfer-encoding': 'chunked' }, 13);
    expect(answer.status).toBe(413);
  });

  it('13 MB in chunks, answered before their end', async () => {
    const { uploadUrl } = await expected({ kind: 'face_clip', contentType: 'video/webm' });
    const answer = await rawPut(uploadUrl, { 'transfer-encoding': 'chunked' }, 13, { ends: false });
    expect(answer.status).toBe(413);
  });
});

/** Sends megabytes until the response arrives. */
function rawPut(
  url: string,
  headers: Record<string, string>,
  megabytes: number,
  { ends = true } = {},
): Promise<{ status: number | undefined; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: unknown }>();
  const request = httpRequest(url, { method: 'PUT', headers: { 'content-type': 'video/webm', ...headers } });
  request.on('response', async (response) => {
    const pieces = await response.toArray();
    resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(pieces).toString()) });
    if (!ends) request.destroy();
  });
  // The server can close the connection after its response: the first of both counts.
  request.on('error', reject);
  const piece = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const send = () => {
    while (sent < megabytes) {
      sent += 1;
      if (!request.write(piece)) return void request.once('drain', send);
    }
    if (ends) request.end();
  };
  send();
  return promise;
}

it('one of three concurrent uploads of a session is rejected with 503', async () => {
  const { uploadUrl, readUrl } = await expected();
  const bytes = await noiseImage();
  const headers = { 'content-type': 'image/jpeg', 'content-length': bytes.length };
  const slow = Array.from({ length: 3 }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = httpRequest(uploadUrl, { method: 'PUT', headers });
    request.on('response', (response) => resolve(response.resume())).on('error', reject);
    request.write(bytes.subarray(0, 1));
    return { finish: () => request.end(bytes.subarray(1)), response: promise };
  });
  const refused = await Promise.race(slow.map(({ response }) => response));
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
  for (const { finish } of slow) finish();
  const answers = await Promise.all(slow.map(({ response }) => response));
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2);
  expect((await upload(uploadUrl, bytes)).status).toBe(200);
  expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
});

describe('the session', () => {
  it.each(['created', 'processing', 'completed', 'failed'])(
    'accepts no upload when it is %s',
    async (state) => {
      const sessionId = await verificationSession(gateway, client, state);
      const { uploadUrl, readUrl } = await expected({ sessionId });
      expect(await upload(uploadUrl, await noiseImage())).toMatchObject({
        status: 409,
        body: { statusCode: 409 },
      });
      expect((await download(readUrl)).status).toBe(404);
    },
  );

  it('keeps submitted images unchanged', async () => {
    const { uploadUrl, readUrl, sessionId } = await expected();
    const bytes = await noiseImage();
    await upload(uploadUrl, bytes);
    await setVerificationState(gateway, client, sessionId, 'processing');
    expect((await upload(uploadUrl, await noiseImage())).status).toBe(409);
    expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
  });

  it('that is submitted during an upload rejects it', async () => {
    const { uploadUrl, readUrl, sessionId } = await expected();
    const bytes = await noiseImage();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const headers = { 'content-type': 'image/jpeg', 'content-length': bytes.length, expect: '100-continue' };
    const request = httpRequest(uploadUrl, { method: 'PUT', headers });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.flushHeaders();
    // The server has received the headers and waits for the body.
    await new Promise((go) => request.once('continue', go));
    request.write(bytes.subarray(0, 10));
    await setVerificationState(gateway, client, sessionId, 'processing');
    request.end(bytes.subarray(10));
    expect(await promise).toBe(409);
    expect((await download(readUrl)).status).toBe(404);
  });
});

it('an image that is written while the session is submitted does not replace the submitted one', async () => {
  const { uploadUrl, readUrl, objectId, sessionId } = await expected();
  const bytes = await noiseImage();
  await upload(uploadUrl, bytes);
  const { database } = gateway.app;
  const submit = await database.system.connect();
  try {
    await submit.query('begin');
    await submit.query(`update verification_sessions set state = 'processing' where session_id = $1`, [
      sessionId,
    ]);
    // Not committed: the upload sees a capturing session, writes its file, and waits for the row.
    const late = upload(uploadUrl, await noiseImage());
    const waiting = {
      name: 'test.waiting',
      text: `select count(*)::int as n from pg_locks where not granted
             and pid in (select pid from pg_stat_activity where datname = current_database())`,
    };
    await vi.waitFor(
      async () => expect((await database.system.query(waiting, []))[0].n).toBeGreaterThan(0),
      50_000,
    );
    await submit.query('commit');
    expect((await late).status).toBe(409);
  } finally {
    // After a failed expectation the transaction is still open.
    submit.release(true);
  }
  expect((await download(readUrl)).bytes.equals(bytes)).toBe(true);
  const shard = path.join(gateway.mediaDir, client.projectId, objectId.slice(-2));
  expect((await readdir(shard)).filter((name) => name.startsWith(objectId))).toHaveLength(1);
});

describe('a signed URL', () => {
  it('is invalid when it was modified, belongs to another project, or is for another method', async () => {
    const { uploadUrl, readUrl, objectId, project } = await expected();
    await upload(uploadUrl, await noiseImage());
    const others = await openProject(gateway, masterKey, stranger.projectId);
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const foreign =
      gateway.baseUrl + signedMediaUrl(others.cipher, { projectId: others.projectId, objectId, expiresAt });
    const missing = gateway.app.media.readUrl(project, randomUUID(), 60);
    for (const url of [
      otherSignature(readUrl),
      readUrl.replace(/&signature=.*/, ''),
      readUrl.replace(/expires=\d+/, 'expires=9999999999'),
      readUrl.replace(project.projectId, stranger.projectId),
      readUrl.replace(project.projectId, randomUUID()),
      readUrl.replace(objectId, randomUUID()),
      uploadUrl,
      foreign,
      missing,
      `${gateway.baseUrl}/media/x/y`,
    ]) {
      const { status, bytes, headers } = await download(url);
      expect([url, status]).toEqual([url, 404]);
      expect(JSON.parse(bytes.toString())).toEqual(NOT_FOUND);
      expect(headers.get('cache-control')).toBe('private, no-store');
    }
    expect(await upload(readUrl, await noiseImage())).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it('expires: for reading after its minutes, for an upload after an hour', async () => {
    const { uploadUrl, readUrl } = await expected();
    const bytes = await noiseImage();
    await upload(uploadUrl, bytes);
    clock.advance(14 * 60_000);
    expect((await download(readUrl)).status).toBe(200);
    clock.advance(61_000);
    expect((await download(readUrl)).status).toBe(404);
    expect((await upload(uploadUrl, bytes)).status).toBe(200);
    clock.advance(45 * 60_000);
    expect(await upload(uploadUrl, bytes)).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it('returns 404 before the upload', async () => {
    const { readUrl } = await expected();
    expect((await download(readUrl)).status).toBe(404);
  });

  it('accepts only reads and uploads', async () => {
    const { readUrl } = await expected();
    const answer = await download(readUrl, {}, 'DELETE');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, OPTIONS');
  });
});

describe('a byte range', () => {
  it('is returned as requested', async () => {
    const { uploadUrl, readUrl } = await expected({ contentType: 'image/png' });
    const bytes = await noiseImage(300, 'png');
    expect(bytes.length).toBeGreaterThan(3 * 65_536);
    await upload(uploadUrl, bytes, 'image/png');
    const size = bytes.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=65530-65545', 65_530, 65_546],
      ['bytes=65536-131071', 65_536, 131_072],
      ['bytes=100000-', 100_000, size],
      ['bytes=-7', size - 7, size],
    ] as const) {
      const part = await download(readUrl, { range });
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(part.bytes.equals(bytes.subarray(start, end))).toBe(true);
    }
    const behind = await download(readUrl, { range: `bytes=${size}-` });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    const conditional = await download(readUrl, { range: 'bytes=0-0', 'if-range': '"x"' });
    expect([conditional.status, conditional.bytes.length]).toEqual([200, size]);
    expect((await download(readUrl, { range: 'bytes=0-0,5-6' })).status).toBe(200);
  });

  it('is described by HEAD without its bytes', async () => {
    const { uploadUrl, readUrl } = await expected();
    const bytes = await noiseImage();
    await upload(uploadUrl, bytes);
    const whole = await download(readUrl, {}, 'HEAD');
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    const part = await download(readUrl, { range: 'bytes=1-2' }, 'HEAD');
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '2']);
    expect((await download(otherSignature(readUrl), {}, 'HEAD')).status).toBe(404);
  });
});

describe('a page', () => {
  it('can upload and read when its origin is allowed, and can read errors', async () => {
    const { uploadUrl, readUrl } = await expected();
    const origin = 'https://shop.example';
    const allowed = (headers: Headers) => headers.get('access-control-allow-origin');
    const preflight = await download(
      uploadUrl,
      { origin, 'access-control-request-method': 'PUT' },
      'OPTIONS',
    );
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    const answer = await upload(uploadUrl, await noiseImage(), 'image/jpeg', { origin });
    expect([answer.status, allowed(answer.headers)]).toEqual([200, origin]);
    expect(allowed((await download(readUrl, { origin })).headers)).toBe(origin);
    expect(allowed((await upload(uploadUrl, Buffer.alloc(0), 'image/jpeg', { origin })).headers)).toBe(
      origin,
    );
    expect(allowed((await download(`${readUrl}x`, { origin })).headers)).toBe(origin);
  });

  it('of another origin cannot read media of a production project', async () => {
    const production = await gateway.project({ environment: 'production' });
    const { uploadUrl, readUrl } = await expected({}, production);
    await upload(uploadUrl, await noiseImage());
    const { headers } = await download(readUrl, { origin: 'https://elsewhere.example' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a slot', () => {
  it('has one object for repeated and concurrent requests', async () => {
    const first = await expected();
    const again = await Promise.all(
      Array.from({ length: 8 }, () => expected({ sessionId: first.sessionId })),
    );
    expect(new Set(again.map(({ objectId }) => objectId))).toEqual(new Set([first.objectId]));
  });

  it('with another content type has another object, and the earlier one no longer exists', async () => {
    const jpeg = await expected();
    await upload(jpeg.uploadUrl, await noiseImage());
    const png = await expected({ sessionId: jpeg.sessionId, contentType: 'image/png' });
    expect(png.objectId).not.toBe(jpeg.objectId);
    expect((await download(jpeg.readUrl)).status).toBe(404);
    expect((await upload(png.uploadUrl, await noiseImage(64, 'png'), 'image/png')).status).toBe(200);
  });

  it.each([
    [
      { kind: 'face_frame', sequence: 24 },
      'sequence: must be a whole number between 0 and 23 for face_frame',
    ],
    [{ kind: 'id_front', sequence: 1 }, 'sequence: must be a whole number between 0 and 0 for id_front'],
    [
      { kind: 'face_frame', sequence: -1 },
      'sequence: must be a whole number between 0 and 23 for face_frame',
    ],
    [
      { kind: 'face_frame', sequence: 0.5 },
      'sequence: must be a whole number between 0 and 23 for face_frame',
    ],
    [
      { kind: 'id_back', contentType: 'image/heic' },
      'contentType: must be one of image/jpeg, image/png, image/webp for id_back',
    ],
    [
      { kind: 'face_clip', contentType: 'image/jpeg' },
      'contentType: must be one of video/webm, video/mp4 for face_clip',
    ],
  ] as const)('is rejected beyond its limits: %o', async (options, message) => {
    await expect(expected(options)).rejects.toMatchObject({ message, kind: 'invalid_input' });
  });
});
