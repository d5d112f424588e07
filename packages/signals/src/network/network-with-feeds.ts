import lookUpTimezone from '@photostructure/tz-lookup';
import type { AsnClass } from '../data/asn-class.ts';
import type { FeedKind, FeedMatch } from '../feeds/feed-match.ts';
import { type ConnectionType, connectionTypeOf } from './connection-type.ts';
import { type IpLocation, UNKNOWN_LOCATION } from './ip-location.ts';
import type { NetworkFacts } from './network-facts.ts';

/** Network class of each kind of address list. */
const CLASS_OF_KIND: Partial<Record<FeedKind, AsnClass>> = {
  satellite: 'satellite',
  cellular: 'mobile',
  vpn: 'vpn',
  tor: 'tor',
  datacenter: 'hosting',
};

/** Adds the facts of the operator's lists to those of an address: connection type and location. */
export function withFeeds(facts: NetworkFacts, feeds: readonly FeedMatch[]): NetworkFacts {
  if (feeds.length === 0) return facts;
  const placed = placingOf(feeds);
  const location = placed?.location ? overridden(facts.location, placed.location) : facts.location;
  return {
    ...facts,
    feeds,
    connectionType: connectionWith(facts, feeds),
    location,
    // The operator of the addresses publishes their location; the other databases do not count as a second source.
    countryConfidence: placed ? 1 : facts.countryConfidence,
  };
}

/** A list of one operator's ranges comes from the operator, and is more accurate than a worldwide database. */
function placingOf(feeds: readonly FeedMatch[]): FeedMatch | undefined {
  const placing = feeds.filter(({ location }) => location !== undefined);
  return placing.find(({ kind }) => kind !== 'location') ?? placing[0];
}

function connectionWith({ asn, asnClasses }: NetworkFacts, feeds: readonly FeedMatch[]): ConnectionType {
  const listed = feeds.flatMap(({ kind }) => CLASS_OF_KIND[kind] ?? []);
  const classes = [...asnClasses, ...listed];
  const isRelay = feeds.some(({ kind }) => kind === 'relay');
  if (isRelay && !classes.includes('satellite')) return 'private_relay';
  return connectionTypeOf(asn !== null || listed.length > 0, classes);
}

/** A place in another country, or city, has none of the old one's details. */
function overridden(known: IpLocation, listed: Partial<IpLocation>): IpLocation {
  const merged = { ...(isSamePlace(known, listed) ? known : UNKNOWN_LOCATION), ...listed };
  const { latitude, longitude, timezone } = merged;
  if (timezone !== '' || latitude === null || longitude === null) return merged;
  return { ...merged, timezone: lookUpTimezone(latitude, longitude) };
}

/** Coordinates without a city are those of some other point, such as the middle of the country. */
function isSamePlace(known: IpLocation, listed: Partial<IpLocation>): boolean {
  const agrees = (key: 'countryCode' | 'state' | 'city') =>
    listed[key] === undefined || listed[key] === known[key];
  if (!agrees('countryCode') || !agrees('state') || !agrees('city')) return false;
  return listed.city !== undefined || listed.latitude === undefined;
}
