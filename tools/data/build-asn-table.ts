/*
 * Makes the file of address ranges that the service loads, from the CSV files of a development dependency. Run it
 * with `npm run build:data` after that dependency has been updated. The same input gives the same bytes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, zstdCompressSync } from 'node:zlib';
import { ASN_TABLE_FILE } from '@vouchgraph/signals/internals/data/asn-table';
import { type AsnTableHeader, FORMAT_VERSION } from '@vouchgraph/signals/internals/data/asn-table-format';
import { type AsnRange, buildBody, encodeBody } from './asn-ranges.ts';

const SOURCE = '@ip-location-db/asn';
const ATTRIBUTION =
  'Contains data of RouteViews (https://www.routeviews.org), DB-IP (https://db-ip.com) and the Number Resource Organization (https://www.nro.net), CC BY 4.0, merged by ip-location-db and packed here.';

const require = createRequire(import.meta.url);

function readSource(file: string): string {
  return readFileSync(require.resolve(`${SOURCE}/${file}`), 'utf8');
}

/** `start,end,number,name`, the name quoted as in RFC 4180 where it holds a comma or a quote. */
function* readRanges(csv: string): Generator<AsnRange> {
  for (const line of csv.split('\n')) {
    if (line === '') continue;
    const match = /^(\d+),(\d+),(\d+),(.*?)\r?$/.exec(line);
    if (!match) throw new Error(`unexpected line: ${line}`);
    const [, start, end, number, name] = match as unknown as [string, string, string, string, string];
    yield { start: BigInt(start), end: BigInt(end), number: Number(number), name: unquote(name) };
  }
}

function unquote(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

/** The package's version ends in the date of its data: 2.3.2026061719 is 2026-06-17. */
function dateOfVersion(version: string): string {
  const match = /\.(\d{4})(\d{2})(\d{2})\d*$/.exec(version);
  if (!match) throw new Error(`no date in version ${version}`);
  return match.slice(1, 4).join('-');
}

const { version } = JSON.parse(readSource('package.json')) as { version: string };
const body = buildBody(
  readRanges(readSource('asn-ipv4-num.csv')),
  readRanges(readSource('asn-ipv6-num.csv')),
);
const header: AsnTableHeader = {
  format: 'vouchgraph-asn-table',
  formatVersion: FORMAT_VERSION,
  source: SOURCE,
  sourceVersion: version,
  dataDate: dateOfVersion(version),
  licence: 'CC BY 4.0',
  attribution: ATTRIBUTION,
  systems: body.numbers.length,
  ipv4Entries: body.ipv4.owners.length,
  ipv6Entries: body.ipv6.owners.length,
};
const compressed = zstdCompressSync(encodeBody(body), {
  params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 },
});
const file = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), compressed]);
writeFileSync(ASN_TABLE_FILE, file);
process.stdout.write(
  `${header.systems} systems, ${header.ipv4Entries} IPv4 and ${header.ipv6Entries} IPv6 entries, ${file.length} bytes\n`,
);
