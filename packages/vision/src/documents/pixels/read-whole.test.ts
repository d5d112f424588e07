import { describe, expect, it } from 'vitest';
import { stackedBoxes } from './read-whole.ts';

const row = (y: number, changes: object = {}) => ({
  x: 500,
  y,
  width: 800,
  height: 30,
  angle: 0,
  ...changes,
});

describe('lines that can be rows of a zone', () => {
  it('are long and below each other', () => {
    const rows = [row(600), row(650, { width: 780 })];
    expect(stackedBoxes([row(100), ...rows, row(200, { width: 100 })])).toEqual(rows);
  });

  it.each([
    ['far apart', [row(100), row(300)]],
    ['of different heights', [row(600), row(650, { height: 60 })]],
    ['side by side', [row(600, { x: 300, width: 400 }), row(602, { x: 800, width: 400 })]],
    ['to the right of each other', [row(600, { x: 300, width: 400 }), row(650, { x: 900, width: 400 })]],
    ['short', [row(600, { width: 200 }), row(650, { width: 200 })]],
  ])('are not %s', (_, boxes) => {
    expect(stackedBoxes(boxes)).toEqual([]);
  });
});
