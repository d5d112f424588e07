import { describe, expect, it } from 'vitest';
import { textFrame } from './text-frame.ts';

describe('the header of a text frame', () => {
  it.each([
    { length: 0, header: [0x81, 0] },
    { length: 125, header: [0x81, 125] },
    { length: 126, header: [0x81, 126, 0, 126] },
    { length: 65_535, header: [0x81, 126, 0xff, 0xff] },
    { length: 65_536, header: [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0] },
    { length: 3_000_001, header: [0x81, 127, 0, 0, 0, 0, 0, 0x2d, 0xc6, 0xc1] },
  ])('of $length bytes has the shortest length', ({ length, header }) => {
    const { bytes, offset } = textFrame(length);
    expect([...bytes.subarray(0, offset)]).toEqual(header);
    expect(bytes.length - offset).toBe(length);
  });
});
