import { expect, test } from 'vitest';
import { simplifyLine } from './simplify-line.ts';

test('points on a straight line are removed, and a corner remains', () => {
  const line = [
    [0, 0],
    [1, 0.0001],
    [2, 0],
    [2, 1],
    [2, 2],
  ] as const;
  expect(simplifyLine(line, 0.5)).toEqual([
    [0, 0],
    [2, 0],
    [2, 2],
  ]);
});

test('an island remains a closed line', () => {
  const island = [
    [10, 50],
    [10.1, 50],
    [10.1, 50.1],
    [10, 50.1],
    [10, 50],
  ] as const;
  expect(simplifyLine(island, 0.5)).toEqual(island);
});

test('a detour is measured in kilometers, which are few between meridians in the far north', () => {
  const detourAt = (latitude: number) =>
    simplifyLine(
      [
        [0, latitude],
        [0.05, latitude + 0.5],
        [0, latitude + 1],
      ],
      2,
    ).length;
  expect(detourAt(0)).toBe(3);
  expect(detourAt(80)).toBe(2);
});

test('a line across the 180th meridian is simplified like any other', () => {
  const line = [
    [179, 0],
    [-180, 0],
    [-179, 0],
  ] as const;
  expect(simplifyLine(line, 0.5)).toHaveLength(2);
});

test('a line of one point is unchanged', () => {
  expect(simplifyLine([[7, 43]], 0.5)).toEqual([[7, 43]]);
});
