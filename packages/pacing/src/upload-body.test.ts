import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUploadBodies, isPaced, readUpload, type Uploader } from './upload-body.ts';

describe('slots for request bodies', () => {
  const refusal = { status: 503, headers: { 'retry-after': '1' } };

  /** Holds a slot until it is released. */
  function holding() {
    const bodies = createUploadBodies();
    return (uploader: Uploader) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      return { held: bodies.track(uploader, () => promise), letGo: resolve };
    };
  }

  it('are two for a session, and are released afterwards', async () => {
    const hold = holding();
    const at = (ip: string) => ({ sessionId: 'one', ip });
    const first = hold(at('192.0.2.1'));
    hold(at('192.0.2.2'));
    await expect(hold(at('192.0.2.3')).held).rejects.toMatchObject(refusal);
    first.letGo();
    await first.held;
    const third = hold(at('192.0.2.3'));
    third.letGo();
    await third.held;
  });

  it.each([
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:2::1'],
  ])('are six for an address, and other addresses have their own: %s', async (ip, same, other) => {
    const hold = holding();
    for (let count = 0; count < 6; count++) hold({ sessionId: String(count), ip });
    await expect(hold({ sessionId: 'more', ip: same }).held).rejects.toMatchObject(refusal);
    const elsewhere = hold({ sessionId: 'more', ip: other });
    elsewhere.letGo();
    await elsewhere.held;
  });

  it('are sixteen in total', async () => {
    const hold = holding();
    for (let count = 0; count < 16; count++) hold({ sessionId: String(count), ip: `192.0.2.${count}` });
    await expect(hold({ sessionId: 'more', ip: '192.0.2.99' }).held).rejects.toMatchObject(refusal);
  });
});

describe('the transfer rate of a body', () => {
  const LIMIT = 12 * 1024 * 1024;
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const incoming = () =>
    Object.assign(new PassThrough({ highWaterMark: LIMIT }), {
      headers: {},
      complete: false,
    }) as PassThrough & IncomingMessage;

  it('that is too slow ends it with 408', async () => {
    const request = incoming();
    const body = readUpload(request, LIMIT);
    body.catch(() => {});
    expect(isPaced(request)).toBe(true);
    for (let second = 0; second < 10; second++) {
      request.write(Buffer.alloc(15 * 1024));
      await vi.advanceTimersByTimeAsync(1000);
    }
    await expect(body).rejects.toMatchObject({ status: 408, headers: { connection: 'close' } });
    expect(isPaced(request)).toBe(false);
  });

  it('is measured for each ten seconds: a fast start allows no pause', async () => {
    const request = incoming();
    const body = readUpload(request, LIMIT);
    body.catch(() => {});
    request.write(Buffer.alloc(4 * 1024 * 1024));
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(body).rejects.toMatchObject({ status: 408 });
  });

  it('of 1 Mbit/s is sufficient for 12 MB', async () => {
    const request = incoming();
    const body = readUpload(request, LIMIT);
    const second = 128 * 1024;
    for (let sent = 0; sent < LIMIT; sent += second) {
      request.write(Buffer.alloc(second));
      await vi.advanceTimersByTimeAsync(1000);
    }
    request.end();
    await vi.advanceTimersByTimeAsync(0);
    expect((await body).length).toBe(LIMIT);
    expect(vi.getTimerCount()).toBe(0);
  });
});
