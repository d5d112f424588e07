import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { networkWith } from '../../../../test/support/signals/facts.ts';
import type { AsnClass } from '../data/asn-class.ts';
import { openFeedFolder } from '../feeds/feed-folder.ts';
import type { FeedKind, FeedMatch } from '../feeds/feed-match.ts';
import type { IpLocation } from './ip-location.ts';
import { createNetworkIntelligence } from './network-intelligence.ts';
import { withFeeds } from './network-with-feeds.ts';

function matchOf(kind: FeedKind, location?: Partial<IpLocation>): FeedMatch {
  const match: FeedMatch = { feed: kind, kind, confidence: 1, asOf: null, halfLifeDays: null, provider: '' };
  return location ? { ...match, location } : match;
}

function typeWith(kinds: readonly FeedKind[], asnClasses: readonly AsnClass[] = []) {
  const feeds = kinds.map((kind) => matchOf(kind));
  return withFeeds(networkWith({ asnClasses }), feeds).connectionType;
}

test.each<[string, FeedKind[], AsnClass[]]>([
  ['satellite', ['satellite', 'relay', 'datacenter', 'cellular'], ['hosting']],
  ['satellite', ['relay', 'datacenter'], ['satellite']],
  ['private_relay', ['relay', 'datacenter', 'cellular'], ['cdn']],
  ['hosting', ['datacenter', 'cellular'], ['mobile']],
  ['hosting', ['vpn'], []],
  ['hosting', ['tor'], ['education']],
  ['hosting', ['cellular'], ['hosting']],
  ['mobile', ['cellular'], ['education']],
  ['education', ['fraud'], ['education']],
  // The exit of a proxy is as often residential as a server.
  ['isp', ['proxy'], []],
  ['isp', ['allow'], []],
])('the connection is %s on lists of %j and in a network of %j', (expected, kinds, classes) => {
  expect(typeWith(kinds, classes)).toBe(expected);
});

test('without a network an address is classified only by a list that names a class', () => {
  const unknown = networkWith({ asn: null, connectionType: '' });
  expect(withFeeds(unknown, [matchOf('cellular')]).connectionType).toBe('mobile');
  expect(withFeeds(unknown, [matchOf('fraud')]).connectionType).toBe('');
});

test('facts without any list are unchanged', () => {
  const facts = networkWith();
  expect(withFeeds(facts, [])).toBe(facts);
});

const LONDON = { countryCode: 'GB', continent: 'EU', city: 'London' };

test('another city has no details of the previous one, and the location of the list is certain', () => {
  const facts = networkWith({ countryConfidence: 0.5, countrySources: { city: 'US', registry: 'GB' } });
  const placed = withFeeds(facts, [matchOf('vpn'), matchOf('location', LONDON)]);
  expect(placed.location).toEqual({
    ...LONDON,
    state: '',
    zipCode: '',
    timezone: '',
    latitude: null,
    longitude: null,
  });
  expect(placed.countryConfidence).toBe(1);
  expect(placed.countrySources).toEqual(facts.countrySources);
});

test('the location from a relay list overrides a database, in any order', () => {
  const dallas = { countryCode: 'US', continent: 'NA', city: 'Dallas' };
  const matches = [matchOf('location', dallas), matchOf('relay', LONDON)];
  expect(withFeeds(networkWith(), matches).location).toMatchObject(LONDON);
  expect(withFeeds(networkWith(), matches.toReversed()).location).toMatchObject(LONDON);
});

test('a list without locations keeps the location and its confidence', () => {
  const facts = networkWith({ countryConfidence: 0.5 });
  const listed = withFeeds(facts, [matchOf('vpn')]);
  expect(listed.location).toBe(facts.location);
  expect(listed.countryConfidence).toBe(0.5);
});

test('a list entry with the same city, or only its country, keeps known values and adds others', () => {
  const { location } = networkWith();
  const us = { countryCode: 'US', continent: 'NA' };
  const placed = (listed: Partial<IpLocation>) =>
    withFeeds(networkWith(), [matchOf('location', listed)]).location;
  expect(placed(us)).toEqual(location);
  expect(placed({ ...us, city: 'Fort Worth', zipCode: '76102' })).toEqual({ ...location, zipCode: '76102' });
});

test('coordinates without a city, or a city in another state, are another location', () => {
  const placed = (listed: Partial<IpLocation>) =>
    withFeeds(networkWith(), [matchOf('location', { countryCode: 'US', continent: 'NA', ...listed })])
      .location;
  expect(placed({ latitude: 37.751, longitude: -97.822 })).toMatchObject({
    city: '',
    state: '',
    zipCode: '',
  });
  expect(placed({ city: 'Fort Worth', state: 'Florida' })).toMatchObject({ latitude: null, timezone: '' });
});

test('a time zone is derived from coordinates when the list has none', () => {
  const paris = { countryCode: 'FR', continent: 'EU', city: 'Paris', latitude: 48.8566, longitude: 2.3522 };
  const placed = (listed: Partial<IpLocation>) =>
    withFeeds(networkWith(), [matchOf('location', listed)]).location;
  expect(placed(paris).timezone).toBe('Europe/Paris');
  expect(placed({ ...paris, timezone: 'Europe/Brussels' }).timezone).toBe('Europe/Brussels');
});

test('lists of a folder are used by lookups, and the status contains them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-network-'));
  const manifest = { name: 'starlink', kind: 'satellite', format: 'geofeed', path: 'x', as_of: '2026-11-01' };
  await writeFile(path.join(folder, 'starlink.json'), JSON.stringify(manifest));
  await writeFile(
    path.join(folder, 'x'),
    '98.97.32.0/24,US,US-WA,Seattle,\nnonsense\n192.168.0.0/16,US,,,\n',
  );
  const feeds = await openFeedFolder(folder);
  const network = createNetworkIntelligence({ asn: null, city4: null, city6: null, country: null }, feeds);
  expect(network.lookup('98.97.32.1')).toMatchObject({
    connectionType: 'satellite',
    countryConfidence: 1,
    location: { countryCode: 'US', city: 'Seattle' },
    feeds: [{ feed: 'starlink', asOf: '2026-11-01' }],
  });
  // The address is not publicly routable, for any list.
  expect(network.lookup('192.168.0.1')).toMatchObject({ bogon: true, feeds: [] });
  const status = network.status();
  expect(status.find(({ name }) => name === 'feed:starlink')).toMatchObject({
    available: true,
    dataVersion: '2026-11-01',
    entries: 2,
    badLines: 1,
    error: null,
  });
  expect(status.find(({ name }) => name === 'feed_kind:vpn')).toMatchObject({ available: false });
  await rm(path.join(folder, 'starlink.json'));
  await network.reloadFeeds();
  expect(network.lookup('98.97.32.1').feeds).toEqual([]);
  network.close();
  await rm(folder, { recursive: true });
});
