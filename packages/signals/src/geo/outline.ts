import { EARTH_RADIUS_KM } from './coordinates.ts';

/*
 * Points are kept as vectors on the unit sphere, where no meridian and no pole is special. A line between two close
 * points is taken as the straight chord: over 100 km it runs at most 0.2 km below the surface.
 */

/** A vector on the unit sphere. */
export type Vector = readonly [number, number, number];

/** A short stretch of a border, and a ball around it by which far stretches are passed over. */
export type Piece = {
  center: Vector;
  /** The ball's radius as a chord of the unit sphere. */
  radius: number;
  /** The stretch's points, three numbers each; at least one. */
  points: Float32Array;
};

const RADIANS = Math.PI / 180;
const MAX_CHORD = 100 / EARTH_RADIUS_KM;
const PIECE_SEGMENTS = 16;

/** Where a latitude and longitude in degrees lie on the unit sphere. */
export function vectorOf(latitude: number, longitude: number): Vector {
  const ring = Math.cos(latitude * RADIANS);
  return [
    ring * Math.cos(longitude * RADIANS),
    ring * Math.sin(longitude * RADIANS),
    Math.sin(latitude * RADIANS),
  ];
}

/**
 * Cuts a line of longitudes and latitudes, `[[longitude, latitude] …]`, into pieces. Between two points the line is
 * straight on the map, as borders along a parallel are, so long stretches get points in between.
 */
export function piecesOf(line: readonly (readonly [number, number])[]): Piece[] {
  const vectors = densify(line);
  const pieces: Piece[] = [];
  for (let start = 0; start === 0 || start < vectors.length - 1; start += PIECE_SEGMENTS) {
    pieces.push(pieceOf(vectors.slice(start, start + PIECE_SEGMENTS + 1)));
  }
  return pieces;
}

function densify(line: readonly (readonly [number, number])[]): Vector[] {
  return line.flatMap(([longitude, latitude], index) => {
    const here = vectorOf(latitude, longitude);
    const before = line[index - 1];
    if (!before) return [here];
    const parts = Math.ceil(chord(vectorOf(before[1], before[0]), here) / MAX_CHORD);
    // The short way round, for lines that cross the 180th meridian.
    const east = ((longitude - before[0] + 540) % 360) - 180;
    const between = Array.from({ length: Math.max(0, parts - 1) }, (_, part) => {
      const share = (part + 1) / parts;
      return vectorOf(before[1] + (latitude - before[1]) * share, before[0] + east * share);
    });
    return [...between, here];
  });
}

function pieceOf(vectors: readonly Vector[]): Piece {
  const mean = ([0, 1, 2] as const).map(
    (axis) => vectors.reduce((sum, vector) => sum + vector[axis], 0) / vectors.length,
  );
  const center = mean as unknown as Vector;
  const points = Float32Array.from(vectors.flat());
  // The points are rounded to 32 bits, half a meter on the Earth.
  const radius = Math.max(...vectors.map((vector) => chord(vector, center))) + 1e-7;
  return { center, radius, points };
}

/** The shortest chord from a point to a border, or `limit` when the border is no closer. */
export function chordToOutline(outline: readonly Piece[], point: Vector, limit = 2): number {
  let nearest = limit;
  for (const { center, radius } of outline) nearest = Math.min(nearest, chord(center, point) + radius);
  for (const piece of outline) {
    if (chord(piece.center, point) - piece.radius < nearest) {
      nearest = Math.min(nearest, chordToPiece(piece.points, point));
    }
  }
  return nearest;
}

/** The shortest chord from a point to a piece, by its points. */
export function chordToPiece(points: Float32Array, [x, y, z]: Vector): number {
  let square = squareTo(points[0]! - x, points[1]! - y, points[2]! - z);
  for (let at = 3; at < points.length; at += 3) {
    const startX = points[at - 3]! - x;
    const startY = points[at - 2]! - y;
    const startZ = points[at - 1]! - z;
    const alongX = points[at]! - points[at - 3]!;
    const alongY = points[at + 1]! - points[at - 2]!;
    const alongZ = points[at + 2]! - points[at - 1]!;
    const length = squareTo(alongX, alongY, alongZ);
    const foot = length === 0 ? 0 : -(startX * alongX + startY * alongY + startZ * alongZ) / length;
    const share = Math.max(0, Math.min(1, foot));
    const here = squareTo(startX + share * alongX, startY + share * alongY, startZ + share * alongZ);
    if (here < square) square = here;
  }
  return Math.sqrt(square);
}

function squareTo(x: number, y: number, z: number): number {
  return x * x + y * y + z * z;
}

export function chord(a: Vector, b: Vector): number {
  return Math.sqrt(squareTo(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
}

/** Kilometers over the surface from a chord of the unit sphere. */
export function kmOfChord(length: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, length / 2));
}
