import { describe, expect, it } from 'vitest';
import type { SideReading } from '../readings.ts';
import { isWholeDocument } from './whole-document.ts';

const PASSPORT = [1.42];
const CARD = [1.586];

const side = (changes: Partial<SideReading>): SideReading => ({
  problem: null,
  hasOutline: false,
  margin: null,
  aspect: null,
  imageAspect: 1.42,
  sharpness: 500,
  glare: 0,
  recaptureScore: 2.5,
  lines: [],
  mrz: [],
  zone: null,
  barcode: null,
  ...changes,
});

/** The zone of a passport whose image shows these millimeters of its page, with the page's corner at 0, 0. */
function passportZone(shown: { left: number; top: number; right: number; bottom: number }) {
  const [width, height] = [shown.right - shown.left, shown.bottom - shown.top];
  const across = 44.7 * 2.54;
  return side({
    imageAspect: width / height,
    zone: {
      x: ((125 - across) / 2 - shown.left) / width,
      y: (70 - shown.top) / height,
      width: across / width,
      height: 13 / height,
    },
  });
}

const text = (box: { x: number; y: number; width: number }) => ({
  text: 'SAMPLE',
  confidence: 0.9,
  box: { ...box, height: 0.05 },
});
const TEXT = [
  text({ x: 0.05, y: 0.06, width: 0.6 }),
  text({ x: 0.3, y: 0.5, width: 0.6 }),
  text({ x: 0.3, y: 0.8, width: 0.4 }),
];

describe('a whole document', () => {
  it.each([
    ['with a desk around it', { margin: 0.1, aspect: 1.42 }],
    ['that fills the frame except its corners', { margin: 0.006, aspect: 1.4 }],
    ['seen from the side', { margin: 0.05, aspect: 1.3 }],
  ])('has an outline within the frame: %s', (_, changes) => {
    expect(isWholeDocument(side({ hasOutline: true, ...changes }), PASSPORT, 'TD3')).toBe(true);
  });

  it.each([
    ['only the page', { left: 0, top: 0, right: 125, bottom: 88 }, true],
    ['the page and the desk', { left: -40, top: -70, right: 160, bottom: 110 }, true],
    ['a little less than the page', { left: 1, top: 3, right: 124, bottom: 87 }, true],
    ['no upper edge', { left: 0, top: 11, right: 125, bottom: 88 }, false],
    ['no left edge', { left: 6.5, top: 0, right: 125, bottom: 88 }, false],
    ['a truncated zone', { left: 0, top: 0, right: 110, bottom: 88 }, false],
    ['no paper below the zone', { left: 0, top: 0, right: 125, bottom: 83.2 }, false],
  ])('is detected by the position of its zone: %s', (_, shown, expected) => {
    expect(isWholeDocument(passportZone(shown), PASSPORT, 'TD3')).toBe(expected);
  });

  it('is not complete when its outline ends at the frame and stretches the zone', () => {
    const cut = passportZone({ left: 0, top: 12, right: 125, bottom: 88 });
    const stretched = { ...cut, hasOutline: true, margin: 0, aspect: 125 / 76, imageAspect: 1.42 };
    expect(isWholeDocument(stretched, PASSPORT, 'TD3')).toBe(false);
    const whole = {
      ...passportZone({ left: 0, top: 0, right: 125, bottom: 88 }),
      hasOutline: true,
      margin: 0,
    };
    expect(isWholeDocument({ ...whole, aspect: 1.42 }, PASSPORT, 'TD3')).toBe(true);
  });

  it.each([
    ['of its shape', { imageAspect: 1.6, lines: TEXT }, true],
    ['of another shape', { imageAspect: 1.5, lines: TEXT }, false],
    [
      'with text that continues beyond it',
      { imageAspect: 1.586, lines: [...TEXT, text({ x: 0, y: 0.3, width: 0.3 })] },
      false,
    ],
    ['with text in one corner', { imageAspect: 1.586, lines: TEXT.slice(0, 1) }, false],
  ])('without a zone fills an image %s', (_, changes, expected) => {
    expect(isWholeDocument(side(changes), CARD, null)).toBe(expected);
  });
});
