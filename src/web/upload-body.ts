import type { IncomingMessage } from 'node:http';
import { invalidInput } from '../platform/errors.ts';
import { HttpError } from '../platform/http.ts';

/** More bodies than these are not held at once: what comes then is asked to come again. */
const BODIES_AT_ONCE = 16;
const FIRST_BYTES = 64 * 1024;

export type UploadBodies = {
  /** Does `work`, which may read one body, unless too many are being read. */
  hold<T>(work: () => Promise<T>): Promise<T>;
};

export function createUploadBodies(): UploadBodies {
  let held = 0;
  return {
    async hold(work) {
      if (held >= BODIES_AT_ONCE)
        throw new HttpError(503, 'Too many uploads at the moment, try again shortly', { 'retry-after': '1' });
      held += 1;
      try {
        return await work();
      } finally {
        held -= 1;
      }
    },
  };
}

/** The body's bytes; throws 413 when there are more than `limit`. */
export function readUpload(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > 2 * limit) {
    // The server reads on and drops the rest: hanging up would keep many clients from seeing the answer.
    return Promise.reject(tooLarge(limit));
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let bytes = Buffer.allocUnsafeSlow(declared > limit ? 0 : declared || FIRST_BYTES);
  let length = 0;
  request.on('data', (piece: Buffer) => {
    length += piece.length;
    // What comes beyond the limit is read and dropped, so that the client gets to see the answer.
    if (length <= limit) bytes = appended(bytes, length - piece.length, piece, limit);
    else if (length > 2 * limit) request.destroy();
  });
  request.on('end', () => {
    if (length > limit) reject(tooLarge(limit));
    else resolve(bytes.subarray(0, length));
  });
  request.on('error', reject);
  request.on('close', () => {
    if (!request.complete) reject(length > limit ? tooLarge(limit) : invalidInput('Body was cut off'));
  });
  return promise;
}

/** Twice the room where there is none left: copied a few times at most, and never held twice for long. */
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
