import { zstdCompressSync } from 'node:zlib';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { parseAsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import {
  type AsnTableHeader,
  decodeBody,
  FORMAT_VERSION,
} from '@vouchgraph/signals/internals/data/asn-table-format';
import { expect, test } from 'vitest';
import { type AsnRange, buildBody, encodeBody } from './asn-ranges.ts';

const IPV4: AsnRange[] = [
  { start: 0x01000000n, end: 0x010000ffn, number: 13335, name: 'Cloudflare, Inc.' },
  { start: 0x01000100n, end: 0x010001ffn, number: 13335, name: 'Cloudflare, Inc.' },
  { start: 0x01000300n, end: 0x010005ffn, number: 7, name: 'AS7 - Süd "Netz"' },
  { start: 0x01000500n, end: 0x010006ffn, number: 8, name: 'Inner' },
  { start: 0xffffff00n, end: 0xffffffffn, number: 8, name: 'Inner' },
];
const IPV6: AsnRange[] = [
  { start: 0x20010db8n << 96n, end: (0x20010db9n << 96n) - 1n, number: 70000, name: 'Documentation' },
  { start: (0x20010dbbn << 96n) + 1n, end: (0x20010dbbn << 96n) + 1n, number: 8, name: 'Inner' },
];

function headerOf(body: ReturnType<typeof buildBody>, formatVersion = FORMAT_VERSION): AsnTableHeader {
  return {
    format: 'vouchgraph-asn-table',
    formatVersion,
    source: 'test',
    sourceVersion: '1',
    dataDate: '2026-01-01',
    licence: '',
    attribution: '',
    systems: body.numbers.length,
    ipv4Entries: body.ipv4.owners.length,
    ipv6Entries: body.ipv6.owners.length,
  };
}

function fileOf(header: AsnTableHeader, body: ReturnType<typeof buildBody>): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), zstdCompressSync(encodeBody(body))]);
}

const body = buildBody(IPV4, IPV6);
const table = parseAsnTable(fileOf(headerOf(body), body));

test.each([
  ['0.255.255.255', null],
  ['1.0.0.0', 'AS13335 Cloudflare, Inc.'],
  ['1.0.1.255', 'AS13335 Cloudflare, Inc.'],
  ['1.0.2.0', null],
  ['1.0.4.255', 'AS7 Süd "Netz"'],
  ['1.0.5.0', 'AS8 Inner'],
  ['1.0.6.255', 'AS8 Inner'],
  ['1.0.7.0', null],
  ['255.255.255.255', 'AS8 Inner'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['2001:db8::', 'AS70000 Documentation'],
  ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'AS70000 Documentation'],
  ['2001:db9::', null],
  ['2001:dbb::', null],
  ['2001:dbb::1', 'AS8 Inner'],
  ['2001:dbb::2', null],
])('%s belongs to %s', (ip, owner) => {
  const index = table.indexOf(parseIp(ip)!);
  expect(index < 0 ? null : `AS${table.numberAt(index)} ${table.nameAt(index)}`).toBe(owner);
});

test('adjacent ranges of one system become one entry', () => {
  expect(body.ipv4.owners.length).toBe(7);
});

test('written data is read back, and equal data produces equal bytes', () => {
  const read = decodeBody(encodeBody(body), headerOf(body));
  expect({ ...read, names: Buffer.from(read.names) }).toEqual({ ...body, names: Buffer.from(body.names) });
  expect(encodeBody(buildBody(IPV4, IPV6))).toEqual(encodeBody(body));
});

test('a file of another format version and a truncated one are rejected', () => {
  expect(() => parseAsnTable(fileOf(headerOf(body, FORMAT_VERSION + 1), body))).toThrow(/format version/);
  expect(() => decodeBody(encodeBody(body).subarray(0, 10), headerOf(body))).toThrow(RangeError);
});
