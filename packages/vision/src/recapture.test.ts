import { describe, expect, it } from 'vitest';
import { looksRecaptured, RECAPTURE_LIMITS, recaptureScore } from './recapture.ts';

const raster = (width: number, height: number, value: (x: number, y: number) => number) =>
  Float32Array.from({ length: width * height }, (_, at) => value(at % width, Math.floor(at / width)));

/** Noise that is the same in every run. */
function grain(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

describe('recaptureScore', () => {
  it('finds a grid that lies over the whole image', () => {
    const noise = grain();
    const wave = (x: number, y: number) => 4 * Math.sin(2 * Math.PI * (0.21 * x + 0.13 * y));
    const score = recaptureScore(
      raster(512, 512, (x, y) => 128 + wave(x, y) + 20 * noise()),
      512,
      512,
    );
    expect(score).toBeGreaterThan(RECAPTURE_LIMITS.document);
  });

  it('finds no grid in noise, edges, a uniform surface or a wide wave', () => {
    const noise = grain();
    const images = [
      raster(512, 512, () => 128 + 60 * noise()),
      raster(512, 512, (x, y) => (x > 200 !== y > 300 ? 220 : 20) + 4 * noise()),
      raster(512, 512, () => 200),
      raster(512, 512, (x, y) => 128 + 60 * Math.sin((2 * Math.PI * (x + y)) / 40) + 4 * noise()),
    ];
    for (const image of images) expect(recaptureScore(image, 512, 512)).toBeLessThan(RECAPTURE_LIMITS.face);
  });

  it('does not report JPEG block edges as a grid', () => {
    const noise = grain();
    const blocks = raster(512, 512, (x, y) => 128 + (x % 8 === 0 || y % 8 === 0 ? 6 : 0) + 6 * noise());
    expect(recaptureScore(blocks, 512, 512)).toBeLessThan(RECAPTURE_LIMITS.face);
  });

  it('does not report a grid in a part of the image', () => {
    const noise = grain();
    const bars = raster(1000, 700, (x, y) =>
      x < 300 && y < 300 ? 128 + 100 * Math.sin(x * 1.3 + y * 0.4) : 128 + 20 * noise(),
    );
    expect(recaptureScore(bars, 1000, 700)).toBeLessThan(RECAPTURE_LIMITS.face);
  });

  it('of the same image is the same number, since stored results are compared with the limits', () => {
    const noise = grain();
    const wave = (x: number, y: number) => 4 * Math.sin(2 * Math.PI * (0.21 * x + 0.13 * y));
    const shown = raster(700, 600, (x, y) => 128 + wave(x, y) + 20 * noise());
    const plain = raster(512, 300, () => 128 + 60 * noise());
    expect(recaptureScore(shown, 700, 600)).toBeCloseTo(6.7284447473078375, 9);
    expect(recaptureScore(plain, 512, 300)).toBeCloseTo(1.7641796657367117, 9);
  });

  it('is null for an image that is too small', () => {
    expect(recaptureScore(new Uint8Array(255 * 400), 255, 400)).toBeNull();
    expect(recaptureScore(new Uint8Array(400 * 255), 400, 255)).toBeNull();
    expect(recaptureScore(new Uint8Array(256 * 256), 256, 256)).toBeCloseTo(0);
  });
});

it('looksRecaptured is true from the limit and for a null score', () => {
  expect([2.79, 2.8, null].map((score) => looksRecaptured(score, 2.8))).toEqual([false, true, true]);
});
