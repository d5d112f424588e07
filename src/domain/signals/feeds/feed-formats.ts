/** How a file of addresses is written. */
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
