import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { expect, test } from 'vitest';
import type { FeedContent } from '../feed-content.ts';
import { parseAws, parseAzure, parseGcp } from './clouds.ts';
import { parseOnionoo } from './tor.ts';

function expectEntries({ ranges }: FeedContent, entries: readonly (readonly [string, string])[]): void {
  expect(ranges.map(({ range, tag }) => [range, tag.provider])).toEqual(
    entries.map(([text, provider]) => [parseRange(text), provider]),
  );
}

test('ip-ranges.json of Amazon is read in both versions, with the service', () => {
  const content = parseAws(
    JSON.stringify({
      syncToken: '1763650000',
      createDate: '2026-11-20-14-00-00',
      prefixes: [
        { ip_prefix: '3.5.140.0/22', region: 'ap-northeast-2', service: 'AMAZON', network_border_group: 'x' },
        { ip_prefix: '52.95.110.0/24', region: 'us-east-1', service: 'EC2' },
        { ip_prefix: 'nonsense', service: 'EC2' },
        { region: 'eu-west-1' },
      ],
      ipv6_prefixes: [{ ipv6_prefix: '2600:1f14::/35', region: 'us-west-2', service: 'EC2' }],
    }),
  );
  expectEntries(content, [
    ['3.5.140.0/22', 'AWS AMAZON'],
    ['52.95.110.0/24', 'AWS EC2'],
    ['2600:1f14::/35', 'AWS EC2'],
  ]);
  expect(content.badLines.count).toBe(2);
});

test('cloud.json and goog.json of Google are read', () => {
  const content = parseGcp(
    JSON.stringify({
      syncToken: '1763650000000',
      creationTime: '2026-11-20T06:00:00',
      prefixes: [
        { ipv4Prefix: '34.1.208.0/20', service: 'Google Cloud', scope: 'africa-south1' },
        { ipv6Prefix: '2600:1900:4000::/44', service: 'Google Cloud', scope: 'us-central1' },
        { ipv4Prefix: '8.8.4.0/24' },
        { scope: 'global' },
      ],
    }),
  );
  expectEntries(content, [
    ['34.1.208.0/20', 'Google Cloud'],
    ['2600:1900:4000::/44', 'Google Cloud'],
    ['8.8.4.0/24', 'Google'],
  ]);
  expect(content.badLines.count).toBe(1);
});

test('the ServiceTags file of Microsoft is read by tag', () => {
  const content = parseAzure(
    JSON.stringify({
      changeNumber: 370,
      cloud: 'Public',
      values: [
        {
          name: 'AzureCloud.westeurope',
          id: 'AzureCloud.westeurope',
          properties: { region: 'westeurope', addressPrefixes: ['13.69.0.0/17', '2603:1020:200::/46', 7] },
        },
        { name: 'Empty', properties: { addressPrefixes: null } },
        { name: 'Bare', properties: null },
        null,
      ],
    }),
  );
  expectEntries(content, [
    ['13.69.0.0/17', 'Azure AzureCloud.westeurope'],
    ['2603:1020:200::/46', 'Azure AzureCloud.westeurope'],
  ]);
  expect(content.badLines).toEqual({ count: 1, examples: [{ line: 3, text: '7' }] });
});

test('only exits of Onionoo relays count, by their exit address or else by their OR address', () => {
  const content = parseOnionoo(
    JSON.stringify({
      version: '8.0',
      relays_published: '2026-11-20 14:00:00',
      relays: [
        { nickname: 'guard', or_addresses: ['192.0.2.1:9001'], flags: ['Guard', 'Running'] },
        { nickname: 'exit', or_addresses: ['192.0.2.2:443', '[2001:db8::2]:443'], flags: ['Exit', 'Fast'] },
        {
          nickname: 'other',
          or_addresses: ['192.0.2.3:443'],
          exit_addresses: ['192.0.2.4'],
          flags: ['Exit'],
        },
        { nickname: 'broken', exit_addresses: ['x', 5], flags: 'Exit' },
        null,
      ],
      bridges: [],
    }),
  );
  expectEntries(content, [
    ['192.0.2.2', ''],
    ['2001:db8::2', ''],
    ['192.0.2.4', ''],
  ]);
  expect(content.badLines).toEqual({ count: 1, examples: [{ line: 4, text: 'x' }] });
});

test.each([
  ['aws', parseAws],
  ['gcp', parseGcp],
  ['azure', parseAzure],
  ['onionoo', parseOnionoo],
])('%s rejects other documents in one line', (_name, parse) => {
  for (const text of ['', '<html></html>', 'null', '"text"', '[]', '{}', '{"prefixes":{}}']) {
    expect(() => parse(text)).toThrow(/^the file (is not|has no)/);
  }
});
