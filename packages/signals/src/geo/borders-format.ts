import { zstdDecompressSync } from 'node:zlib';

/*
 * The file of borders: one line of JSON that a person can read, then compressed JSON.
 *
 * As in TopoJSON, a border that two countries share is one line of the file, so that both have it at the same place.
 */

export const FORMAT_VERSION = 1;

/** Degrees between two adjacent numbers of the file, at most 0.6 km. */
export const DEGREES_PER_STEP = 0.005;

export type BordersHeader = {
  format: 'vouchgraph-borders';
  formatVersion: number;
  source: string;
  sourceVersion: string;
  licence: string;
  attribution: string;
  countries: number;
  lines: number;
  points: number;
};

export type BordersBody = {
  /** ISO 3166-1 alpha-2 codes, ascending. */
  codes: string[];
  /** For each code, the numbers of the lines that make its outline. */
  outlines: number[][];
  /** Lines of longitude, latitude, longitude …, in steps, each point as the difference from the one before. */
  lines: number[][];
  /** Kilometers between each two outlines: second with first, third with first, third with second … */
  distancesKm: number[];
};

/** Reads the file, which tools/data/encode-borders.ts writes; throws when the bytes are not of this format and version. */
export function decodeBorders(file: Uint8Array): { header: BordersHeader; body: BordersBody } {
  const end = file.indexOf(0x0a);
  const header = JSON.parse(Buffer.from(file.subarray(0, end)).toString()) as BordersHeader;
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new Error(
      `format version ${header.formatVersion}, expected ${FORMAT_VERSION}; run npm run build:borders`,
    );
  }
  return { header, body: JSON.parse(zstdDecompressSync(file.subarray(end + 1)).toString()) as BordersBody };
}

/** The longitudes and latitudes of a line of the file. */
export function decodeLine(differences: readonly number[]): [number, number][] {
  let [east, north] = [0, 0];
  return Array.from({ length: differences.length / 2 }, (_, index) => {
    east += differences[index * 2]!;
    north += differences[index * 2 + 1]!;
    return [east * DEGREES_PER_STEP, north * DEGREES_PER_STEP];
  });
}
