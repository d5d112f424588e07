const KM_PER_DEGREE = 111.2;

type Point = readonly [number, number];

/**
 * Leaves out the points of a line of longitudes and latitudes that lie less than the tolerance beside the line without
 * them (Ramer 1972, Douglas and Peucker 1973). Ends stay, so that lines that meet still do.
 */
export function simplifyLine(line: readonly Point[], toleranceKm: number): Point[] {
  const kept = new Set([0, line.length - 1]);
  const open: [number, number][] = [[0, line.length - 1]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [start, end] = range;
    const farthest = farthestPoint(line, start, end);
    if (farthest.distanceKm <= toleranceKm) continue;
    kept.add(farthest.index);
    open.push([start, farthest.index], [farthest.index, end]);
  }
  return line.filter((_, index) => kept.has(index));
}

function farthestPoint(line: readonly Point[], start: number, end: number) {
  let farthest = { index: start, distanceKm: 0 };
  for (let index = start + 1; index < end; index++) {
    const distanceKm = distanceToStretchKm(line[index]!, line[start]!, line[end]!);
    if (distanceKm > farthest.distanceKm) farthest = { index, distanceKm };
  }
  return farthest;
}

/** On a map that is flat around the point: good enough for the few kilometers that matter. */
function distanceToStretchKm(point: Point, start: Point, end: Point): number {
  const shrink = Math.cos((point[1] * Math.PI) / 180);
  const flat = ([longitude, latitude]: Point) =>
    [wrapped(longitude - point[0]) * shrink * KM_PER_DEGREE, (latitude - point[1]) * KM_PER_DEGREE] as const;
  const [startX, startY] = flat(start);
  const [endX, endY] = flat(end);
  const [alongX, alongY] = [endX - startX, endY - startY];
  const length = alongX ** 2 + alongY ** 2;
  const foot = length === 0 ? 0 : -(startX * alongX + startY * alongY) / length;
  const share = Math.max(0, Math.min(1, foot));
  return Math.hypot(startX + share * alongX, startY + share * alongY);
}

/** The short way round the Earth. */
function wrapped(degrees: number): number {
  return ((degrees + 540) % 360) - 180;
}
