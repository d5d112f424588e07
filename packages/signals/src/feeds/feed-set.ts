import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import type { Feed } from './feed.ts';
import type { FeedKind, FeedMatch } from './feed-match.ts';

/** Kinds that are not reported for addresses of a relay, whose users are ordinary people. */
const RELAYED: ReadonlySet<FeedKind> = new Set(['vpn', 'proxy']);
/** Kinds that are not reported for an operator's own addresses, whatever other lists contain. Their location stays. */
const SUPPRESSED_BY_ALLOW: ReadonlySet<FeedKind> = new Set([
  'vpn',
  'tor',
  'proxy',
  'relay',
  'datacenter',
  'fraud',
]);
const NONE: readonly FeedMatch[] = [];

/**
 * The lists that an address is on. Published lists of VPN ranges also contain privacy relays, so addresses on a relay
 * list are removed from them; an allow list suppresses the lists that count against an address.
 */
export function matchFeeds(
  feeds: readonly Feed[],
  ip: IpNumber,
  text: string,
  asn: number | null,
): readonly FeedMatch[] {
  const found: FeedMatch[] = [];
  for (const feed of feeds) {
    const match = feed.match(ip, text, asn);
    if (match) found.push(match);
  }
  if (found.length === 0) return NONE;
  const kinds = new Set(found.map(({ kind }) => kind));
  return found.filter(
    ({ kind }) =>
      !(kinds.has('relay') && RELAYED.has(kind)) && !(kinds.has('allow') && SUPPRESSED_BY_ALLOW.has(kind)),
  );
}
