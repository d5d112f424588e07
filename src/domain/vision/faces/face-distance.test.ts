import { describe, expect, it } from 'vitest';
import {
  ageBracket,
  faceDistance,
  faceMatchScore,
  isSameFace,
  SAME_FACE_DISTANCE,
  SAME_FACE_DISTANCE_AMONG_MANY,
} from './face-distance.ts';

describe('faceDistance', () => {
  it('is the length of the difference', () => {
    expect(faceDistance([0, 0, 0], [2, 3, 6])).toBe(7);
    expect(faceDistance(new Float32Array(128).fill(0.1), new Float32Array(128).fill(0.1))).toBe(0);
  });

  it('refuses descriptors of another length', () => {
    expect(() => faceDistance(new Float32Array(128), new Float32Array(1024))).toThrow(RangeError);
  });
});

describe('faceMatchScore', () => {
  it.each([
    [0.45, 0.9],
    [0.6, 0.5],
    [0.85, 0.02],
  ])('of %f is %f', (distance, score) => expect(faceMatchScore(distance)).toBeCloseTo(score, 1));
});

describe('isSameFace', () => {
  it('holds below the limit alone', () => {
    expect(isSameFace(SAME_FACE_DISTANCE - 0.001)).toBe(true);
    expect(isSameFace(SAME_FACE_DISTANCE)).toBe(false);
    expect(isSameFace(0.5, SAME_FACE_DISTANCE_AMONG_MANY)).toBe(false);
    expect(isSameFace(Number.NaN)).toBe(false);
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
