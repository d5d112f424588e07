import type { Point } from './homography.ts';
import type { Square } from './sample-image.ts';

/** Pixels of a side of the chip that the descriptor network was trained with. */
export const CHIP_SIZE = 150;
/** Padding around the mean face on each side of the chip, as a share of that face's size. */
const PADDING = 0.25;

/**
 * The mean face of dlib (`get_face_chip_details` in dlib/image_transforms/interpolation.h) in a square of side 1: of
 * the 68 points those which dlib aligns by, which are nose, eyes and the upper lip. Eyebrows, the lower lip and the
 * outline of the jaw move with the expression and the pose.
 */
export const MEAN_FACE: readonly (readonly [index: number, x: number, y: number])[] = [
  [27, 0.490127, 0.203352],
  [28, 0.490127, 0.307009],
  [29, 0.490127, 0.409805],
  [30, 0.490127, 0.515625],
  [31, 0.36688, 0.587326],
  [32, 0.426036, 0.609345],
  [33, 0.490127, 0.628106],
  [34, 0.554217, 0.609345],
  [35, 0.613373, 0.587326],
  [36, 0.121737, 0.216423],
  [37, 0.187122, 0.178758],
  [38, 0.265825, 0.179852],
  [39, 0.334606, 0.231733],
  [40, 0.260918, 0.245099],
  [41, 0.182743, 0.244077],
  [42, 0.645647, 0.231733],
  [43, 0.714428, 0.179852],
  [44, 0.793132, 0.178758],
  [45, 0.858516, 0.216423],
  [46, 0.79751, 0.244077],
  [47, 0.719335, 0.245099],
  [48, 0.254149, 0.780233],
  [49, 0.340985, 0.745405],
  [50, 0.428858, 0.727388],
  [51, 0.490127, 0.742578],
  [52, 0.551395, 0.727388],
  [53, 0.639268, 0.745405],
  [54, 0.726104, 0.780233],
  [60, 0.290379, 0.784792],
  [61, 0.428096, 0.778746],
  [62, 0.490127, 0.785343],
  [63, 0.552157, 0.778746],
  [64, 0.689874, 0.784792],
];

/**
 * The square of the image that becomes the chip: the rotation, scale and shift that bring the mean face closest to the
 * 68 landmarks (least squares). null for landmarks that lie in one point or are not numbers.
 */
export function chipSquare(landmarks: readonly Point[]): Square | null {
  const pairs = MEAN_FACE.map(([index, x, y]) => ({ from: [x, y] as const, to: landmarks[index]! }));
  const from = mean(pairs.map((pair) => pair.from));
  const to = mean(pairs.map((pair) => pair.to));
  let [along, across, spread] = [0, 0, 0];
  for (const pair of pairs) {
    const [ax, ay] = [pair.from[0] - from[0], pair.from[1] - from[1]];
    const [bx, by] = [pair.to[0] - to[0], pair.to[1] - to[1]];
    along += ax * bx + ay * by;
    across += ax * by - ay * bx;
    spread += ax * ax + ay * ay;
  }
  const [cos, sin] = [along / spread, across / spread];
  const scale = Math.hypot(cos, sin);
  if (!(scale > 0)) return null;
  // The middle of the chip is the middle of the mean face's square.
  const [dx, dy] = [0.5 - from[0], 0.5 - from[1]];
  return {
    x: to[0] + cos * dx - sin * dy,
    y: to[1] + sin * dx + cos * dy,
    side: scale * (1 + 2 * PADDING),
    angle: Math.atan2(sin, cos),
  };
}

/** Mirrored square image with three values per pixel. */
export function mirrored(pixels: Float32Array, size: number): Float32Array {
  const out = new Float32Array(pixels.length);
  for (let at = 0; at < size * size; at++) {
    const from = (at - (at % size) + (size - 1 - (at % size))) * 3;
    out.set(pixels.subarray(from, from + 3), at * 3);
  }
  return out;
}

function mean(points: readonly Point[]): Point {
  const [x, y] = points.reduce<[number, number]>((sum, [px, py]) => [sum[0] + px, sum[1] + py], [0, 0]);
  return [x / points.length, y / points.length];
}
