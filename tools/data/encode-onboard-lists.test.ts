import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { loadOnboardLists } from '@vouchgraph/signals/internals/data/onboard-lists';
import {
  ONBOARD_FORMAT_VERSION,
  type OnboardHeader,
} from '@vouchgraph/signals/internals/data/onboard-lists-format';
import { buildRangeTable } from '@vouchgraph/signals/internals/feeds/range-set';
import { expect, test } from 'vitest';
import { encodeTables } from './encode-onboard-lists.ts';

test('written lists are read back, IPv4 and IPv6, each address with its tag', async () => {
  const ranges = ['8.8.4.0/24', '8.8.4.7', '2001:500:2::c', '255.255.255.255', 'ffff::/16'].map(
    (text, tag) => ({
      ...parseRange(text)!,
      tag: tag % 2,
    }),
  );
  const table = buildRangeTable(ranges);
  const header: OnboardHeader = {
    format: 'vouchgraph-network-lists',
    formatVersion: ONBOARD_FORMAT_VERSION,
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
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-onboard-'));
  const file = path.join(folder, 'lists.bin');
  const body = zstdCompressSync(encodeTables([table]));
  await writeFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
  const [list] = await loadOnboardLists(file);
  const match = (ip: string) => list!.match(parseIp(ip)!, ip, null);
  expect(match('8.8.4.1')).toMatchObject({ provider: 'A', confidence: 0.95, asOf: '2026-08-22' });
  expect(match('8.8.4.7')).toMatchObject({ provider: 'B', confidence: 0.7 });
  expect(match('2001:500:2::c')).toMatchObject({ provider: 'A' });
  expect(match('2001:500:2::d')).toBeNull();
  expect(match('255.255.255.255')).toMatchObject({ provider: 'B' });
  expect(match('ffff:ffff::')).toMatchObject({ provider: 'A' });
  await rm(folder, { recursive: true });
});
