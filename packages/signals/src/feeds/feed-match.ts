import type { IpLocation } from '../network/ip-location.ts';

/** Kind of the addresses on an operator's list. */
export const FEED_KINDS = [
  'vpn',
  'tor',
  'proxy',
  'relay',
  'datacenter',
  'fraud',
  'satellite',
  'cellular',
  'allow',
  'location',
] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** An address found on an operator's list. */
export type FeedMatch = {
  /** Name of the feed, from its manifest. */
  feed: string;
  kind: FeedKind;
  /** Confidence of the list, 0..1, from the manifest or the entry. */
  confidence: number;
  /** Date of the list, YYYY-MM-DD; null when it is not known. */
  asOf: string | null;
  /** Days after which the weight of the list halves; null for a list that does not age. */
  halfLifeDays: number | null;
  /** The service that the entry names; '' when it names none. */
  provider: string;
  /** Location of the address by the list; absent when the list has none. */
  location?: Partial<IpLocation>;
};
