import type { IpNumber } from '../../../platform/ip/ip-number.ts';
import type { Feed } from './feed.ts';
import type { FeedKind, FeedMatch } from './feed-match.ts';

/** The kinds that a relay's address would be told as, though its users are ordinary people. */
const RELAYED: ReadonlySet<FeedKind> = new Set(['vpn', 'proxy']);
/** What an operator's own addresses are not told as, whatever other lists say. Where they are stays known. */
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
 * The lists that an address is on. Published lists of VPN ranges name privacy relays too, so what a relay list names is
 * taken out of them; an allow list silences those that speak against an address.
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
