import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { expect, test } from 'vitest';
import { buildRangeTable } from '../feeds/range-set.ts';
import { loadOnboardLists } from './onboard-lists.ts';
import { encodeTables, ONBOARD_FORMAT_VERSION, type OnboardHeader } from './onboard-lists-format.ts';

async function written(header: Partial<OnboardHeader>, body: Uint8Array): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-onboard-'));
  const file = path.join(folder, 'lists.bin');
  const full = {
    format: 'vouchgraph-network-lists',
    formatVersion: ONBOARD_FORMAT_VERSION,
    lists: [],
    ...header,
  };
  await writeFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(full)}\n`), zstdCompressSync(body)]));
  return file;
}

test('written lists are read back, IPv4 and IPv6, each address with its tag', async () => {
  const ranges = ['8.8.4.0/24', '8.8.4.7', '2001:500:2::c', '255.255.255.255', 'ffff::/16'].map(
    (text, tag) => ({
      ...parseRange(text)!,
      tag: tag % 2,
    }),
  );
  const table = buildRangeTable(ranges);
  const file = await written(
    {
      lists: [
        {
          name: 'onboard-vpn',
          kind: 'vpn',
          asOf: '2026-08-22',
          source: 'here',
          licence: 'CC0 1.0',
          tags: [
            { provider: 'A', confidence: null },
            { provider: 'B', confidence: 0.7 },
          ],
          ipv4Entries: table.starts4.length,
          ipv6Entries: table.starts6.length / 4,
        },
      ],
    },
    encodeTables([table]),
  );
  const [list] = await loadOnboardLists(file);
  const match = (ip: string) => list!.match(parseIp(ip)!, ip, null);
  expect(match('8.8.4.1')).toMatchObject({ provider: 'A', confidence: 0.95, asOf: '2026-08-22' });
  expect(match('8.8.4.7')).toMatchObject({ provider: 'B', confidence: 0.7 });
  expect(match('2001:500:2::c')).toMatchObject({ provider: 'A' });
  expect(match('2001:500:2::d')).toBeNull();
  expect(match('255.255.255.255')).toMatchObject({ provider: 'B' });
  expect(match('ffff:ffff::')).toMatchObject({ provider: 'A' });
  await rm(path.dirname(file), { recursive: true });
});

test('a file of another version and a truncated one are rejected', async () => {
  const other = await written({ formatVersion: 99 }, new Uint8Array());
  await expect(loadOnboardLists(other)).rejects.toThrow('format version 99');
  const lists = [
    {
      name: 'x',
      kind: 'vpn' as const,
      asOf: '',
      source: '',
      licence: '',
      tags: [],
      ipv4Entries: 9,
      ipv6Entries: 0,
    },
  ];
  await expect(loadOnboardLists(await written({ lists }, new Uint8Array()))).rejects.toThrow(
    'ends too early',
  );
});

test('the bundled lists have a date, a source and a license that allows commercial use', async () => {
  const lists = await loadOnboardLists();
  expect(lists.map(({ manifest }) => manifest.name)).toEqual(['onboard-vpn', 'onboard-tor', 'onboard-relay']);
  for (const { manifest, entries, asOf } of lists) {
    expect(manifest.licence).toMatch(/^(CC0|MIT)/);
    expect(manifest.source).toMatch(/^https:/);
    expect(asOf).toMatch(/^2026-/);
    expect(entries.ipv4).toBeGreaterThan(500);
  }
});
