import { describe, expect, it } from 'vitest';
import { fitCombs } from './fit-comb.ts';

/** Columns of ink of this number of characters, each 18 wide in a cell of 28. */
function inkOf(characters: number, start: number, pitch: number): Float32Array {
  const ink = new Float32Array(Math.ceil(start * 2 + characters * pitch));
  for (let character = 0; character < characters; character += 1) {
    const left = start + character * pitch;
    for (let x = Math.round(left + 0.18 * pitch); x < left + 0.82 * pitch; x += 1) ink[x] = 60;
  }
  return ink;
}

describe('a comb over a line', () => {
  it.each([
    [44, 27.6],
    [36, 28],
    [30, 28.4],
  ])('counts %i characters and locates them', (characters, pitch) => {
    const [best] = fitCombs(inkOf(characters, 40, pitch), [44, 36, 30]);
    expect(best!.characters).toBe(characters);
    expect(Math.abs(best!.pitch - pitch)).toBeLessThan(0.15);
    // Every character lies in its cell: none is more than a sixth of one away.
    const last = characters - 1;
    expect(Math.abs(best!.start - 40)).toBeLessThan(pitch / 6);
    expect(Math.abs(best!.start + last * best!.pitch - 40 - last * pitch)).toBeLessThan(pitch / 6);
    expect(best!.ink).toBeLessThan(0.15);
  });

  it('is not found on blank paper', () => {
    expect(fitCombs(new Float32Array(500), [44])).toEqual([]);
  });
});
