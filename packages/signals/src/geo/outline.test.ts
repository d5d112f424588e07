import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chordToOutline, kmOfChord, piecesOf, vectorOf } from './outline.ts';

type Line = [number, number][];

const toKm = (line: Line, longitude: number, latitude: number) =>
  kmOfChord(chordToOutline(piecesOf(line), vectorOf(latitude, longitude)));

/** An irregular coast of many pieces. */
const coast = (longitude: number, latitude: number): Line =>
  Array.from({ length: 200 }, (_, index) => [longitude + index / 20, latitude + (index % 7) / 10]);

const point = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
);

test('the nearest place of a line may lie between two of its points', () => {
  expect(
    toKm(
      [
        [-5, 0],
        [5, 0],
      ],
      0,
      1,
    ),
  ).toBeCloseTo(111.2, 0);
});

test('a border along a parallel differs from the great circle', () => {
  expect(
    toKm(
      [
        [-123, 49],
        [-95, 49],
      ],
      -109,
      49,
    ),
  ).toBeLessThan(0.5);
});

test('a line across the 180th meridian does not go around the Earth', () => {
  expect(
    toKm(
      [
        [179, 10],
        [-179, 10],
      ],
      0,
      10,
    ),
  ).toBeGreaterThan(17_000);
  expect(
    toKm(
      [
        [179, 10],
        [-179, 10],
      ],
      180,
      10,
    ),
  ).toBeLessThan(0.5);
});

test('skipped pieces do not affect the distance, which is at most that to the nearest point', () => {
  const line = coast(20, 30);
  fc.assert(
    fc.property(point, ([longitude, latitude]) => {
      const toPoints = Math.min(...line.map((each) => toKm([each], longitude, latitude)));
      const km = toKm(line, longitude, latitude);
      expect(km).toBeLessThanOrEqual(toPoints + 0.01);
      // Its points are at most 61 km apart.
      expect(km).toBeGreaterThan(toPoints - 61);
    }),
  );
});

test('an outline of one point has a distance', () => {
  expect(toKm([[-5.35, 36.14]], -5.35, 37.14)).toBeCloseTo(111.2, 0);
});
