import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeBorders, decodeLine } from './borders-format.ts';
import { coordinatesOf } from './coordinates.ts';
import { countryOfPoint } from './country-of-point.ts';
import { chordToOutline, kmOfChord, type Piece, piecesOf, vectorOf } from './outline.ts';

/** The file that `npm run build:borders` writes and the service loads. */
export const BORDERS_FILE = fileURLToPath(new URL('../../data/borders.bin', import.meta.url));

type Borders = {
  indexOf: ReadonlyMap<string, number>;
  outlineAt(index: number): Piece[];
  distancesKm: Uint16Array;
};

let loaded: Borders | null | undefined;

/** Read on first use. A damaged or missing file must not stop the gateway: distances are unknown then. */
function borders(): Borders | null {
  if (loaded !== undefined) return loaded;
  try {
    loaded = parseBorders(readFileSync(BORDERS_FILE));
  } catch {
    loaded = null;
  }
  return loaded;
}

/** Outlines are unpacked on first use of a country; few ever are. */
function parseBorders(file: Uint8Array): Borders {
  const { codes, outlines, lines, distancesKm } = decodeBorders(file).body;
  const unpacked = new Array<Piece[] | undefined>(codes.length);
  return {
    indexOf: new Map(codes.map((code, index) => [code, index])),
    outlineAt(index) {
      unpacked[index] ??= outlines[index]!.flatMap((line) => piecesOf(decodeLine(lines[line]!)));
      return unpacked[index];
    },
    distancesKm: Uint16Array.from(distancesKm),
  };
}

/**
 * Distance of a point from a country, over the surface to the nearest point of its border or coast; 0 inside it.
 * Accurate to about 2 km. null when the country or the place is unknown.
 */
export function distanceToCountryKm(latitude: number, longitude: number, countryCode: string): number | null {
  const known = borders();
  const index = known?.indexOf.get(countryCode);
  if (!known || index === undefined || !coordinatesOf({ latitude, longitude })) return null;
  if (countryOfPoint(latitude, longitude) === countryCode) return 0;
  return kmOfChord(chordToOutline(known.outlineAt(index), vectorOf(latitude, longitude)));
}

/** Shortest distance between two countries in whole kilometers; 0 for adjacent ones, null when unknown. */
export function distanceBetweenCountriesKm(one: string, other: string): number | null {
  const known = borders();
  const first = known?.indexOf.get(one);
  const second = known?.indexOf.get(other);
  if (!known || first === undefined || second === undefined) return null;
  if (first === second) return 0;
  const [low, high] = first < second ? [first, second] : [second, first];
  return known.distancesKm[(high * (high - 1)) / 2 + low]!;
}
