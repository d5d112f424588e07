/*
 * Makes the lists on board and the grades of hosting systems from published lists that were downloaded before. See
 * README.md for where. The same input gives the same bytes.
 *
 *   npm run build:lists -- --vpn DIR --tor FILE --tor-date DATE --relay FILE --relay-date DATE
 *
 * DIR contains one folder per day, YYYY-MM-DD, with a file of addresses per provider.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';
import { ipOfValue } from '@vouchgraph/platform/ip/ip-range';
import { classifyAsn } from '@vouchgraph/signals/internals/data/asn-classes';
import { type AsnTable, loadAsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import { ONBOARD_LISTS_FILE } from '@vouchgraph/signals/internals/data/onboard-lists';
import {
  ONBOARD_FORMAT_VERSION,
  type OnboardHeader,
  type OnboardListHeader,
} from '@vouchgraph/signals/internals/data/onboard-lists-format';
import { VPN_HOSTING_FILE, type VpnHostingTable } from '@vouchgraph/signals/internals/data/vpn-hosting';
import { mergeEntries, type PublishedList } from '@vouchgraph/signals/internals/feeds/build/published-list';
import { parseRangeLines, parseTorExits } from '@vouchgraph/signals/internals/feeds/build/published-ranges';
import { buildRangeTable, type TaggedRange } from '@vouchgraph/signals/internals/feeds/range-set';
import { denseBlocks } from './dense-blocks.ts';
import { encodeTables } from './encode-onboard-lists.ts';
import { rentedSystems } from './rented-systems.ts';
import { gradeSystem } from './vpn-hosting-grades.ts';

const PROVIDERS: Readonly<Record<string, string>> = {
  airvpn: 'AirVPN',
  ivpn: 'IVPN',
  mullvad: 'Mullvad',
  nordvpn: 'NordVPN',
  ovpn: 'OVPN',
  pia: 'Private Internet Access',
  protonvpn: 'Proton VPN',
  riseupvpn: 'RiseupVPN',
  surfshark: 'Surfshark',
  windscribe: 'Windscribe',
};
const VPN_SOURCE = 'https://github.com/Joe12387/open-source-vpn-ip-lists';
const VPN_LICENCE = 'CC0 1.0';
/** An address of a block that a provider fills: as sure as a whole network of a VPN company. */
const BLOCK_CONFIDENCE = 0.7;

type Built = { header: Omit<OnboardListHeader, 'ipv4Entries' | 'ipv6Entries'>; ranges: TaggedRange[] };

const { values } = parseArgs({
  options: {
    vpn: { type: 'string' },
    tor: { type: 'string' },
    'tor-date': { type: 'string' },
    relay: { type: 'string' },
    'relay-date': { type: 'string' },
    until: { type: 'string', default: '9999-12-31' },
    output: { type: 'string', default: ONBOARD_LISTS_FILE },
    grades: { type: 'string' },
  },
});
const table = await loadAsnTable();
const days = readdirSync(values.vpn!)
  .filter((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && day <= values.until)
  .sort();
const published = Object.keys(PROVIDERS).map((file) => ({ file, list: unionOf(file) }));
writeGrades(table);
writeLists([
  vpnList(table),
  singleList('onboard-tor', 'tor', values['tor-date']!, parseTorExits(readText(values.tor!)), {
    provider: '',
    source: 'https://github.com/alireza-rezaee/tor-nodes',
    licence: 'MIT, Alireza-Rezaee',
  }),
  singleList('onboard-relay', 'relay', values['relay-date']!, parseRangeLines(readText(values.relay!)), {
    provider: 'iCloud Private Relay',
    source: 'https://github.com/hroost/icloud-private-relay-iplist',
    licence: 'MIT, hroost',
  }),
]);

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

/** Every address that a provider published on any of the days: some publish a random part of their servers each day. */
function unionOf(file: string): PublishedList {
  const texts = days.map((day) => {
    try {
      return readText(path.join(values.vpn!, day, `${file}.txt`));
    } catch {
      return '';
    }
  });
  const list = parseRangeLines(texts.join('\n'));
  if (list.badLines.count > 0)
    throw new Error(`${file}: line ${list.badLines.examples[0]?.line} cannot be read`);
  return { ...list, entries: mergeEntries([list]).entries };
}

function vpnList(asns: AsnTable): Built {
  const tags = published.flatMap(({ file }) => [
    { provider: PROVIDERS[file]!, confidence: null },
    { provider: PROVIDERS[file]!, confidence: BLOCK_CONFIDENCE },
  ]);
  const isHosting = (index: number) =>
    classifyAsn(asns.numberAt(index), asns.nameAt(index)).classes.includes('hosting');
  const ranges = published.flatMap(({ list }, index) => {
    const blocks = denseBlocks(list.entries, (value) => {
      const found = asns.indexOf(ipOfValue(4, value));
      return found >= 0 && isHosting(found);
    });
    return [
      ...list.entries.map(({ range }): TaggedRange => ({ ...range, tag: index * 2 })),
      ...blocks.map((range): TaggedRange => ({ ...range, tag: index * 2 + 1 })),
    ];
  });
  return {
    header: {
      name: 'onboard-vpn',
      kind: 'vpn',
      asOf: days.at(-1)!,
      source: VPN_SOURCE,
      licence: VPN_LICENCE,
      tags,
    },
    ranges,
  };
}

function singleList(
  name: string,
  kind: 'tor' | 'relay',
  asOf: string,
  list: PublishedList,
  { provider, source, licence }: { provider: string; source: string; licence: string },
): Built {
  return {
    header: { name, kind, asOf, source, licence, tags: [{ provider, confidence: null }] },
    ranges: mergeEntries([list]).entries.map(({ range }): TaggedRange => ({ ...range, tag: 0 })),
  };
}

function writeLists(built: readonly Built[]): void {
  const tables = built.map(({ ranges }) => buildRangeTable(ranges));
  const header: OnboardHeader = {
    format: 'vouchgraph-network-lists',
    formatVersion: ONBOARD_FORMAT_VERSION,
    lists: built.map(({ header: list }, index) => ({
      ...list,
      ipv4Entries: tables[index]!.starts4.length,
      ipv6Entries: tables[index]!.starts6.length / 4,
    })),
  };
  const body = zstdCompressSync(encodeTables(tables), {
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
  writeFileSync(values.output, bytes);
  for (const [index, { header: list, ranges }] of built.entries())
    process.stdout.write(
      `${list.name}: ${list.asOf}, ${ranges.length} ranges, ${tables[index]!.starts4.length} parts\n`,
    );
  process.stdout.write(`${bytes.length} bytes\n`);
}

function writeGrades(asns: AsnTable): void {
  const systems = rentedSystems(
    asns,
    published.map(({ list }) => list.entries.map(({ range }) => range)),
  )
    .flatMap((system) => gradeSystem(system) ?? [])
    .sort((a, b) => a.asn - b.asn);
  const graded: VpnHostingTable = { asOf: days.at(-1)!, source: VPN_SOURCE, licence: VPN_LICENCE, systems };
  writeFileSync(values.grades ?? VPN_HOSTING_FILE, `${JSON.stringify(graded, null, 2)}\n`);
  process.stdout.write(`${systems.length} graded systems\n`);
}
