import { describe, expect, it } from 'vitest';
import { ageBracket, faceDistance, faceMatchScore, isSameFace } from './face-distance.ts';
import { verificationDistance } from './face-thresholds.ts';

describe('faceDistance', () => {
  it('is the length of the difference', () => {
    expect(faceDistance([0, 0, 0], [2, 3, 6])).toBe(7);
    expect(faceDistance(new Float32Array(128).fill(0.1), new Float32Array(128).fill(0.1))).toBe(0);
  });

  it('rejects descriptors of another length', () => {
    expect(() => faceDistance(new Float32Array(128), new Float32Array(1024))).toThrow(RangeError);
  });
});

describe('faceMatchScore', () => {
  const middle = verificationDistance('standard');

  it('is .5 at the distance of standard verification', () => {
    expect(faceMatchScore(middle)).toBeCloseTo(0.5);
  });

  it('decreases with the distance', () => {
    const scores = [0, 0.2, middle - 0.1, middle, middle + 0.1, 1].map(faceMatchScore);
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
    expect(scores[0]).toBeGreaterThan(0.99);
    expect(scores.at(-1)).toBeLessThan(0.01);
  });
});

describe('isSameFace', () => {
  it('matches up to the limit', () => {
    expect(isSameFace(0.5, 0.5)).toBe(true);
    expect(isSameFace(0.501, 0.5)).toBe(false);
    expect(isSameFace(Number.NaN, 0.5)).toBe(false);
  });
});

describe('ageBracket', () => {
  it.each([
    [2.9, 'under8'],
    [3, null],
    [12.9, null],
    [13, 'over8'],
    [18, 'over13'],
    [22.9, 'over16'],
    [23, 'over18'],
    [26, 'over21'],
    [30, 'over25'],
    [44.9, 'over30'],
    [69.9, 'over50'],
    [70, 'over65'],
    [120, 'over65'],
    [null, null],
    [Number.NaN, null],
  ])('of %s years is %s', (years, bracket) => expect(ageBracket(years)).toBe(bracket));
});
