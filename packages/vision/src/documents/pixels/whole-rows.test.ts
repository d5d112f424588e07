import { describe, expect, it } from 'vitest';
import { grow } from './whole-rows.ts';

/** Ink of this number of characters, 20 wide in a cell of 28, after 100 columns of paper. */
function inkOf(characters: number): Float32Array {
  const ink = new Float32Array(200 + characters * 28);
  for (let character = 0; character < characters; character += 1) {
    ink.fill(50, 100 + character * 28, 120 + character * 28);
  }
  return ink;
}

describe('the ends of a row', () => {
  const ink = inkOf(20);
  const ends = { from: 100, to: 100 + 19 * 28 + 19 };

  it('are where its ink ends when detection found less', () => {
    expect(grow(ink, { from: 240, to: 400 })).toEqual(ends);
  });

  it('exclude a mark in the margin', () => {
    // A mark in the margin, farther away than any two characters.
    ink[20] = 50;
    expect(grow(ink, { from: 100, to: 500 })).toEqual(ends);
  });
});
