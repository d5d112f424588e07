import type { FeedKind } from '../feed-match.ts';
import type { PublishedList } from './published-list.ts';
import {
  parseAwsRanges,
  parseAzureRanges,
  parseCloudflareRanges,
  parseGcpRanges,
  parseGeofeedRanges,
  parseOnionooDetails,
  parseOracleRanges,
  parseRangeLines,
  parseTorExits,
} from './published-ranges.ts';
import {
  parseGluetunServers,
  parseMullvadRelays,
  parseNordServers,
  parsePiaServers,
  parseProtonLogicals,
} from './vpn-servers.ts';

/** Format of one publisher's file. */
export type BuildFormat = {
  /** Kind of the feed; null: the operator names it. */
  kind: FeedKind | null;
  /** Service of every entry; '' when the file names services itself, or none. */
  provider: string;
  /** Where the publisher offers the file. */
  source: string;
  /** License or terms, in a few words. */
  license: string;
  /** Confidence of the entries where it differs from the kind's. */
  confidence?: number;
  parse(text: string): PublishedList;
};

const NO_LICENSE = 'no license stated; addresses of servers are facts, check the terms of the service';

export const BUILD_FORMATS = {
  nord: {
    kind: 'vpn',
    provider: 'NordVPN',
    source: 'https://api.nordvpn.com/v1/servers?limit=0',
    license: NO_LICENSE,
    parse: parseNordServers,
  },
  proton: {
    kind: 'vpn',
    provider: 'Proton VPN',
    source: 'https://api.protonvpn.ch/vpn/logicals',
    license: NO_LICENSE,
    parse: parseProtonLogicals,
  },
  mullvad: {
    kind: 'vpn',
    provider: 'Mullvad',
    source: 'https://api.mullvad.net/www/relays/all/',
    license: NO_LICENSE,
    parse: parseMullvadRelays,
  },
  pia: {
    kind: 'vpn',
    provider: 'Private Internet Access',
    source: 'https://serverlist.piaservers.net/vpninfo/servers/v6',
    license: NO_LICENSE,
    parse: parsePiaServers,
  },
  gluetun: {
    kind: 'vpn',
    provider: '',
    source: 'https://github.com/qdm12/gluetun',
    license: 'MIT, Quentin McGaw',
    parse: parseGluetunServers,
  },
  x4b: {
    kind: 'vpn',
    provider: '',
    source: 'https://github.com/X4BNet/lists_vpn',
    license: 'MIT, X4B (Mathew Heard)',
    parse: parseRangeLines,
  },
  onionoo: {
    kind: 'tor',
    provider: '',
    source: 'https://onionoo.torproject.org/details?flag=Exit',
    license: 'CC0 1.0, the Tor Project',
    parse: parseOnionooDetails,
  },
  'tor-exits': {
    kind: 'tor',
    provider: '',
    source: 'https://check.torproject.org/exit-addresses',
    license: NO_LICENSE,
    parse: parseTorExits,
  },
  'apple-relay': {
    kind: 'relay',
    provider: 'iCloud Private Relay',
    source: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    license: NO_LICENSE,
    parse: parseGeofeedRanges,
  },
  aws: {
    kind: 'datacenter',
    provider: '',
    source: 'https://ip-ranges.amazonaws.com/ip-ranges.json',
    license: NO_LICENSE,
    parse: parseAwsRanges,
  },
  gcp: {
    kind: 'datacenter',
    provider: '',
    source: 'https://www.gstatic.com/ipranges/cloud.json',
    license: NO_LICENSE,
    parse: parseGcpRanges,
  },
  azure: {
    kind: 'datacenter',
    provider: '',
    source: 'https://www.microsoft.com/en-us/download/details.aspx?id=56519',
    license: NO_LICENSE,
    parse: parseAzureRanges,
  },
  oracle: {
    kind: 'datacenter',
    provider: 'Oracle Cloud',
    source: 'https://docs.oracle.com/iaas/tools/public_ip_ranges.json',
    license: NO_LICENSE,
    parse: parseOracleRanges,
  },
  // They are also exits of WARP: same confidence as the class of content networks, below the flag.
  cloudflare: {
    kind: 'datacenter',
    provider: 'Cloudflare',
    source: 'https://api.cloudflare.com/client/v4/ips',
    license: NO_LICENSE,
    confidence: 0.4,
    parse: parseCloudflareRanges,
  },
  ranges: { kind: null, provider: '', source: '', license: NO_LICENSE, parse: parseRangeLines },
  geofeed: { kind: null, provider: '', source: '', license: NO_LICENSE, parse: parseGeofeedRanges },
} as const satisfies Record<string, BuildFormat>;

export type BuildFormatName = keyof typeof BUILD_FORMATS;
export const BUILD_FORMAT_NAMES = Object.keys(BUILD_FORMATS) as BuildFormatName[];
