/*
 * Makes the file of borders that the service loads, from a development dependency. Run it with
 * `npm run build:borders` after that dependency has been updated. The same input gives the same bytes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BORDERS_FILE } from '@vouchgraph/signals/internals/geo/borders';
import { type BordersBody, decodeLine } from '@vouchgraph/signals/internals/geo/borders-format';
import { kmOfChord, type Piece, piecesOf } from '@vouchgraph/signals/internals/geo/outline';
import { type Atlas, outlinesOfAtlas } from './atlas-outlines.ts';
import { encodeBorders } from './encode-borders.ts';
import { chordBetweenOutlines } from './outline-distance.ts';

const SOURCE = 'world-atlas';
const ATTRIBUTION =
  'Made with Natural Earth (https://www.naturalearthdata.com), public domain, 1:50m countries as packed by world-atlas; simplified here.';
/** Countries that the file has as points, and the countries that they touch. */
const TOUCHING = new Set(['ES GI']);

const require = createRequire(import.meta.url);

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(require.resolve(`${SOURCE}/${file}`), 'utf8')) as Content;
}

/** Distances are measured on the outlines of the file, so that both agree. */
function buildDistances({ codes, outlines, lines }: Omit<BordersBody, 'distancesKm'>): number[] {
  const pieces = lines.map((line) => piecesOf(decodeLine(line)));
  const countries: Piece[][] = outlines.map((outline) => outline.flatMap((line) => pieces[line]!));
  return countries.flatMap((country, index) =>
    countries.slice(0, index).map((other, otherIndex) => {
      if (TOUCHING.has(`${codes[otherIndex]} ${codes[index]}`)) return 0;
      return Math.round(kmOfChord(chordBetweenOutlines(country, other)));
    }),
  );
}

const outlines = outlinesOfAtlas(readJson<Atlas>('countries-50m.json'));
const file = encodeBorders(
  {
    source: SOURCE,
    sourceVersion: readJson<{ version: string }>('package.json').version,
    licence: 'public domain',
    attribution: ATTRIBUTION,
    countries: outlines.codes.length,
    lines: outlines.lines.length,
    points: outlines.lines.reduce((sum, line) => sum + line.length / 2, 0),
  },
  { ...outlines, distancesKm: buildDistances(outlines) },
);
writeFileSync(BORDERS_FILE, file);
process.stdout.write(
  `${outlines.codes.length} countries, ${outlines.lines.length} lines, ${file.length} bytes\n`,
);
