import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkCount,
  chunksOf,
  encryptedChunkLength,
  encryptedLength,
  HEADER_BYTES,
  plainLength,
  plainSpanOf,
  TAG_BYTES,
} from './chunk-layout.ts';

const CHUNK_BYTES = 65_536;

const EDGES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 12 * 1024 * 1024];

describe('the length of an encrypted file', () => {
  it.each([
    [0, HEADER_BYTES + TAG_BYTES],
    [1, HEADER_BYTES + 1 + TAG_BYTES],
    [CHUNK_BYTES, HEADER_BYTES + CHUNK_BYTES + TAG_BYTES],
    [CHUNK_BYTES + 1, HEADER_BYTES + CHUNK_BYTES + 1 + 2 * TAG_BYTES],
  ])('of %i bytes is %i', (plain, encrypted) => {
    expect(encryptedLength(plain)).toBe(encrypted);
  });

  it('determines the length of its content', () => {
    for (const plain of EDGES) expect(plainLength(encryptedLength(plain))).toBe(plain);
    fc.assert(
      fc.property(fc.nat(5 * CHUNK_BYTES), (plain) => plainLength(encryptedLength(plain)) === plain),
      { numRuns: 500 },
    );
  });

  it('is always the length of a possible file', () => {
    const possible = new Set<number>();
    const upTo = 2 * CHUNK_BYTES + 40;
    for (let plain = 0; plain <= upTo; plain++) possible.add(encryptedLength(plain));
    for (let encrypted = 0; encrypted <= encryptedLength(upTo); encrypted++)
      if ((plainLength(encrypted) !== null) !== possible.has(encrypted))
        throw new Error(`wrong at ${encrypted}`);
  });
});

describe('the chunks of a byte range', () => {
  it('are the smallest contiguous set that contains it', () => {
    const lengths = fc.integer({ min: 1, max: 6 * CHUNK_BYTES });
    fc.assert(
      fc.property(lengths, fc.nat(), fc.nat(), (plain, a, b) => {
        const start = a % plain;
        const end = start + 1 + (b % (plain - start));
        const { first, last, encrypted } = chunksOf({ start, end }, plain);
        expect(plainSpanOf(first, plain).start).toBeLessThanOrEqual(start);
        expect(plainSpanOf(first, plain).end).toBeGreaterThan(start);
        expect(plainSpanOf(last, plain).start).toBeLessThan(end);
        expect(plainSpanOf(last, plain).end).toBeGreaterThanOrEqual(end);
        let length = 0;
        for (let index = first; index <= last; index++) length += encryptedChunkLength(index, plain);
        expect(encrypted.end - encrypted.start).toBe(length);
      }),
      { numRuns: 500 },
    );
  });

  it('are all chunks for the whole file', () => {
    for (const plain of EDGES) {
      const { first, last, encrypted } = chunksOf({ start: 0, end: plain }, plain);
      expect([first, last]).toEqual([0, chunkCount(plain) - 1]);
      expect(encrypted).toEqual({ start: HEADER_BYTES, end: encryptedLength(plain) });
    }
  });
});
