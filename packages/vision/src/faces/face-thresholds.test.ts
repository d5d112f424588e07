import { describe, expect, it } from 'vitest';
import { FACE_MATCHING_LEVELS, searchDistance, verificationDistance } from './face-thresholds.ts';

const SIZES = [0, 1, 2, 9, 10, 42, 100, 442, 1000, 5000, 10_000, 100_000, 1_000_000, 1e12];

describe.each(FACE_MATCHING_LEVELS)('%s', (level) => {
  it('never uses a looser limit for search than for verification', () => {
    for (const size of SIZES)
      expect(searchDistance(level, size)).toBeLessThanOrEqual(verificationDistance(level));
    expect(searchDistance(level, 0)).toBe(searchDistance(level, 1));
  });

  it('decreases the search distance with the size of the gallery', () => {
    const distances = SIZES.slice(1).map((size) => searchDistance(level, size));
    for (const [at, distance] of distances.entries()) {
      expect(distance).toBeGreaterThanOrEqual(0);
      if (at > 0 && distance > 0) expect(distance).toBeLessThan(distances[at - 1]!);
    }
  });

  it('interpolates smoothly between the measured decades', () => {
    for (const size of [10, 100, 1000, 10_000])
      expect(searchDistance(level, size) - searchDistance(level, size + 1)).toBeLessThan(0.005);
  });
});

it('strict is stricter for verification and for every gallery size', () => {
  expect(verificationDistance('strict')).toBeLessThan(verificationDistance('standard'));
  for (const size of SIZES)
    expect(searchDistance('strict', size)).toBeLessThanOrEqual(searchDistance('standard', size));
});
