import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { expect, test } from 'vitest';
import { type Feed, readFeed } from './feed.ts';
import { parseManifest } from './feed-manifest.ts';
import type { FeedKind } from './feed-match.ts';
import { matchFeeds } from './feed-set.ts';

function feedOf(kind: FeedKind, data: string, format = 'cidr'): Feed {
  const manifest = parseManifest(JSON.stringify({ name: kind, kind, format, path: 'data' }));
  return readFeed(manifest, Buffer.from(data));
}

function kindsOf(feeds: readonly Feed[], ip: string, asn: number | null = null): string[] {
  return matchFeeds(feeds, parseIp(ip)!, ip, asn).map(({ kind }) => kind);
}

const RELAY = feedOf(
  'relay',
  '172.224.226.0/27,GB,GB-EN,London,\n2a02:26f7:b3c0::/48,DE,,Berlin,\n',
  'geofeed',
);

test('addresses of a relay list are removed from lists of VPNs and proxies only', () => {
  const everywhere = '172.0.0.0/8\n2a02::/16\n';
  const feeds = [
    feedOf('datacenter', everywhere),
    feedOf('proxy', everywhere),
    RELAY,
    feedOf('tor', everywhere),
    feedOf('vpn', everywhere),
  ];
  expect(kindsOf(feeds, '172.224.226.5')).toEqual(['datacenter', 'relay', 'tor']);
  expect(kindsOf(feeds, '2a02:26f7:b3c0::9')).toEqual(['datacenter', 'relay', 'tor']);
  expect(kindsOf(feeds, '172.224.226.32')).toEqual(['datacenter', 'proxy', 'tor', 'vpn']);
});

test('an allow list suppresses evidence against an address and keeps its location and kind', () => {
  const whole = '192.0.2.0/24\n';
  const against = ['vpn', 'tor', 'proxy', 'relay', 'datacenter', 'fraud'] as const;
  const feeds = [
    feedOf('allow', '192.0.2.0/25\n'),
    ...against.map((kind) => feedOf(kind, whole)),
    feedOf('satellite', whole),
    feedOf('cellular', whole),
    feedOf('location', '192.0.2.0/24,FR,,Paris,\n', 'geofeed'),
  ];
  const found = matchFeeds(feeds, parseIp('192.0.2.1')!, '192.0.2.1', null);
  expect(found.map(({ kind }) => kind)).toEqual(['allow', 'satellite', 'cellular', 'location']);
  expect(found.at(-1)?.location).toMatchObject({ countryCode: 'FR', city: 'Paris' });
  expect(kindsOf(feeds, '192.0.2.128')).toContain('fraud');
});

test('a list of networks covers every address of its networks, and none of unknown networks', () => {
  const feeds = [feedOf('vpn', 'AS9009 # M247\n', 'asn')];
  expect(matchFeeds(feeds, parseIp('192.0.2.1')!, '192.0.2.1', 9009)).toMatchObject([{ provider: 'M247' }]);
  expect(kindsOf(feeds, '192.0.2.1', 64500)).toEqual([]);
  expect(kindsOf(feeds, '192.0.2.1')).toEqual([]);
});

test('in overlapping ranges of one list the smallest range applies', () => {
  const table = 'ip,who\n10.0.0.0/8,large\n10.1.0.0/16,small\n';
  const manifest = {
    name: 'vpns',
    kind: 'vpn',
    format: 'csv',
    path: 'x',
    column: 'ip',
    provider_column: 'who',
  };
  const feeds = [readFeed(parseManifest(JSON.stringify(manifest)), Buffer.from(table))];
  const providerOf = (ip: string) => matchFeeds(feeds, parseIp(ip)!, ip, null)[0]?.provider;
  expect(['10.0.255.255', '10.1.0.0', '10.1.255.255', '10.2.0.0', '11.0.0.0'].map(providerOf)).toEqual([
    'large',
    'small',
    'small',
    'large',
    undefined,
  ]);
});

test('no lists contain no address', () => {
  expect(kindsOf([], '192.0.2.1')).toEqual([]);
  expect(kindsOf([RELAY], '192.0.2.1')).toEqual([]);
});
