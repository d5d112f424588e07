import { describe, expect, it } from 'vitest';
import { glareOf, sharpnessOf } from './quality.ts';
import { type Raster, toGray } from './raster.ts';

function image(paint: (x: number, y: number) => number): Raster {
  const data = new Uint8Array(100 * 100 * 3);
  for (let at = 0; at < 10_000; at += 1) data.fill(paint(at % 100, Math.floor(at / 100)), at * 3, at * 3 + 3);
  return { data, width: 100, height: 100, channels: 3 };
}

describe('the quality of an image', () => {
  it('is higher with hard edges than with soft ones, and 0 for a uniform image', () => {
    const hard = toGray(image((x) => (Math.floor(x / 5) % 2 ? 220 : 40)));
    const soft = toGray(image((x) => 130 + 90 * Math.sin((x * Math.PI) / 5)));
    expect(sharpnessOf(hard)).toBeGreaterThan(2 * sharpnessOf(soft));
    expect(sharpnessOf(toGray(image(() => 90)))).toBe(0);
  });

  it('measures the overexposed share of gray paper', () => {
    const spot = image((x, y) => (x < 20 && y < 50 ? 255 : 180));
    expect(glareOf(spot, toGray(spot))).toBeCloseTo(0.1);
  });

  it('does not distinguish white paper from glare', () => {
    const paper = image((x) => (x % 10 === 0 ? 20 : 255));
    expect(glareOf(paper, toGray(paper))).toBeNull();
  });
});
