/** Formats of files of addresses. */
export const FEED_FORMATS = [
  'cidr',
  'csv',
  'geofeed',
  'tor-exit-addresses',
  'onionoo',
  'aws',
  'gcp',
  'azure',
  'asn',
  'mmdb',
] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];
