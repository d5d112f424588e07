import { describe, expect, it } from 'vitest';
import { CHIP_SIZE, chipSquare, MEAN_FACE, mirrored } from './align-face.ts';
import { fromSquare, sampleSquare } from './sample-image.ts';

/** Places of dlib's mean face in the chip, in pixels: (0.25 + mean) / 1.5 * 150. */
const CHIP_POINTS = {
  outerEyes: [
    [36, 37.1737, 46.6423],
    [45, 110.8516, 46.6423],
  ],
  noseTip: [33, 74.0127, 87.8106],
  mouth: [
    [48, 50.4149, 103.0233],
    [54, 97.6104, 103.0233],
  ],
} as const;

type Place = (x: number, y: number) => readonly [number, number];

/**
 * The landmarks of the mean face in the chip, placed in an image by `place`; those without a mean are in the
 * middle.
 */
function landmarksOf(place: Place) {
  const inChip = Array.from({ length: 68 }, () => [CHIP_SIZE / 2, CHIP_SIZE / 2] as [number, number]);
  for (const [index, x, y] of MEAN_FACE) inChip[index] = [100 * (0.25 + x), 100 * (0.25 + y)];
  return inChip.map(([x, y]) => place(x, y));
}

/** Turned clockwise by `angle` radians about the origin, made larger by `scale`, and shifted. */
function similarity(angle: number, scale: number, dx: number, dy: number): Place {
  const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)];
  return (x, y) => [dx + cos * x - sin * y, dy + sin * x + cos * y];
}

describe('chipSquare', () => {
  it.each([
    ['as in the chip', 0, 1, 0, 0],
    ['turned by 30 degrees', Math.PI / 6, 1, 10, 20],
    ['upside down, twice as large', Math.PI, 2, 400, 500],
    ['turned left, small', -0.4, 0.25, 33.3, -7],
  ])('finds the square of a face that lies %s', (_, angle, scale, dx, dy) => {
    const place = similarity(angle, scale, dx, dy);
    const square = chipSquare(landmarksOf(place))!;
    const [x, y] = place(CHIP_SIZE / 2, CHIP_SIZE / 2);
    expect(square.x).toBeCloseTo(x, 2);
    expect(square.y).toBeCloseTo(y, 2);
    expect(square.side).toBeCloseTo(CHIP_SIZE * scale, 2);
    expect(Math.cos(square.angle - angle)).toBeCloseTo(1, 6);
  });

  it('maps eyes, nose and mouth to their places in the chip', () => {
    const place = similarity(0.7, 1.9, 120, 80);
    const square = chipSquare(landmarksOf(place))!;
    const { outerEyes, noseTip, mouth } = CHIP_POINTS;
    for (const [, x, y] of [...outerEyes, noseTip, ...mouth]) {
      const [px, py] = fromSquare(square, x / CHIP_SIZE, y / CHIP_SIZE);
      const [wx, wy] = place(x, y);
      expect(Math.hypot(px - wx, py - wy)).toBeLessThan(0.01);
    }
  });

  it('ignores jaw, eyebrows and lower lip', () => {
    const place = similarity(0.2, 1.5, 50, 60);
    const still = landmarksOf(place);
    const moved = still.map(([x, y], index) =>
      index < 27 || (index >= 55 && index < 60) || index >= 65
        ? ([x + 40, y - 25] as const)
        : ([x, y] as const),
    );
    expect(chipSquare(moved)).toEqual(chipSquare(still));
  });

  it('is the best fit for a face of other proportions', () => {
    const narrow = landmarksOf((x, y) => [0.8 * x + 30, y + 40]);
    const square = chipSquare(narrow)!;
    expect(square.angle).toBeCloseTo(0, 3);
    expect(square.side).toBeGreaterThan(0.8 * CHIP_SIZE);
    expect(square.side).toBeLessThan(CHIP_SIZE);
  });

  it('is null when landmarks show no face', () => {
    expect(chipSquare(Array.from({ length: 68 }, () => [5, 5] as const))).toBeNull();
    expect(chipSquare(Array.from({ length: 68 }, () => [Number.NaN, 5] as const))).toBeNull();
  });
});

describe('a chip of a rotated image', () => {
  it('has the same pixels as that of the upright one', () => {
    const size = 240;
    const bright = (u: number, v: number) => 128 + 60 * Math.sin(u / 17) + 50 * Math.cos(v / 23);
    const imageOf = (toFace: Place) => ({
      width: size,
      height: size,
      data: Uint8Array.from({ length: size * size * 3 }, (_, at) => {
        const pixel = Math.floor(at / 3);
        return Math.round(bright(...toFace((pixel % size) + 0.5, Math.floor(pixel / size) + 0.5)));
      }),
    });
    const [shift, back] = [similarity(0, 1, 45, 45), similarity(0, 1, -45, -45)];
    const turn = similarity(0.5, 1, 90, -20);
    const unturn = (x: number, y: number) => similarity(-0.5, 1, 0, 0)(x - 90, y + 20);
    const chip = (image: ReturnType<typeof imageOf>, place: Place) =>
      sampleSquare(image, chipSquare(landmarksOf(place))!, CHIP_SIZE, { scale: 1, shift: 0 });
    const upright = chip(imageOf(back), shift);
    const turned = chip(imageOf(unturn), turn);
    const middle = (70 * CHIP_SIZE + 75) * 3;
    for (const at of [middle, middle + 3 * 20, middle - 3 * CHIP_SIZE * 25])
      expect(Math.abs(upright[at]! - turned[at]!)).toBeLessThan(2);
  });
});

describe('mirrored', () => {
  it('exchanges left and right of each row', () => {
    const pixels = Float32Array.from({ length: 12 }, (_, index) => index);
    expect([...mirrored(pixels, 2)]).toEqual([3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]);
    expect(mirrored(mirrored(pixels, 2), 2)).toEqual(pixels);
  });
});
