export type Point = readonly [x: number, y: number];

/** Eight numbers; the ninth is 1. */
type Homography = readonly number[];

/**
 * How far `to` is from any plane's view of `from`: the root mean square distance left by the best homography, in the
 * units of `to`. A flat image moves by a homography however it is turned; a head does not. null when no homography
 * can be fitted.
 */
export function planarMisfit(from: readonly Point[], to: readonly Point[]): number | null {
  const [a, b] = [normalize(from), normalize(to)];
  if (!a || !b) return null;
  const homography = fitHomography(a.points, b.points);
  if (!homography) return null;
  let sum = 0;
  for (const [index, point] of a.points.entries()) {
    const [x, y] = project(homography, point);
    sum += (x - b.points[index]![0]) ** 2 + (y - b.points[index]![1]) ** 2;
  }
  const misfit = Math.sqrt(sum / a.points.length) / b.scale;
  return Number.isFinite(misfit) ? misfit : null;
}

/** Moved to the origin with a mean distance of √2, without which the equations below lose their digits. */
function normalize(points: readonly Point[]): { points: Point[]; scale: number } | null {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, point) => sum + Math.hypot(point[0] - x, point[1] - y), 0);
  const scale = (Math.SQRT2 * points.length) / spread;
  if (!Number.isFinite(scale)) return null;
  return { points: points.map((point): Point => [(point[0] - x) * scale, (point[1] - y) * scale]), scale };
}

/** Least squares of the linearized equations, as normal equations of eight unknowns. */
function fitHomography(from: readonly Point[], to: readonly Point[]): Homography | null {
  const matrix = Array.from({ length: 8 }, () => new Array<number>(9).fill(0));
  for (const [index, [x, y]] of from.entries()) {
    const [u, v] = to[index]!;
    addEquation(matrix, [x, y, 1, 0, 0, 0, -u * x, -u * y], u);
    addEquation(matrix, [0, 0, 0, x, y, 1, -v * x, -v * y], v);
  }
  return solve(matrix);
}

function addEquation(matrix: number[][], row: readonly number[], value: number): void {
  for (let i = 0; i < 8; i++) {
    for (let j = 0; j < 8; j++) matrix[i]![j]! += row[i]! * row[j]!;
    matrix[i]![8]! += row[i]! * value;
  }
}

/** Gauss-Jordan with partial pivots on a matrix of n rows and n + 1 columns; null when it has no one solution. */
function solve(matrix: number[][]): number[] | null {
  for (let column = 0; column < matrix.length; column++) {
    let pivot = column;
    for (let row = column + 1; row < matrix.length; row++)
      if (Math.abs(matrix[row]![column]!) > Math.abs(matrix[pivot]![column]!)) pivot = row;
    if (Math.abs(matrix[pivot]![column]!) < 1e-10) return null;
    [matrix[column], matrix[pivot]] = [matrix[pivot]!, matrix[column]!];
    const lead = matrix[column]!;
    for (const row of matrix) {
      if (row === lead) continue;
      const factor = row[column]! / lead[column]!;
      for (let k = column; k < row.length; k++) row[k]! -= factor * lead[k]!;
    }
  }
  return matrix.map((row, index) => row.at(-1)! / row[index]!);
}

function project(h: Homography, [x, y]: Point): Point {
  const depth = h[6]! * x + h[7]! * y + 1;
  return [(h[0]! * x + h[1]! * y + h[2]!) / depth, (h[3]! * x + h[4]! * y + h[5]!) / depth];
}
