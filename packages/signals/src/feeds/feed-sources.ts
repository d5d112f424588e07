import type { NetworkSource } from '../network/network-facts.ts';
import type { Feed } from './feed.ts';
import type { FeedFolder, MountedFeed } from './feed-folder.ts';
import type { FeedKind } from './feed-match.ts';

/** The kinds whose absence disables signals, with these signals. */
const AFFECTED: Partial<Record<FeedKind, string[]>> = {
  vpn: ['vpn', 'location_spoofing'],
  tor: ['tor', 'location_spoofing'],
  proxy: ['proxy', 'location_spoofing'],
  relay: ['vpn', 'proxy'],
  datacenter: ['datacenter', 'proxy'],
  fraud: ['recent_fraud_ip'],
};

/** The built-in lists as sources; one unavailable source when their file cannot be read. */
export function onboardSources(onboard: readonly Feed[] | null | undefined): NetworkSource[] {
  if (onboard === undefined) return [];
  if (onboard !== null)
    return onboard.map((feed) => feedSource({ name: feed.manifest.name, feed, error: null }));
  const affects = [...new Set([...AFFECTED.vpn!, ...AFFECTED.tor!, ...AFFECTED.relay!])];
  return [{ name: 'onboard_lists', available: false, dataVersion: null, affects }];
}

/**
 * The operator's lists as sources, for each kind whether a list of it exists, of the operator or built in, and the
 * folder when it cannot be read.
 */
export function feedSources(folder: FeedFolder | null, onboard: readonly Feed[] = []): NetworkSource[] {
  const feeds = folder?.feeds() ?? [];
  const error = folder?.error() ?? null;
  const unreadable = { name: 'feeds_folder', available: false, dataVersion: null, affects: [], error };
  const kinds = Object.entries(AFFECTED).map(([kind, affects]) => ({
    name: `feed_kind:${kind}`,
    available: [...onboard, ...feeds.flatMap(({ feed }) => feed ?? [])].some(
      ({ manifest }) => manifest.kind === kind,
    ),
    dataVersion: null,
    affects,
  }));
  return [...(error === null ? [] : [unreadable]), ...feeds.map(feedSource), ...kinds];
}

function feedSource({ name, feed, error }: MountedFeed): NetworkSource {
  const entries = feed?.entries;
  return {
    name: `feed:${name}`,
    available: feed !== null,
    dataVersion: feed?.asOf ?? null,
    affects: (feed && AFFECTED[feed.manifest.kind]) ?? [],
    entries: entries ? entries.ipv4 + entries.ipv6 + entries.asns + entries.nodes : 0,
    badLines: feed?.badLines.count ?? 0,
    error,
  };
}
