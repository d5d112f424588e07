import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ProjectCipher } from '../../platform/crypto.ts';
import { type ByteSpan, chunksOf, HEADER_BYTES, plainLength, TAG_BYTES } from './chunk-layout.ts';
import { type MediaPlace, openMedia, sealedFile, sealMedia } from './sealed-media.ts';

const CHUNK_BYTES = 65_536;

const place = { projectId: randomUUID(), objectId: randomUUID() };
const dataKey = randomBytes(32);
const cipher = new ProjectCipher(place.projectId, dataKey);
const plain = randomBytes(3 * CHUNK_BYTES + 1000);

const seal = (bytes: Uint8Array, at: MediaPlace = place) => Buffer.concat([...sealMedia(cipher, at, bytes)]);

/** Opens a span of a sealed file, handed over in pieces of `pieceBytes`. */
async function open(
  sealed: Buffer,
  span?: ByteSpan,
  { at = place, by = cipher, pieceBytes = 10_000 } = {},
): Promise<Buffer> {
  const size = plainLength(sealed.length);
  if (size === null) throw new Error('impossible length');
  const asked = span ?? { start: 0, end: size };
  const part = chunksOf(asked, size).sealed;
  async function* pieces() {
    for (let start = part.start; start < part.end; start += pieceBytes)
      yield sealed.subarray(start, Math.min(part.end, start + pieceBytes));
  }
  return buffer(openMedia(sealedFile(by, at, sealed.subarray(0, HEADER_BYTES), size), asked, pieces()));
}

describe('a sealed file', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
    'of %i bytes opens to what was sealed',
    async (length) => {
      const bytes = plain.subarray(0, length);
      expect((await open(seal(bytes))).equals(bytes)).toBe(true);
    },
  );

  it('opens however its bytes arrive', async () => {
    const sealed = seal(plain);
    for (const pieceBytes of [1000, CHUNK_BYTES + TAG_BYTES, 10 * CHUNK_BYTES])
      expect((await open(sealed, undefined, { pieceBytes })).equals(plain)).toBe(true);
  });

  it('opens in parts', async () => {
    const sealed = seal(plain);
    for (const [start, end] of [
      [0, 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
      [5, plain.length],
      [plain.length - 1, plain.length],
    ] as const) {
      expect((await open(sealed, { start, end })).equals(plain.subarray(start, end))).toBe(true);
    }
  });

  it('shows nothing of its bytes, and is another one each time', () => {
    const text = Buffer.alloc(1000, 'visible');
    const [one, two] = [seal(text), seal(text)];
    expect(one.includes('visible')).toBe(false);
    expect(one.subarray(HEADER_BYTES).equals(two.subarray(HEADER_BYTES))).toBe(false);
  });
});

describe('a file that was tampered with does not open', () => {
  const sealed = seal(plain);
  const chunk = (from: Buffer, index: number) => {
    const start = HEADER_BYTES + index * (CHUNK_BYTES + TAG_BYTES);
    return from.subarray(start, start + CHUNK_BYTES + TAG_BYTES);
  };
  const joined = (...parts: Buffer[]) => Buffer.concat([sealed.subarray(0, HEADER_BYTES), ...parts]);

  it('when one bit was flipped: in the header, in a chunk, in a tag', async () => {
    for (const at of [0, 1, HEADER_BYTES, HEADER_BYTES + CHUNK_BYTES, sealed.length - 1]) {
      const flipped = Buffer.from(sealed);
      flipped[at]! ^= 1;
      await expect(open(flipped)).rejects.toThrow();
    }
  });

  it('when chunks changed places, or one was doubled', async () => {
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => chunk(sealed, index)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    await expect(open(joined(b, a, c, d))).rejects.toThrow();
    await expect(open(joined(a, a, c, d))).rejects.toThrow();
    await expect(open(joined(a, b, c, d))).resolves.toBeDefined();
  });

  it('when it was cut at the end of a chunk, in any part of it', async () => {
    const cut = joined(chunk(sealed, 0), chunk(sealed, 1));
    await expect(open(cut)).rejects.toThrow();
    await expect(open(cut, { start: 0, end: 10 })).rejects.toThrow();
  });

  it('when it was cut elsewhere, or something was added', async () => {
    await expect(open(sealed.subarray(0, -1))).rejects.toThrow();
    await expect(open(Buffer.concat([sealed, Buffer.alloc(1)]))).rejects.toThrow();
    await expect(open(Buffer.concat([sealed, chunk(sealed, 0)]))).rejects.toThrow();
  });

  it('when a chunk is of another version of the same object', async () => {
    const other = seal(plain);
    const mixed = joined(chunk(sealed, 0), chunk(other, 1), chunk(sealed, 2), chunk(sealed, 3));
    await expect(open(mixed)).rejects.toThrow();
  });

  it('as another object, in another project, or under another key', async () => {
    const object = { ...place, objectId: randomUUID() };
    const project = { ...place, projectId: randomUUID() };
    await expect(open(sealed, undefined, { at: object })).rejects.toThrow();
    await expect(open(sealed, undefined, { at: project })).rejects.toThrow();
    const otherCipher = new ProjectCipher(place.projectId, randomBytes(32));
    await expect(open(sealed, undefined, { by: otherCipher })).rejects.toThrow();
  });

  it('when its bytes end early', async () => {
    const size = plain.length;
    const file = sealedFile(cipher, place, sealed.subarray(0, HEADER_BYTES), size);
    async function* short() {
      yield sealed.subarray(HEADER_BYTES, HEADER_BYTES + 100);
    }
    await expect(buffer(openMedia(file, { start: 0, end: size }, short()))).rejects.toThrow(/cut off/);
  });
});
