import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { expect, test } from 'vitest';
import type { FeedContent } from '../feed-content.ts';
import { parseAsnList } from './asn.ts';
import { parseCidrList } from './cidr.ts';
import { parseCsv } from './csv.ts';
import { parseGeofeed } from './geofeed.ts';
import { parseTorExitAddresses } from './tor.ts';

function expectRanges({ ranges }: FeedContent, texts: readonly string[]): void {
  expect(ranges.map(({ range }) => range)).toEqual(texts.map(parseRange));
}

test('a list of ranges can contain comments, empty lines, addresses, CIDR ranges and ranges from one address to another', () => {
  const content = parseCidrList(`\uFEFF# exits, 2026-11-20
; another comment

192.0.2.1
198.51.100.0/24 ; SBL12345
203.0.113.5 - 203.0.113.9   # a pool
2001:db8::/32
not an address
192.0.2.0/99
`);
  expectRanges(content, ['192.0.2.1', '198.51.100.0/24', '203.0.113.5-203.0.113.9', '2001:db8::/32']);
  expect(content.badLines).toEqual({
    count: 2,
    examples: [
      { line: 8, text: 'not an address' },
      { line: 9, text: '192.0.2.0/99' },
    ],
  });
});

test('ranges larger than any network are invalid lines, so that an error cannot list the whole internet', () => {
  const content = parseCidrList(
    '0.0.0.0/0\n::/0\n0.0.0.0-255.255.255.255\n192.0.0.0/7\n2000::/15\n10.0.0.0/8\n2a00::/16\n',
  );
  expectRanges(content, ['10.0.0.0/8', '2a00::/16']);
  expect(content.badLines.count).toBe(5);
});

test('lines may end with CRLF, also after comments', () => {
  const content = parseCidrList('# list\r\n192.0.2.1 # one\r\n\r\n192.0.2.2\r\n');
  expectRanges(content, ['192.0.2.1', '192.0.2.2']);
  expect(content.badLines.count).toBe(0);
});

test('all invalid lines are counted, and the first five are kept and shortened', () => {
  const { badLines } = parseCidrList(`${'x'.repeat(500)}\n`.repeat(20));
  expect(badLines.count).toBe(20);
  expect(badLines.examples.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  expect(badLines.examples[0]!.text).toHaveLength(60);
});

test('a table is read by the names of its columns, quoted or not', () => {
  const content = parseCsv(
    [
      '\uFEFF"network",note,"provider"',
      '192.0.2.0/24,plain,Example VPN\r',
      '"198.51.100.7","with, a comma","The ""Best"" VPN"',
      '2001:db8::/48,,',
      '',
      'unknown,x,y',
      '192.0.2.1',
    ].join('\n'),
    { column: 'network', providerColumn: 'provider' },
  );
  expectRanges(content, ['192.0.2.0/24', '198.51.100.7', '2001:db8::/48', '192.0.2.1']);
  expect(content.ranges.map(({ tag }) => tag.provider)).toEqual(['Example VPN', 'The "Best" VPN', '', '']);
  expect(content.badLines).toEqual({ count: 1, examples: [{ line: 6, text: 'unknown,x,y' }] });
});

test('a table without the named column is rejected', () => {
  const table = 'ip,owner\n192.0.2.1,me\n';
  expect(() => parseCsv(table, { column: 'network' })).toThrow('no column "network"');
  expect(() => parseCsv(table, { column: 'ip', providerColumn: 'provider' })).toThrow('no column "provider"');
  expect(() => parseCsv('', { column: 'ip' })).toThrow('no column "ip"');
});

test('a geofeed locates its ranges with the fields that it contains', () => {
  const content = parseGeofeed(`# prefix,country,region,city,postal
172.224.226.0/27,GB,GB-EN,London,
2a02:26f7:b3c0:4000::/64,de,DE-BE,"Berlin",10115
192.0.2.0/24,,,,
198.51.100.0/24,XX,,Nowhere,
nonsense,US,US-TX,Dallas,
`);
  expectRanges(content, ['172.224.226.0/27', '2a02:26f7:b3c0:4000::/64', '192.0.2.0/24', '198.51.100.0/24']);
  expect(content.ranges.map(({ tag }) => tag.location)).toEqual([
    { countryCode: 'GB', continent: 'EU', city: 'London' },
    { countryCode: 'DE', continent: 'EU', city: 'Berlin', zipCode: '10115' },
    null,
    null,
  ]);
  expect(content.badLines).toMatchObject({ count: 2, examples: [{ line: 5 }, { line: 6 }] });
});

test('only the exit addresses of a Tor list are read', () => {
  const content = parseTorExitAddresses(`ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E
Published 2026-11-20 03:12:08
LastStatus 2026-11-20 14:00:00
ExitAddress 162.247.74.201 2026-11-20 14:12:08
ExitNode 0098C475875ABC4AA864738B1D1079F711C38287
Published 2026-11-20 13:59:24
ExitAddress 2001:db8::7 2026-11-20 15:03:44
ExitAddress nowhere 2026-11-20 15:03:44
`);
  expectRanges(content, ['162.247.74.201', '2001:db8::7']);
  expect(content.badLines).toMatchObject({ count: 1, examples: [{ line: 8 }] });
});

test('a list of networks may contain the prefix AS and names in comments', () => {
  const content = parseAsnList(`# VPN companies
AS9009 # M247 Europe
as212238
64500\r
; no comment of a network
AS0
AS4294967296
AS12 34
`);
  expect(content.asns.map(({ asn, tag }) => [asn, tag.provider])).toEqual([
    [9009, 'M247 Europe'],
    [212238, ''],
    [64500, ''],
  ]);
  expect(content.badLines.examples.map(({ line }) => line)).toEqual([6, 7, 8]);
});

test('an empty list has no entries and no error', () => {
  for (const parse of [parseCidrList, parseGeofeed, parseTorExitAddresses, parseAsnList]) {
    expect(parse('\n# nothing\n')).toMatchObject({ ranges: [], asns: [], badLines: { count: 0 } });
  }
});
