import { countryOfPoint } from '@vouchgraph/signals/country-of-point';
import type { BordersBody } from '@vouchgraph/signals/internals/geo/borders-format';
import { numericToAlpha2 } from 'i18n-iso-countries/index.js';
import { encodeLine } from './encode-borders.ts';
import { simplifyLine } from './simplify-line.ts';

/** Parts of a TopoJSON file of countries that are read. */
export type Atlas = {
  transform: { scale: [number, number]; translate: [number, number] };
  arcs: [number, number][][];
  objects: { countries: { geometries: AtlasCountry[] } };
};

type AtlasCountry = {
  /** ISO 3166-1 numeric; missing for what ISO does not know. */
  id?: string;
  properties: { name: string };
} & ({ type: 'Polygon'; arcs: number[][] } | { type: 'MultiPolygon'; arcs: number[][][] });

type Line = (readonly [number, number])[];

/** Lines of longitude and latitude, and which of them make each country's outline. */
type Outlines = { lines: Line[]; linesOf: Map<string, number[]> };

/** Countries that the atlas draws separately and that have no ISO number. */
const CODES_BY_NAME: Readonly<Record<string, string>> = { Somaliland: 'SO', Kosovo: 'XK', 'N. Cyprus': 'CY' };

/** Territories that the atlas draws as parts of another country. */
const DRAWN_AS_PARTS = new Set(['BQ', 'CC', 'CX', 'GF', 'GP', 'MQ', 'RE', 'SJ', 'TK', 'YT']);

/** Countries and territories too small for the atlas: the places where people are, as [longitude, latitude]. */
const POINTS: Readonly<Record<string, Line>> = {
  BV: [[3.36, -54.42]],
  GI: [[-5.35, 36.14]],
  // Funafuti, Nanumea, Nui and Niulakita.
  TV: [
    [179.2, -8.52],
    [176.12, -5.67],
    [177.15, -7.22],
    [179.47, -10.79],
  ],
  // Wake, Midway, Johnston, Palmyra, Baker and Navassa.
  UM: [
    [166.65, 19.28],
    [-177.37, 28.21],
    [-169.53, 16.73],
    [-162.08, 5.89],
    [-176.48, 0.19],
    [-75.01, 18.4],
  ],
};

const TOLERANCE_KM = 0.5;

/** The outlines of all countries and territories in the form of the file: only the lines in use, renumbered. */
export function outlinesOfAtlas(atlas: Atlas): Omit<BordersBody, 'distancesKm'> {
  const { lines, linesOf } = readAtlas(atlas);
  const codes = [...linesOf.keys()].sort();
  const used = [...new Set(codes.flatMap((code) => linesOf.get(code)!))];
  const numbers = new Map(used.map((line, number) => [line, number]));
  return {
    codes,
    outlines: codes.map((code) => linesOf.get(code)!.map((line) => numbers.get(line)!)),
    lines: used.map((line) => encodeLine(simplifyLine(lines[line]!, TOLERANCE_KM))),
  };
}

function readAtlas(atlas: Atlas): Outlines {
  const lines: Line[] = atlas.arcs.map((arc) => absolute(arc, atlas.transform));
  const uses = new Map<string, number[]>();
  for (const country of atlas.objects.countries.geometries) {
    for (const rings of polygonsOf(country)) {
      const arcs = rings.flat().map((arc) => (arc < 0 ? ~arc : arc));
      const code = codeOfPolygon(
        country,
        arcs.flatMap((arc) => lines[arc]!),
      );
      if (code) uses.set(code, [...(uses.get(code) ?? []), ...arcs]);
    }
  }
  const linesOf = new Map([...uses].map(([code, arcs]) => [code, withoutInnerLines(arcs)]));
  addPoints({ lines, linesOf });
  return { lines, linesOf };
}

/** TopoJSON stores each point as the difference from the one before, in whole steps. */
function absolute(arc: Atlas['arcs'][number], { scale, translate }: Atlas['transform']): Line {
  let [x, y] = [0, 0];
  return arc.map(([east, north]) => {
    x += east;
    y += north;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]] as const;
  });
}

function polygonsOf(country: AtlasCountry): number[][][] {
  return country.type === 'Polygon' ? [country.arcs] : country.arcs;
}

function codeOfPolygon(country: AtlasCountry, points: Line): string | undefined {
  const part = commonest(points.map(([longitude, latitude]) => countryOfPoint(latitude, longitude)));
  if (DRAWN_AS_PARTS.has(part)) return part;
  return country.id ? numericToAlpha2(country.id) : CODES_BY_NAME[country.properties.name];
}

function commonest(codes: readonly string[]): string {
  const counts = Map.groupBy(codes, (code) => code);
  return [...counts].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? '';
}

/** A line that bounds two parts of one country lies inside it. */
function withoutInnerLines(arcs: readonly number[]): number[] {
  const counts = Map.groupBy(arcs, (arc) => arc);
  return [...counts].filter(([, uses]) => uses.length === 1).map(([arc]) => arc);
}

function addPoints({ lines, linesOf }: Outlines): void {
  for (const [code, points] of Object.entries(POINTS)) {
    const added = points.map(([longitude, latitude]) => {
      if (countryOfPoint(latitude, longitude) !== code) throw new Error(`a point of ${code} lies elsewhere`);
      return lines.push([[longitude, latitude]]) - 1;
    });
    linesOf.set(code, added);
  }
}
