import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFeedFolder } from '../feed-folder.ts';
import { buildFeed, type FeedBuild } from './build-feed.ts';
import { BUILD_FORMAT_NAMES, BUILD_FORMATS, type BuildFormatName } from './build-formats.ts';
import { createListCollector, MAX_ENTRIES } from './published-list.ts';

const NOW = new Date('2026-11-23T12:00:00.000Z');
let base = '';
let folder = '';

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'vouchgraph-feed-build-'));
  folder = path.join(base, 'feeds');
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function build(
  format: BuildFormatName,
  content: string | readonly string[],
  changes: Partial<FeedBuild> = {},
) {
  const files = await Promise.all(
    [content].flat().map(async (text, index) => {
      const file = path.join(base, `list-${index}.txt`);
      await writeFile(file, text);
      return file;
    }),
  );
  return buildFeed(folder, { format, files, ...changes }, NOW);
}

async function matchesOf(ip: string) {
  const opened = await openFeedFolder(folder);
  return opened.feeds().flatMap(({ feed }) => feed?.match(parseIp(ip)!, ip, null) ?? []);
}

const json = (value: unknown) => JSON.stringify(value);

/** One small file in each publisher's form, with an address that must be in the feed. */
const SAMPLES: Record<
  BuildFormatName,
  { content: string; ip: string; provider?: string; date?: string; kind?: 'proxy' }
> = {
  nord: {
    content: json([
      {
        hostname: 'es114.nordvpn.com',
        station: '37.120.199.243',
        ipv6_station: '',
        updated_at: '2026-11-17 11:34:41',
        ips: [{ ip: { ip: '37.120.199.244', version: 4 } }],
      },
      { hostname: 'us1.nordvpn.com', station: '', updated_at: '2026-11-20 01:00:00' },
    ]),
    ip: '37.120.199.244',
    provider: 'NordVPN',
    date: '2026-11-20',
  },
  proton: {
    content: json({
      LogicalServers: [
        { Domain: 'jp.example', Servers: [{ EntryIP: '103.125.235.18', ExitIP: '103.125.235.21' }] },
      ],
    }),
    ip: '103.125.235.21',
    provider: 'Proton VPN',
  },
  mullvad: {
    content: json([
      { hostname: 'al-tia-wg-003', ipv4_addr_in: '103.204.123.130', ipv6_addr_in: '2a04:27c0:0:e::f001' },
    ]),
    ip: '2a04:27c0:0:e::f001',
    provider: 'Mullvad',
  },
  pia: {
    content: `${json({ groups: {}, regions: [{ dns: 'a.privacy.network', servers: { wg: [{ ip: '84.239.47.133', cn: 'x' }] } }] })}\n\nc2lnbmF0dXJl=\n`,
    ip: '84.239.47.133',
    provider: 'Private Internet Access',
  },
  gluetun: {
    content: json({
      version: 1,
      ivpn: { timestamp: 1_788_251_628, servers: [{ hostname: 'x.ivpn.net', ips: ['87.120.102.3'] }] },
    }),
    ip: '87.120.102.3',
    provider: 'ivpn',
    date: '2026-09-01',
  },
  x4b: { content: '# made\n2.26.157.0/24\n2a0d:5600::/32\n', ip: '2a0d:5600::1' },
  onionoo: {
    content: json({
      relays_published: '2026-11-20 12:00:00',
      relays: [
        { flags: ['Exit'], or_addresses: ['[2620:7:6003::141]:443'] },
        { flags: ['Guard'], or_addresses: ['9.9.9.9:443'] },
      ],
    }),
    ip: '2620:7:6003::141',
    date: '2026-11-20',
  },
  'tor-exits': {
    content: 'ExitNode 0011\nPublished 2026-11-19 01:00:00\nExitAddress 204.8.96.141 2026-11-19 02:00:00\n',
    ip: '204.8.96.141',
    date: '2026-11-19',
  },
  'apple-relay': {
    content: '172.224.226.0/27,GB,GB-EN,"Kingston, Upper",\n2a02:26f7::/64,US,US-CA,Cupertino,\n',
    ip: '172.224.226.5',
  },
  aws: {
    content: json({
      createDate: '2026-11-18-20-33-07',
      prefixes: [{ ip_prefix: '3.5.140.0/22', service: 'EC2' }],
    }),
    ip: '3.5.140.2',
    provider: 'AWS EC2',
    date: '2026-11-18',
  },
  gcp: {
    content: json({
      creationTime: '2026-11-17T10:00:00',
      prefixes: [{ ipv4Prefix: '34.1.208.0/20', service: 'Google Cloud' }],
    }),
    ip: '34.1.208.9',
    provider: 'Google Cloud',
    date: '2026-11-17',
  },
  azure: {
    content: json({ values: [{ name: 'AzureCloud', properties: { addressPrefixes: ['20.33.0.0/16'] } }] }),
    ip: '20.33.1.1',
    provider: 'Azure AzureCloud',
  },
  oracle: {
    content: json({
      last_updated_timestamp: '2026-11-16T08:40:08',
      regions: [{ region: 'x', cidrs: [{ cidr: '129.148.0.0/20' }] }],
    }),
    ip: '129.148.1.1',
    provider: 'Oracle Cloud',
    date: '2026-11-16',
  },
  cloudflare: {
    content: json({ result: { ipv4_cidrs: ['173.245.48.0/20'], ipv6_cidrs: ['2400:cb00::/32'] } }),
    ip: '2400:cb00::1',
    provider: 'Cloudflare',
  },
  ranges: { content: '8.8.4.0-8.8.4.9\n', ip: '8.8.4.9', kind: 'proxy' },
  geofeed: { content: '8.8.4.0/24,US,,,\n', ip: '8.8.4.9', kind: 'proxy' },
};

