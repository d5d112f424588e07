import { describe, expect, it } from 'vitest';
import { FACE_MATCHING_LEVELS, searchDistance, verificationDistance } from './face-thresholds.ts';

const SIZES = [0, 1, 2, 9, 10, 42, 100, 442, 1000, 5000, 10_000, 100_000, 1_000_000, 1e12];

describe.each(FACE_MATCHING_LEVELS)('%s', (level) => {
  it('never searches more loosely than it verifies', () => {
    for (const size of SIZES)
      expect(searchDistance(level, size)).toBeLessThanOrEqual(verificationDistance(level));
    expect(searchDistance(level, 0)).toBe(searchDistance(level, 1));
  });

  it('tightens with every face of the gallery', () => {
    const distances = SIZES.slice(1).map((size) => searchDistance(level, size));
    for (const [at, distance] of distances.entries()) {
      expect(distance).toBeGreaterThanOrEqual(0);
      if (at > 0 && distance > 0) expect(distance).toBeLessThan(distances[at - 1]!);
    }
  });

  it('has no steps between the measured decades', () => {
    for (const size of [10, 100, 1000, 10_000])
      expect(searchDistance(level, size) - searchDistance(level, size + 1)).toBeLessThan(0.005);
  });
});

it('is stricter at the level strict, for verification and for every gallery', () => {
  expect(verificationDistance('strict')).toBeLessThan(verificationDistance('standard'));
  for (const size of SIZES)
    expect(searchDistance('strict', size)).toBeLessThanOrEqual(searchDistance('standard', size));
});
