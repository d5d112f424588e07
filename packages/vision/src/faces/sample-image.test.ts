import { describe, expect, it } from 'vitest';
import { fromSquare, sampleSquare } from './sample-image.ts';

/** Red grows to the right, green downwards. */
const ramp = {
  width: 64,
  height: 48,
  data: Uint8Array.from({ length: 64 * 48 * 3 }, (_, at) => {
    const pixel = Math.floor(at / 3);
    return [2 * (pixel % 64), 3 * Math.floor(pixel / 64), 50][at % 3]!;
  }),
};
const plain = { scale: 1, shift: 0 };

describe('sampleSquare', () => {
  it('returns pixels unchanged', () => {
    const out = sampleSquare(ramp, { x: 20, y: 10, side: 8, angle: 0 }, 8, plain);
    for (let row = 0; row < 8; row++)
      for (let column = 0; column < 8; column++) {
        const pixel = out.subarray((row * 8 + column) * 3, (row * 8 + column) * 3 + 3);
        expect([...pixel].map(Math.round)).toEqual([2 * (16 + column), 3 * (6 + row), 50]);
      }
  });

  it('averages when it reduces the image, and maps the values', () => {
    const out = sampleSquare(ramp, { x: 32, y: 24, side: 32, angle: 0 }, 8, { scale: 1 / 127.5, shift: -1 });
    // The first pixel is the mean of columns 16 to 19 and rows 8 to 11.
    expect(out[0]).toBeCloseTo((2 * 17.5) / 127.5 - 1, 4);
    expect(out[1]).toBeCloseTo((3 * 9.5) / 127.5 - 1, 4);
  });

  it('rotates with the square', () => {
    const out = sampleSquare(ramp, { x: 32, y: 24, side: 8, angle: Math.PI / 2 }, 8, plain);
    // The square's own right is now down.
    expect(out[3 * 7 + 1]! - out[1]!).toBeCloseTo(3 * 7, 3);
    expect(out[3 * 7]! - out[0]!).toBeCloseTo(0, 3);
  });

  it.each([
    ['left and upper', 0.25, 0.25],
    ['right and lower', 63.75, 47.75],
  ])('fades to black over the %s border of the image', (_, x, y) => {
    const out = sampleSquare(ramp, { x, y, side: 4, angle: 0 }, 4, plain);
    // A value at a position is the mean of its four pixels, of which those outside are black.
    const pixel = (column: number, row: number, channel: number) =>
      column < 0 || row < 0 || column >= 64 || row >= 48 ? 0 : ramp.data[(row * 64 + column) * 3 + channel]!;
    for (let row = 0; row < 4; row++)
      for (let column = 0; column < 4; column++)
        for (let channel = 0; channel < 3; channel++) {
          const [left, top] = [Math.floor(x - 2 + column), Math.floor(y - 2 + row)];
          const [fx, fy] = [x - 2 + column - left, y - 2 + row - top];
          const upper = pixel(left, top, channel) * (1 - fx) + pixel(left + 1, top, channel) * fx;
          const lower = pixel(left, top + 1, channel) * (1 - fx) + pixel(left + 1, top + 1, channel) * fx;
          expect(out[(row * 4 + column) * 3 + channel]).toBeCloseTo(upper * (1 - fy) + lower * fy, 3);
        }
  });

  it('is black outside the image', () => {
    const out = sampleSquare(ramp, { x: -100, y: -100, side: 8, angle: 1 }, 8, { scale: 1, shift: -1 });
    expect(new Set(out)).toEqual(new Set([-1]));
  });
});

describe('fromSquare', () => {
  it('returns the position of a sample in the image', () => {
    expect(fromSquare({ x: 10, y: 20, side: 4, angle: 0 }, 0, 1)).toEqual([8, 22]);
    const [x, y] = fromSquare({ x: 10, y: 20, side: 4, angle: Math.PI / 2 }, 1, 0.5);
    expect(x).toBeCloseTo(10);
    expect(y).toBeCloseTo(22);
  });
});
