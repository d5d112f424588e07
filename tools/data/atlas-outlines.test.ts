import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BORDERS_FILE } from '@vouchgraph/signals/internals/geo/borders';
import { decodeBorders } from '@vouchgraph/signals/internals/geo/borders-format';
import { expect, test } from 'vitest';
import { type Atlas, outlinesOfAtlas } from './atlas-outlines.ts';

const require = createRequire(import.meta.url);

test('the file is generated from the installed atlas, names it, and stays small', () => {
  const file = readFileSync(BORDERS_FILE);
  const { header, body } = decodeBorders(file);
  const { version } = require('world-atlas/package.json') as { version: string };
  expect(header).toMatchObject({ source: 'world-atlas', sourceVersion: version, licence: 'public domain' });
  expect(header.attribution).toContain('Natural Earth');
  expect(file.length).toBeLessThan(400_000);
  const { distancesKm, ...outlines } = body;
  expect(outlines).toEqual(outlinesOfAtlas(require('world-atlas/countries-50m.json') as Atlas));
  expect(distancesKm).toHaveLength((body.codes.length * (body.codes.length - 1)) / 2);
});
