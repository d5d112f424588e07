import type { AsnClass } from '../data/asn-class.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import type { ConnectionType } from './connection-type.ts';
import type { IpLocation } from './ip-location.ts';

/** Known facts of an address. Unknown text is '', unknown numbers are null. */
export type NetworkFacts = {
  ip: string;
  /** Whether the address is not routable on the internet; no other facts of it are known then. */
  bogon: boolean;
  asn: number | null;
  /** The registered name of the network. */
  serviceProvider: string;
  connectionType: ConnectionType;
  asnClasses: readonly AsnClass[];
  /** Whether the classes are from the curated lists or were derived from the network's name. */
  classSource: 'curated' | 'name' | null;
  location: IpLocation;
  /** How far the country can be trusted, 0..1: 1 when both sources agree, 0 when it is unknown. */
  countryConfidence: number;
  countrySources: { city: string; registry: string };
  /** The operator's lists that the address is on, one match per list; a relay's address never matches as a VPN's. */
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
