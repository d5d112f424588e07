import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ProjectCipher } from '@vouchgraph/platform/crypto';
import { describe, expect, it } from 'vitest';
import { type ByteSpan, chunksOf, HEADER_BYTES, plainLength, TAG_BYTES } from './chunk-layout.ts';
import { decryptMedia, encryptedFile, encryptMedia, type MediaPlace } from './encrypted-media.ts';

const CHUNK_BYTES = 65_536;

const place = { projectId: randomUUID(), objectId: randomUUID() };
const dataKey = randomBytes(32);
const cipher = new ProjectCipher(place.projectId, dataKey);
const plain = randomBytes(3 * CHUNK_BYTES + 1000);

const encrypt = (bytes: Uint8Array, at: MediaPlace = place) =>
  Buffer.concat([...encryptMedia(cipher, at, bytes)]);

/** Decrypts a span of an encrypted file, read in pieces of `pieceBytes`. */
async function decrypt(
  encrypted: Buffer,
  span?: ByteSpan,
  { at = place, by = cipher, pieceBytes = 10_000 } = {},
): Promise<Buffer> {
  const size = plainLength(encrypted.length);
  if (size === null) throw new Error('impossible length');
  const asked = span ?? { start: 0, end: size };
  const part = chunksOf(asked, size).encrypted;
  async function* pieces() {
    for (let start = part.start; start < part.end; start += pieceBytes)
      yield encrypted.subarray(start, Math.min(part.end, start + pieceBytes));
  }
  return buffer(
    decryptMedia(encryptedFile(by, at, encrypted.subarray(0, HEADER_BYTES), size), asked, pieces()),
  );
}

describe('an encrypted file', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
    'of %i bytes decrypts to the original',
    async (length) => {
      const bytes = plain.subarray(0, length);
      expect((await decrypt(encrypt(bytes))).equals(bytes)).toBe(true);
    },
  );

  it('decrypts from pieces of any size', async () => {
    const encrypted = encrypt(plain);
    for (const pieceBytes of [1000, CHUNK_BYTES + TAG_BYTES, 10 * CHUNK_BYTES])
      expect((await decrypt(encrypted, undefined, { pieceBytes })).equals(plain)).toBe(true);
  });

  it('decrypts in parts', async () => {
    const encrypted = encrypt(plain);
    for (const [start, end] of [
      [0, 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
      [5, plain.length],
      [plain.length - 1, plain.length],
    ] as const) {
      expect((await decrypt(encrypted, { start, end })).equals(plain.subarray(start, end))).toBe(true);
    }
  });

  it('does not contain its plain bytes and differs each time', () => {
    const text = Buffer.alloc(1000, 'visible');
    const [one, two] = [encrypt(text), encrypt(text)];
    expect(one.includes('visible')).toBe(false);
    expect(one.subarray(HEADER_BYTES).equals(two.subarray(HEADER_BYTES))).toBe(false);
  });
});

describe('a modified file cannot be decrypted', () => {
  const encrypted = encrypt(plain);
  const chunk = (from: Buffer, index: number) => {
    const start = HEADER_BYTES + index * (CHUNK_BYTES + TAG_BYTES);
    return from.subarray(start, start + CHUNK_BYTES + TAG_BYTES);
  };
  const joined = (...parts: Buffer[]) => Buffer.concat([encrypted.subarray(0, HEADER_BYTES), ...parts]);

  it('with one flipped bit in the header, a chunk or a tag', async () => {
    for (const at of [0, 1, HEADER_BYTES, HEADER_BYTES + CHUNK_BYTES, encrypted.length - 1]) {
      const flipped = Buffer.from(encrypted);
      flipped[at]! ^= 1;
      await expect(decrypt(flipped)).rejects.toThrow();
    }
  });

  it('with exchanged or repeated chunks', async () => {
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => chunk(encrypted, index)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    await expect(decrypt(joined(b, a, c, d))).rejects.toThrow();
    await expect(decrypt(joined(a, a, c, d))).rejects.toThrow();
    await expect(decrypt(joined(a, b, c, d))).resolves.toBeDefined();
  });

  it('truncated at the end of a chunk, in any part of it', async () => {
    const cut = joined(chunk(encrypted, 0), chunk(encrypted, 1));
    await expect(decrypt(cut)).rejects.toThrow();
    await expect(decrypt(cut, { start: 0, end: 10 })).rejects.toThrow();
  });

  it('truncated elsewhere, or with added bytes', async () => {
    await expect(decrypt(encrypted.subarray(0, -1))).rejects.toThrow();
    await expect(decrypt(Buffer.concat([encrypted, Buffer.alloc(1)]))).rejects.toThrow();
    await expect(decrypt(Buffer.concat([encrypted, chunk(encrypted, 0)]))).rejects.toThrow();
  });

  it('with a chunk of another version of the same object', async () => {
    const other = encrypt(plain);
    const mixed = joined(chunk(encrypted, 0), chunk(other, 1), chunk(encrypted, 2), chunk(encrypted, 3));
    await expect(decrypt(mixed)).rejects.toThrow();
  });

  it('as another object, in another project, or with another key', async () => {
    const object = { ...place, objectId: randomUUID() };
    const project = { ...place, projectId: randomUUID() };
    await expect(decrypt(encrypted, undefined, { at: object })).rejects.toThrow();
    await expect(decrypt(encrypted, undefined, { at: project })).rejects.toThrow();
    const otherCipher = new ProjectCipher(place.projectId, randomBytes(32));
    await expect(decrypt(encrypted, undefined, { by: otherCipher })).rejects.toThrow();
  });

  it('with truncated bytes', async () => {
    const size = plain.length;
    const file = encryptedFile(cipher, place, encrypted.subarray(0, HEADER_BYTES), size);
    async function* short() {
      yield encrypted.subarray(HEADER_BYTES, HEADER_BYTES + 100);
    }
    await expect(buffer(decryptMedia(file, { start: 0, end: size }, short()))).rejects.toThrow(/cut off/);
  });
});
