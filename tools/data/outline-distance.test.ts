import { chordToOutline, kmOfChord, piecesOf, vectorOf } from '@vouchgraph/signals/internals/geo/outline';
import { expect, test } from 'vitest';
import { chordBetweenOutlines } from './outline-distance.ts';

type Line = [number, number][];

const toKm = (line: Line, longitude: number, latitude: number) =>
  kmOfChord(chordToOutline(piecesOf(line), vectorOf(latitude, longitude)));

/** An irregular coast of many pieces. */
const coast = (longitude: number, latitude: number): Line =>
  Array.from({ length: 200 }, (_, index) => [longitude + index / 20, latitude + (index % 7) / 10]);

test('the distance between two borders is that of their nearest points', () => {
  const [west, east] = [coast(0, 0), coast(30, 3)];
  const nearest = Math.min(
    ...west.map(([longitude, latitude]) => toKm(east, longitude, latitude)),
    ...east.map(([longitude, latitude]) => toKm(west, longitude, latitude)),
  );
  const km = kmOfChord(chordBetweenOutlines(piecesOf(west), piecesOf(east)));
  expect(km).toBeCloseTo(nearest, 1);
  expect(kmOfChord(chordBetweenOutlines(piecesOf(west), piecesOf(west)))).toBe(0);
});
