import type { IncomingMessage } from 'node:http';
import { invalidInput } from '@vouchgraph/platform/errors';
import { HttpError, rejectEncodedBody } from '@vouchgraph/platform/http';
import { addressKey } from './address-key.ts';

/**
 * Maximum number of concurrent bodies: in total, of one address, and of one session. Further ones are rejected and can be
 * retried.
 */
const BODIES_AT_ONCE = 16;
const BODIES_OF_ADDRESS = 6;
const BODIES_OF_SESSION = 2;
const FIRST_BYTES = 64 * 1024;
/** Minimum number of bytes of a body per period, except for its last one. Slower bodies are aborted. */
const PACE_MS = 10_000;
const PACE_BYTES = 160 * 1024;

export type Uploader = { readonly sessionId: string; readonly ip: string };

export type UploadBodies = {
  /** Does `work`, which may read one body, unless too many are being read. */
  track<T>(uploader: Uploader, work: () => Promise<T>): Promise<T>;
};

/** Counts the uploads that are being read in this process; above its limits, `track` throws 503. */
export function createUploadBodies(): UploadBodies {
  const held = new Map<string, number>();
  const add = (key: string, change: 1 | -1) => {
    const count = (held.get(key) ?? 0) + change;
    if (count > 0) held.set(key, count);
    else held.delete(key);
  };
  return {
    async track({ sessionId, ip }, work) {
      const places: readonly (readonly [key: string, max: number])[] = [
        ['all', BODIES_AT_ONCE],
        [`address ${addressKey(ip)}`, BODIES_OF_ADDRESS],
        [`session ${sessionId}`, BODIES_OF_SESSION],
      ];
      if (places.some(([key, max]) => (held.get(key) ?? 0) >= max))
        throw new HttpError(503, 'Too many uploads at the moment, try again shortly', { 'retry-after': '1' });
      for (const [key] of places) add(key, 1);
      try {
        return await work();
      } finally {
        for (const [key] of places) add(key, -1);
      }
    },
  };
}

/** Requests whose bodies have a minimum rate instead of a total time. */
const paced = new WeakSet<IncomingMessage>();
export const isPaced = (request: IncomingMessage): boolean => paced.has(request);

/** Requests whose bodies are streamed: they have no total time while pieces arrive. */
const streamed = new WeakSet<IncomingMessage>();
export const isStreamed = (request: IncomingMessage): boolean => streamed.has(request);

/** Leaves the time limits of a body to its reader. */
export function streamsBody(request: IncomingMessage): void {
  paced.add(request);
  streamed.add(request);
}

/**
 * The body's bytes; throws 415 when they are encoded, and 413 as soon as there are more than `limit`. The server reads the
 * rest and drops it: many clients do not read the answer of a connection that was closed.
 */
export async function readUpload(request: IncomingMessage, limit: number): Promise<Buffer> {
  rejectEncodedBody(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let bytes = Buffer.allocUnsafeSlow(declared || FIRST_BYTES);
  let length = 0;
  let behind = 0;
  paced.add(request);
  const pace = setInterval(() => {
    if (length - behind >= PACE_BYTES) {
      behind = length;
      return;
    }
    clearInterval(pace);
    paced.delete(request);
    bytes = Buffer.alloc(0);
    // Where the answer is sent already the connection itself is in the way.
    if (length > limit) request.destroy();
    else {
      request.removeAllListeners('data').resume();
      reject(new HttpError(408, 'Request body timed out', { connection: 'close' }));
    }
  }, PACE_MS);
  request.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length <= limit) {
      bytes = appended(bytes, length - piece.length, piece, limit);
      return;
    }
    bytes = Buffer.alloc(0);
    reject(tooLarge(limit));
  });
  request.on('end', () => {
    clearInterval(pace);
    if (length <= limit) resolve(bytes.subarray(0, length));
  });
  request.on('error', reject);
  request.on('close', () => {
    clearInterval(pace);
    if (!request.complete) reject(invalidInput('Request body ended too early'));
  });
  return promise;
}

/** Doubles a full buffer: bytes are copied a few times at most, and stored twice only briefly. */
function appended(bytes: Buffer<ArrayBuffer>, at: number, piece: Buffer, limit: number): Buffer<ArrayBuffer> {
  let room = bytes;
  if (at + piece.length > bytes.length) {
    room = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(2 * bytes.length, at + piece.length)));
    bytes.copy(room, 0, 0, at);
  }
  piece.copy(room, at);
  return room;
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `Body is larger than ${limit / (1024 * 1024)} MB`);
}
