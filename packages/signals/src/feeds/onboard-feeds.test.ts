import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { expect, test } from 'vitest';
import { type Feed, readFeed } from './feed.ts';
import type { FeedManifest } from './feed-manifest.ts';
import { onboardBeside } from './onboard-feeds.ts';

const ONBOARD = [
  feed({ name: 'onboard-vpn', kind: 'vpn' }, '8.8.4.1,NordVPN\n8.8.4.2,Mullvad\n'),
  feed({ name: 'onboard-tor', kind: 'tor' }, '8.8.4.3,\n'),
  feed({ name: 'onboard-relay', kind: 'relay' }, '8.8.4.4,iCloud Private Relay\n'),
];

function feed(changes: Partial<FeedManifest> & Pick<FeedManifest, 'name' | 'kind'>, rows: string): Feed {
  const manifest: FeedManifest = {
    format: 'csv',
    path: 'x',
    column: 'range',
    provider_column: 'provider',
    as_of: '2026-08-22',
    ...changes,
  };
  return readFeed(manifest, Buffer.from(`range,provider\n${rows}`));
}

/** Which of the four addresses the built-in lists still contain. */
function named(mounted: readonly Feed[]): string[] {
  const lists = onboardBeside(ONBOARD, mounted);
  const all = ['8.8.4.1', '8.8.4.2', '8.8.4.3', '8.8.4.4'];
  return all.filter((ip) => lists.some((list) => list.match(parseIp(ip)!, ip, null)));
}

test('without feeds of the operator all bundled lists are used', () => {
  expect(named([])).toEqual(['8.8.4.1', '8.8.4.2', '8.8.4.3', '8.8.4.4']);
});

test.each<[string, Parameters<typeof feed>[0], string[]]>([
  [
    'a newer list of exits',
    { name: 'exits', kind: 'tor', as_of: '2026-11-01' },
    ['8.8.4.1', '8.8.4.2', '8.8.4.4'],
  ],
  [
    'a list of exits without a date',
    { name: 'exits', kind: 'tor', as_of: null },
    ['8.8.4.1', '8.8.4.2', '8.8.4.4'],
  ],
  [
    'an older list of exits',
    { name: 'exits', kind: 'tor', as_of: '2026-08-21' },
    ['8.8.4.1', '8.8.4.2', '8.8.4.3', '8.8.4.4'],
  ],
  [
    'a newer list of NordVPN',
    { name: 'nord', kind: 'vpn', provider: 'NordVPN', as_of: '2026-11-01' },
    ['8.8.4.2', '8.8.4.3', '8.8.4.4'],
  ],
  [
    'a newer list of VPNs in general',
    { name: 'x4b', kind: 'vpn', as_of: '2026-11-01' },
    ['8.8.4.1', '8.8.4.2', '8.8.4.3', '8.8.4.4'],
  ],
  [
    'a newer list of relays',
    { name: 'relays', kind: 'relay', as_of: '2026-11-01' },
    ['8.8.4.1', '8.8.4.2', '8.8.4.3'],
  ],
  [
    'a newer list of another relay',
    { name: 'warp', kind: 'relay', provider: 'WARP', as_of: '2026-11-01' },
    ['8.8.4.1', '8.8.4.2', '8.8.4.3', '8.8.4.4'],
  ],
])('%s replaces the covered entries of the bundled lists', (_what, manifest, left) => {
  expect(named([feed(manifest, '9.9.9.9,\n')])).toEqual(left);
});
