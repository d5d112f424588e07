import { describe, expect, it } from 'vitest';
import { withSpaces } from './word-gaps.ts';

const HEIGHT = 48;

/** Letters of 14 pixels at these places on gray paper. */
function lineWith(places: readonly number[], width: number) {
  const pixels = new Uint8Array(width * HEIGHT * 3).fill(200);
  for (const place of places) {
    for (let y = 12; y < 38; y += 1) {
      for (let x = place - 7; x < place + 7; x += 1)
        pixels.fill(20, (y * width + x) * 3, (y * width + x) * 3 + 3);
    }
  }
  return { pixels, width, height: HEIGHT };
}

describe('spaces between words', () => {
  it('are where paper is visible', () => {
    const places = [20, 38, 56, 86, 104];
    expect(withSpaces({ characters: [...'ANAMA'], places }, lineWith(places, 130))).toBe('ANA MA');
  });

  it('are not doubled, and not added around an apostrophe', () => {
    const places = [20, 38, 53, 68, 98];
    const image = lineWith([20, 38, 68, 98], 120);
    expect(withSpaces({ characters: [...'AN AB'], places }, image)).toBe('AN A B');
    expect(withSpaces({ characters: [..."AND'B"], places }, image)).toBe("AND'B");
  });

  it('are not detected where letters are far apart with ink between them', () => {
    const places = [20, 38, 56, 86];
    const image = lineWith([20, 38, 56, 70, 86], 110);
    expect(withSpaces({ characters: [...'ANAM'], places }, image)).toBe('ANAM');
  });

  it('leave an empty line empty', () => {
    expect(withSpaces({ characters: [], places: [] }, lineWith([], 64))).toBe('');
  });
});
