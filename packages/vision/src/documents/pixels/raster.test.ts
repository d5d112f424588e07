import { describe, expect, it } from 'vitest';
import { type Raster, toGray, turned } from './raster.ts';

const image: Raster = { data: Uint8Array.from([1, 2, 3, 4, 5, 6]), width: 3, height: 2, channels: 1 };

describe('an image', () => {
  it('turns clockwise by quarters', () => {
    expect(turned(image, 1)).toEqual({
      data: Uint8Array.from([4, 1, 5, 2, 6, 3]),
      width: 2,
      height: 3,
      channels: 1,
    });
    expect([...turned(image, 2).data]).toEqual([6, 5, 4, 3, 2, 1]);
    expect([...turned(image, 3).data]).toEqual([3, 6, 2, 5, 1, 4]);
    expect(turned(image, -3)).toEqual(turned(image, 1));
  });

  it('is unchanged after four quarter turns', () => {
    let after = image;
    for (let quarter = 0; quarter < 4; quarter += 1) after = turned(after, 1);
    expect(after).toEqual(image);
  });

  it('keeps the three bytes of a pixel together', () => {
    const colors: Raster = { data: Uint8Array.from([1, 2, 3, 4, 5, 6]), width: 2, height: 1, channels: 3 };
    expect([...turned(colors, 2).data]).toEqual([4, 5, 6, 1, 2, 3]);
  });

  it('is converted to gray by brightness', () => {
    const colors: Raster = {
      data: Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]),
      width: 4,
      height: 1,
      channels: 3,
    };
    const [red, green, blue, white] = toGray(colors).data;
    expect(green).toBeGreaterThan(red!);
    expect(red).toBeGreaterThan(blue!);
    expect(white).toBe(255);
  });
});
