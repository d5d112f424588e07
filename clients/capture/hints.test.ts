import { describe, expect, it } from 'vitest';
import { createSteadyHint, documentHint, faceHint } from './hints.ts';
import { type Gray, grayOf, measure } from './image-measures.ts';

const WIDTH = 320;
const HEIGHT = 240;

type Box = { left: number; top: number; width: number; height: number };
const WHOLE: Box = { left: 40, top: 40, width: 240, height: 150 };

/** A card with lines of text on a dark table. */
function card(box: Box, options: { level?: number; shine?: Box } = {}): Gray {
  const { level = 1, shine } = options;
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  const isIn = (area: Box, x: number, y: number) =>
    x >= area.left && x < area.left + area.width && y >= area.top && y < area.top + area.height;
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const isText = isIn(box, x, y) && (y - box.top) % 14 > 8 && x % 5 < 2;
      const value = isText ? 30 : isIn(box, x, y) ? 190 : 70;
      pixels[y * WIDTH + x] = shine && isIn(shine, x, y) ? 255 : value * level;
    }
  }
  return { width: WIDTH, height: HEIGHT, pixels };
}

function blurred(gray: Gray, times: number): Gray {
  let pixels = gray.pixels;
  for (let pass = 0; pass < times; pass += 1) {
    const next = new Uint8Array(pixels);
    for (let y = 1; y < HEIGHT - 1; y += 1) {
      for (let x = 1; x < WIDTH - 1; x += 1) {
        let sum = 0;
        for (let dy = -1; dy <= 1; dy += 1)
          for (let dx = -1; dx <= 1; dx += 1) sum += pixels[(y + dy) * WIDTH + x + dx]!;
        next[y * WIDTH + x] = sum / 9;
      }
    }
    pixels = next;
  }
  return { ...gray, pixels };
}

const hintOf = (gray: Gray, before: Gray | null = null) => documentHint(measure(gray, before));

describe('a hint for a document', () => {
  it('is "good" for a whole, sharp and still card', () => {
    expect(hintOf(card(WHOLE), card(WHOLE))).toBe('good');
  });

  it('asks for more light', () => {
    expect(hintOf(card(WHOLE, { level: 0.3 }))).toBe('dark');
  });

  it('asks to keep the camera still when the image moves', () => {
    expect(hintOf(card(WHOLE), card({ ...WHOLE, left: 70, top: 60 }))).toBe('still');
  });

  it('reports blur', () => {
    expect(hintOf(blurred(card(WHOLE), 6))).toBe('blurred');
  });

  it('reports a reflection', () => {
    expect(hintOf(card(WHOLE, { shine: { left: 100, top: 70, width: 80, height: 50 } }))).toBe('glare');
  });

  it('asks to move closer when the card is small', () => {
    expect(hintOf(card({ left: 110, top: 90, width: 100, height: 62 }))).toBe('closer');
  });

  it('asks to move away when the card exceeds the image', () => {
    expect(hintOf(card({ left: -60, top: -40, width: 440, height: 320 }))).toBe('cut');
    expect(hintOf(card({ ...WHOLE, left: 120 }))).toBe('cut');
  });
});

describe('hint for a face', () => {
  it('concerns only the light', () => {
    expect(faceHint(measure(card(WHOLE, { level: 0.3 }), null))).toBe('dark');
    expect(faceHint(measure(blurred(card(WHOLE), 6), null))).toBe('good');
  });
});

describe('displayed hint', () => {
  it('changes after three equal hints', () => {
    const steady = createSteadyHint(3);
    const shown = (['good', 'good', 'good', 'glare', 'good', 'glare', 'glare', 'glare'] as const).map(steady);
    expect(shown).toEqual([null, null, 'good', 'good', 'good', 'good', 'good', 'glare']);
  });
});

describe('brightness of an image', () => {
  it('is the weighted sum of red, green and blue', () => {
    const { pixels } = grayOf([255, 255, 255, 255, 0, 0, 0, 255, 255, 0, 0, 255], 3, 1);
    expect([...pixels]).toEqual([255, 0, 76]);
  });
});
