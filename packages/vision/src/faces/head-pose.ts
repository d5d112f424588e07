import { type Point, planarMisfit } from './homography.ts';

export type MeshPoint = readonly [x: number, y: number, z: number];

/* Points of MediaPipe's face mesh by name. Sides are the image's: the person's right eye is on the left. */
const NOSE_TIP = 1;
const LEFT_CHEEK = 234;
const RIGHT_CHEEK = 454;
const FOREHEAD = 10;
const CHIN = 152;
const LEFT_EYE = [33, 133] as const;
const RIGHT_EYE = [362, 263] as const;

/** Measures of head and camera from one frame's mesh, without a model. */
export type HeadPose = {
  /** -1 to 1: how much nearer the nose is to one cheek; positive when the person turned to their own left. */
  asymmetry: number;
  /** Pixels between the eyes' middles. */
  eyeDistance: number;
  /** Pixels from cheek to cheek. */
  faceWidth: number;
  /** Clockwise in the image, in degrees. */
  roll: number;
};

/** Distances are taken along the line of the eyes, so that a tilted head is not taken for a turned one. */
export function headPose(points: readonly MeshPoint[]): HeadPose {
  const [left, right] = [middle(points, LEFT_EYE), middle(points, RIGHT_EYE)];
  const [dx, dy] = [right[0] - left[0], right[1] - left[1]];
  const eyeDistance = Math.hypot(dx, dy);
  const along = (index: number) => (points[index]![0] * dx + points[index]![1] * dy) / eyeDistance;
  const toLeft = along(NOSE_TIP) - along(LEFT_CHEEK);
  const toRight = along(RIGHT_CHEEK) - along(NOSE_TIP);
  return {
    // In profile the nose passes the cheek; the sum then still has the face's width.
    asymmetry: Math.max(-1, Math.min(1, (toLeft - toRight) / (Math.abs(toLeft) + Math.abs(toRight)))),
    eyeDistance,
    faceWidth: toLeft + toRight,
    roll: (Math.atan2(dy, dx) * 180) / Math.PI,
  };
}

/**
 * Movement of the points that a flat image cannot produce, in percent of the eye distance; null when the points do not
 * determine it. Measured in the frontal frame, where the eyes' distance is not foreshortened.
 */
export function planarResidual(frontal: readonly MeshPoint[], turned: readonly MeshPoint[]): number | null {
  const flat = (points: readonly MeshPoint[]) => points.map(([x, y]): Point => [x, y]);
  const misfit = planarMisfit(flat(turned), flat(frontal));
  return misfit === null ? null : (100 * misfit) / headPose(frontal).eyeDistance;
}

/** Whether all points of the face lie inside the image, by a margin in parts of the face's height. */
export function isWholeFace(
  points: readonly MeshPoint[],
  image: { width: number; height: number },
  margin = 0.02,
): boolean {
  const [top, bottom] = [points[FOREHEAD]!, points[CHIN]!];
  const gap = margin * Math.hypot(top[0] - bottom[0], top[1] - bottom[1]);
  return points.every(
    ([x, y]) => x >= gap && y >= gap && x <= image.width - 1 - gap && y <= image.height - 1 - gap,
  );
}

/** The box around the points. */
export function boundsOf(points: readonly MeshPoint[]): {
  x: number;
  y: number;
  width: number;
  height: number;
} {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

function middle(points: readonly MeshPoint[], [a, b]: readonly [number, number]): Point {
  return [(points[a]![0] + points[b]![0]) / 2, (points[a]![1] + points[b]![1]) / 2];
}
