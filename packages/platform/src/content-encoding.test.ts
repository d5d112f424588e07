import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeContent, negotiateEncoding } from './content-encoding.ts';

describe('the encoding of a response', () => {
  it.each([
    ['', null],
    ['identity', null],
    ['deflate, zstd', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br; q=0.5 , gzip; q=0.25', 'br'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0.0', null],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip, identity;q=0.5', 'gzip'],
    ['gzip, identity;q=0', 'gzip'],
    ['gzip;q=2', null],
    ['gzip;q=high', null],
    [',,gzip', 'gzip'],
  ] as const)('of "%s" is %s', (header, expected) => {
    expect(negotiateEncoding(header)).toBe(expected);
  });
});

describe('encoded content', () => {
  const textOf = (rows: number) =>
    `{"rows":[${Array.from({ length: rows }, (_, n) => `{"name":"Zoë ${n}"}`).join()}]}`;
  it.each([
    ['fast', 500],
    ['fast', 5000],
    ['small', 500],
  ] as const)('is smaller and decodes to the same bytes (%s, %d rows)', async (effort, rows) => {
    const text = textOf(rows);
    const [br, gzip] = await Promise.all([
      encodeContent(text, 'br', effort),
      encodeContent(Buffer.from(text), 'gzip', effort),
    ]);
    expect(brotliDecompressSync(br).toString()).toBe(text);
    expect(gunzipSync(gzip).toString()).toBe(text);
    expect(Math.max(br.length, gzip.length)).toBeLessThan(Buffer.byteLength(text) / 3);
  });
});
