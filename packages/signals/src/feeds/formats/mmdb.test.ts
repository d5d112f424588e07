import { expect, test } from 'vitest';
import { makeMmdb, type TestDatabase } from '../../../../../test/support/signals/mmdb.ts';
import type { FeedKind } from '../feed-match.ts';
import { openMmdb } from './mmdb.ts';

function open(kind: FeedKind, databaseType: string, records: TestDatabase['records'], ipVersion: 4 | 6 = 6) {
  return openMmdb(makeMmdb({ databaseType, ipVersion, records }), kind);
}

const ANONYMOUS = {
  '192.0.2.0/24': { is_anonymous: true, is_anonymous_vpn: true, is_hosting_provider: true },
  '198.51.100.1': { is_anonymous: true, is_tor_exit_node: true },
  '203.0.113.0/25': { is_anonymous: true, is_public_proxy: true },
  '2001:db8:1::/48': { is_anonymous: true, is_residential_proxy: true },
};

test.each([
  ['vpn', ['192.0.2.7']],
  ['tor', ['198.51.100.1']],
  ['proxy', ['203.0.113.5', '2001:db8:1::5']],
  ['datacenter', ['192.0.2.7']],
] as const)('Anonymous-IP as a list of %s addresses contains only those', (kind, listed) => {
  const database = open(kind, 'GeoIP2-Anonymous-IP', ANONYMOUS);
  const all = ['192.0.2.7', '198.51.100.1', '203.0.113.5', '2001:db8:1::5', '198.51.100.2', '2001:db8:2::1'];
  expect(all.filter((ip) => database.tagOf(ip) !== null)).toEqual(listed);
  expect(database.tagOf(listed[0])).toEqual({ provider: '', confidence: null, location: null });
  expect(database).toMatchObject({ builtOn: '2026-11-01', nodes: expect.any(Number) });
  expect(database.nodes).toBeGreaterThan(128);
});

test('Anonymous-Plus contains the provider and a confidence of at most 1', () => {
  const record = (anonymizer_confidence: number) => ({
    is_anonymous_vpn: true,
    provider_name: 'ExampleVPN',
    anonymizer_confidence,
  });
  const database = open('vpn', 'GeoIP-Anonymous-Plus', {
    '192.0.2.1': record(30),
    '192.0.2.2': record(250),
    '192.0.2.3': record(0),
  });
  expect(database.tagOf('192.0.2.1')).toEqual({ provider: 'ExampleVPN', confidence: 0.3, location: null });
  expect(database.tagOf('192.0.2.2')?.confidence).toBe(1);
  expect(database.tagOf('192.0.2.3')?.confidence).toBe(0);
});

test('Connection-Type identifies cellular and satellite networks', () => {
  const records = {
    '192.0.2.0/24': { connection_type: 'Cellular' },
    '198.51.100.0/24': { connection_type: 'Satellite' },
    '203.0.113.0/24': { connection_type: 'Cable/DSL' },
  };
  const ips = ['192.0.2.1', '198.51.100.1', '203.0.113.1'];
  const cellular = open('cellular', 'GeoIP2-Connection-Type', records);
  const satellite = open('satellite', 'GeoIP2-Connection-Type', records);
  expect(ips.map((ip) => cellular.tagOf(ip) !== null)).toEqual([true, false, false]);
  expect(ips.map((ip) => satellite.tagOf(ip) !== null)).toEqual([false, true, false]);
});

test('a city database locates addresses with postal code and time zone', () => {
  const database = open('location', 'GeoIP2-City', {
    '192.0.2.0/24': {
      city: { names: { en: 'Fort Worth', de: 'Fort Worth' } },
      continent: { code: 'NA' },
      country: { iso_code: 'US' },
      location: { latitude: 32.75, longitude: -97.33, time_zone: 'America/Chicago' },
      postal: { code: '76102' },
      subdivisions: [{ iso_code: 'TX', names: { en: 'Texas' } }],
    },
    '198.51.100.0/24': { country: { iso_code: 'FR' }, location: { latitude: 200, longitude: 2 } },
    '203.0.113.0/24': { country: { iso_code: 'XX' } },
  });
  expect(database.tagOf('192.0.2.1')?.location).toEqual({
    continent: 'NA',
    countryCode: 'US',
    state: 'Texas',
    city: 'Fort Worth',
    zipCode: '76102',
    timezone: 'America/Chicago',
    latitude: 32.75,
    longitude: -97.33,
  });
  expect(database.tagOf('198.51.100.1')?.location).toEqual({ countryCode: 'FR', continent: 'EU' });
  expect(database.tagOf('203.0.113.1')).toBeNull();
});

test('an IPv4 database has no data on an IPv6 address with the same leading bits', () => {
  const database = open('vpn', 'GeoIP2-Anonymous-IP', { '38.6.71.0/24': { is_anonymous_vpn: true } }, 4);
  expect(database.tagOf('38.6.71.9')).not.toBeNull();
  // 2606:4700 are the bytes 38, 6, 71 and 0.
  expect(database.tagOf('2606:4700::1')).toBeNull();
});

test.each([
  ['vpn', 'GeoIP2-City'],
  ['location', 'GeoIP2-Anonymous-IP'],
  ['cellular', 'GeoLite2-ASN'],
  ['fraud', 'GeoIP2-Anonymous-IP'],
  ['relay', 'GeoIP2-Anonymous-IP'],
  ['allow', 'GeoIP2-City'],
] as const)('as a list of %s addresses, %s is rejected, since it has no such data', (kind, databaseType) => {
  expect(() => open(kind, databaseType, { '192.0.2.0/24': {} })).toThrow(`has no data on ${kind} addresses`);
});

test('a file that is not a database is rejected', () => {
  const whole = makeMmdb({ databaseType: 'GeoIP2-Anonymous-IP', ipVersion: 6, records: ANONYMOUS });
  for (const file of [Buffer.alloc(0), Buffer.from('192.0.2.1\n'), whole.subarray(0, whole.length / 2)]) {
    expect(() => openMmdb(file, 'vpn')).toThrow('the file is not a MaxMind database');
  }
});
