import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadOnboardLists } from './onboard-lists.ts';
import { ONBOARD_FORMAT_VERSION, type OnboardHeader } from './onboard-lists-format.ts';

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
