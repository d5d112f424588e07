import { freshness } from '../evidence/freshness.ts';
import type { FeedKind, FeedMatch } from '../feeds/feed-match.ts';
import type { NetworkFacts } from '../network/network-facts.ts';

/** Source of a network code: an operator's list or the class of the network. */
export type Listing = {
  /** Confidence in the meaning of the code for the address, before the age of the list is applied. */
  confidence: number;
  /** Remaining weight of the list by its age, 0..1. */
  freshness: number;
  source: string;
  sourceAsOf: string | null;
  observed: string;
};

/** The strongest of the operator's lists of a kind that the address is on; null when it is on none. */
export function listingOf(network: NetworkFacts, kind: FeedKind, at: Date): Listing | null {
  const listings = network.feeds.filter((match) => match.kind === kind).map((match) => toListing(match, at));
  return strongest(listings);
}

/** The listing with the largest weight; null without any. */
export function strongest(listings: readonly (Listing | null)[]): Listing | null {
  const worth = (listing: Listing) => listing.confidence * listing.freshness;
  return listings.reduce(
    (best, listing) => (listing && (!best || worth(listing) > worth(best)) ? listing : best),
    null,
  );
}

function toListing({ feed, confidence, asOf, halfLifeDays, provider, kind }: FeedMatch, at: Date): Listing {
  return {
    confidence,
    freshness: freshness(asOf, halfLifeDays, at),
    source: `feed:${feed}`,
    sourceAsOf: asOf,
    observed: provider
      ? `on a list of ${kind} addresses: ${provider.slice(0, 80)}`
      : `on a list of ${kind} addresses`,
  };
}
