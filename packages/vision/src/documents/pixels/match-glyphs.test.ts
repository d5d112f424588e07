import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { CELL_HEIGHT, CELL_WIDTH, GLYPHS, type GlyphSets, glyphSets } from './glyphs.ts';
import { likeliest, matchGlyphs, type Strip } from './match-glyphs.ts';
import { typedRows } from './typed-mrz.ts';

const NAMES = 'P<GBRSMITH<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<<<';
const NUMBERS = '1234567897GBR9001011F3001012<<<<<<<<<<<<<<02';

let sheet: Uint8Array;
let sets: GlyphSets[];

beforeAll(async () => {
  const file = fileURLToPath(new URL('../../../data/ocrb-glyphs.png', import.meta.url));
  sheet = await sharp(file).grayscale().extractChannel(0).raw().toBuffer();
  sets = glyphSets(sheet);
});

/** The text on a strip whose line descends by `drop` pixels, with noise. */
function strip(text: string, { drop = 0, noise = 0, left = 30 }): Strip {
  const width = 2 * left + text.length * CELL_WIDTH;
  const height = 48;
  const gray = new Float32Array(width * height).fill(230);
  let state = 7;
  for (const [index, character] of [...text].entries()) {
    const glyph = GLYPHS.indexOf(character);
    const down = Math.round((height - CELL_HEIGHT) / 2 + (drop * index) / text.length - drop / 2);
    for (let y = 0; y < CELL_HEIGHT; y += 1) {
      for (let x = 0; x < CELL_WIDTH; x += 1) {
        const ink = 255 - sheet[y * CELL_WIDTH * GLYPHS.length + glyph * CELL_WIDTH + x]!;
        gray[(y + down) * width + left + index * CELL_WIDTH + x] = 230 - 0.8 * ink;
      }
    }
  }
  for (let at = 0; at < gray.length; at += 1) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    gray[at]! += noise * (state / 0x40000000 - 1);
  }
  return { gray, width, height };
}

const comb = (characters: number) => ({ characters, start: 30, pitch: CELL_WIDTH, ink: 0 });

describe('characters of a machine readable zone', () => {
  it('are each distinguished from all others', () => {
    const text = GLYPHS.slice(0, 36);
    expect(likeliest(matchGlyphs(strip(text, {}), comb(36), sets))).toBe(text);
  });

  it('are read with noise, on a tilted line, and with a slightly shifted comb', () => {
    const tilted = strip(NUMBERS, { drop: 6, noise: 60 });
    const line = matchGlyphs(tilted, { ...comb(44), start: 32 }, sets);
    expect(likeliest(line)).toBe(NUMBERS);
    expect(line.likeness).toBeLessThan(0.99);
  });

  it('differ from blank paper', () => {
    expect(matchGlyphs(strip('', { left: 600, noise: 20 }), comb(44), sets).likeness).toBeLessThan(0.45);
  });

  it('are letters and digits by the positions of the zone', () => {
    const wrong = `${NUMBERS.slice(0, 13)}9OO1O11F3OO1O12${NUMBERS.slice(28)}`;
    const lines = [NAMES.replace('SMITH', '5MITH'), wrong].map((text) =>
      matchGlyphs(strip(text, {}), comb(44), sets),
    );
    expect(lines.map(likeliest)[1]).toBe(wrong);
    expect(typedRows(lines)).toEqual([NAMES, NUMBERS]);
    expect(typedRows(lines.slice(0, 1))).toBeNull();
  });
});