describe('each format', () => {
  test.each(BUILD_FORMAT_NAMES)('%s becomes a feed with kind, source, date and license', async (format) => {
    const { content, ip, provider = '', date, kind } = SAMPLES[format];
    if (date === undefined) await expect(build(format, content, { kind })).rejects.toThrow('contain no date');
    const { feed, source, licence } = await build(format, content, {
      kind,
      ...(date ? {} : { date: '2026-11-01' }),
    });
    expect(feed).toMatchObject({
      name: format,
      kind: kind ?? BUILD_FORMATS[format].kind,
      as_of: date ?? '2026-11-01',
      error: null,
    });
    expect(source).toBe(BUILD_FORMATS[format].source);
    expect(licence).not.toBe('');
    expect(await matchesOf(ip)).toMatchObject([
      { feed: format, ...(format === 'apple-relay' ? {} : { provider }) },
    ]);
  });

  test.each(
    BUILD_FORMAT_NAMES.filter(
      (name) => SAMPLES[name].content.startsWith('{') || SAMPLES[name].content.startsWith('['),
    ),
  )('%s rejects another file and changes nothing', async (format) => {
    for (const wrong of ['<html></html>', '{}', '[]', 'null', '{"servers":{}}'])
      await expect(build(format, wrong, { date: '2026-11-01' })).rejects.toThrow(/list-0\.txt/);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  test('of Apple keeps the locations of its ranges', async () => {
    await build('apple-relay', SAMPLES['apple-relay'].content, { date: '2026-11-01' });
    const [match] = await matchesOf('172.224.226.5');
    expect(match).toMatchObject({ kind: 'relay', location: { countryCode: 'GB', city: 'Kingston, Upper' } });
  });

  test('of Mullvad is read from three documents', async () => {
    const relay = { hostname: 'se-got-wg-001', ipv4_addr_in: '185.213.154.68' };
    const documents = [
      [relay],
      { wireguard: { relays: [relay] } },
      { countries: [{ cities: [{ relays: [relay] }] }] },
    ];
    for (const document of documents) {
      await build('mullvad', json(document), { date: '2026-11-01', replace: true });
      expect(await matchesOf('185.213.154.68')).toHaveLength(1);
    }
  });

  test('of Cloudflare has the confidence of the class of content networks: below the flag', async () => {
    await build('cloudflare', '173.245.48.0/20\n', { date: '2026-11-01' });
    expect(await matchesOf('173.245.48.1')).toMatchObject([{ kind: 'datacenter', confidence: 0.4 }]);
  });
});

describe('omitted entries', () => {
  test('host names are counted and not resolved; private and invalid entries are reported by line', async () => {
    const lines = [
      '8.8.4.1',
      'de750.nordvpn.com',
      '10.0.0.1',
      'nonsense!',
      '8.8.4.1',
      '0.0.0.0/0',
      '8.8.4.2',
      '192.0.0.0/8',
      '8.8.4.3',
      '2001:db8::1',
      '8.8.4.4',
    ];
    const { feed, duplicates, files } = await build('x4b', lines.join('\n'), { date: '2026-11-01' });
    expect(feed).toMatchObject({ ranges_ipv4: 1, ranges_ipv6: 0, bad_lines: 0 });
    expect(duplicates).toBe(1);
    expect(files).toEqual([
      {
        file: 'list-0.txt',
        unit: 'line',
        entries: 5,
        host_names: { count: 1, examples: [{ line: 2, text: 'de750.nordvpn.com' }] },
        bad_lines: {
          count: 2,
          examples: [
            { line: 4, text: 'nonsense!' },
            { line: 6, text: '0.0.0.0/0' },
          ],
        },
        special: {
          count: 3,
          examples: [
            { line: 3, text: '10.0.0.1' },
            { line: 8, text: '192.0.0.0/8' },
            { line: 10, text: '2001:db8::1' },
          ],
        },
      },
    ]);
  });

  test('a list of only host names is rejected with their number', async () => {
    const servers = [{ hostname: 'us1.nordvpn.com', station: '' }];
    await expect(build('nord', json(servers), { date: '2026-11-01' })).rejects.toThrow(
      'no public address in it; servers named by host name only: 1',
    );
  });

  test('entries of JSON are reported by their position in the list', async () => {
    const relays = [{ ipv4_addr_in: '8.8.4.1' }, { ipv4_addr_in: '8.8.4.2' }, { ipv4_addr_in: '10.0.0.1' }];
    const { files } = await build('mullvad', json(relays), { date: '2026-11-01' });
    expect(files).toMatchObject([{ unit: 'entry', special: { examples: [{ line: 3, text: '10.0.0.1' }] } }]);
    await expect(build('mullvad', json([{ ipv4_addr_in: '10.0.0.1' }]))).rejects.toThrow(
      '(entry 1: "10.0.0.1")',
    );
  });

  test('a list with more invalid than valid entries is rejected', async () => {
    await expect(build('x4b', '8.8.4.1\n10.0.0.1\n???\n', { date: '2026-11-01' })).rejects.toThrow(
      '"list-0.txt": 2 of 3 entries cannot be used (line 3: "???")',
    );
  });
});

describe('dates', () => {
  test('the oldest of several files counts', async () => {
    const exits = (date: string, ip: string) => `ExitAddress ${ip} ${date} 02:00:00\n`;
    const { feed } = await build('tor-exits', [
      exits('2026-11-19', '8.8.4.1'),
      exits('2026-11-02', '8.8.4.2'),
    ]);
    expect(feed).toMatchObject({ as_of: '2026-11-02', ranges_ipv4: 1 });
  });

  test.each([
    ['yesterday', /is not a date/],
    ['2026-02-31', /is not a date/],
    ['2026-11-26', /in the future/],
  ])('the date %s is rejected', async (date, reason) => {
    await expect(build('x4b', '8.8.4.1\n', { date })).rejects.toThrow(reason);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });
});

describe('hostile files', () => {
  test('an invalid date counts as missing', async () => {
    for (const timestamp of [1e300, 1_788_251_628_000, -1, 'soon'])
      await expect(
        build('gluetun', json({ a: { timestamp, servers: [{ ips: ['8.8.4.1'] }] } })),
      ).rejects.toThrow('contain no date');
  });

  test('keys of prototypes are ordinary names of services', async () => {
    const text =
      '{"__proto__":{"servers":[{"ips":["8.8.4.1"]}]},"constructor":{"servers":[{"ips":["8.8.4.2"]}]}}';
    await build('gluetun', text, { date: '2026-11-01' });
    expect(await matchesOf('8.8.4.1')).toMatchObject([{ provider: '__proto__' }]);
    expect(await matchesOf('8.8.4.2')).toMatchObject([{ provider: 'constructor' }]);
  });

  test('a list with more ranges than the maximum is rejected before it is stored', () => {
    const { add } = createListCollector();
    const addAll = () => {
      for (let at = 0; at <= MAX_ENTRIES; at++) add(at, '8.8.4.1');
    };
    expect(addAll).toThrow('more than 2000000 ranges');
  });

  test('IPv4 addresses in IPv6 form are IPv4 addresses', async () => {
    const { feed, files } = await build(
      'x4b',
      '::ffff:8.8.8.8\n::ffff:8.8.4.0/120\n::ffff:10.0.0.1\n::ffff:0:0/96\n8.8.4.0/24\n8.8.4.7\n',
      { date: '2026-11-01' },
    );
    expect(files[0]).toMatchObject({ special: { count: 1 }, bad_lines: { count: 1 } });
    expect(feed).toMatchObject({ ranges_ipv6: 0 });
    for (const ip of ['8.8.8.8', '8.8.4.7']) expect(await matchesOf(ip)).toHaveLength(1);
  });

  test('a line of megabytes is one invalid line', async () => {
    for (const text of ['1', 'a.', ':', ','].map((part) => part.repeat(2_000_000))) {
      const { files } = await build('x4b', `${text}\n8.8.4.1\n`, { date: '2026-11-01', replace: true });
      expect(files[0]!.bad_lines).toMatchObject({ count: 1, examples: [{ text: text.slice(0, 60) }] });
    }
  });
});

describe('the folder', () => {
  const date = '2026-11-01';

  test('an existing name is rejected, and replacement deletes the previous data', async () => {
    await build('x4b', '8.8.4.1\n', { date });
    await expect(build('x4b', '8.8.4.2\n', { date })).rejects.toThrow('"x4b" already exists');
    expect(await matchesOf('8.8.4.1')).toHaveLength(1);
    await build('x4b', '8.8.4.2\n', { date, replace: true });
    expect(await matchesOf('8.8.4.1')).toHaveLength(0);
    expect(await matchesOf('8.8.4.2')).toHaveLength(1);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('a rejected list leaves the existing feed unchanged', async () => {
    await build('x4b', '8.8.4.1\n', { date });
    const before = await readdir(folder);
    await expect(build('x4b', '10.0.0.1\n', { date, replace: true })).rejects.toThrow('no public address');
    expect(await readdir(folder)).toEqual(before);
    expect(await matchesOf('8.8.4.1')).toHaveLength(1);
  });

  test('the manifest names the provider, and text of a list cannot leave its field', async () => {
    await build('ranges', '8.8.4.1\n', {
      date,
      kind: 'vpn',
      name: 'mine',
      provider: 'A, "B"\nC',
      source: 'ours',
    });
    const manifest = JSON.parse(await readFile(path.join(folder, 'mine.json'), 'utf8'));
    expect(manifest).toMatchObject({
      source: 'ours',
      as_of: date,
      path: expect.stringMatching(/^mine\.[0-9a-f]{12}\.data$/),
    });
    expect(await matchesOf('8.8.4.1')).toMatchObject([{ provider: 'A, "B" C' }]);
    await expect(build('ranges', '8.8.4.1\n', { date, kind: 'vpn', name: '../mine' })).rejects.toThrow(
      'name',
    );
    await expect(build('ranges', '8.8.4.1\n', { date })).rejects.toThrow('needs --kind');
  });

  test('a missing file, a folder, and a file larger than the limit are rejected', async () => {
    await expect(buildFeed(folder, { format: 'x4b', files: ['/missing/list.txt'], date })).rejects.toThrow(
      '"list.txt" cannot be read',
    );
    await expect(buildFeed(folder, { format: 'x4b', files: [base], date })).rejects.toThrow('cannot be read');
    const file = path.join(base, 'large');
    await writeFile(file, '');
    const { truncate } = await import('node:fs/promises');
    await truncate(file, 129 * 1024 * 1024);
    await expect(buildFeed(folder, { format: 'x4b', files: [file], date })).rejects.toThrow(
      'larger than 128 MB',
    );
  });
});
