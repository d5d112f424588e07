import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import type { BadLines, EntryTag } from './feed-content.ts';
import { type FeedList, readFeedList } from './feed-list.ts';
import { type FeedManifest, feedDefaults } from './feed-manifest.ts';
import type { FeedMatch } from './feed-match.ts';
import { openMmdb } from './formats/mmdb.ts';
import { openRangeTable } from './range-set.ts';

/** An operator's list, ready for looking up. */
export type Feed = {
  readonly manifest: FeedManifest;
  /** The date in use: the manifest's, or when a database was built. */
  readonly asOf: string | null;
  /** Disjoint ranges, networks, or nodes of a database. */
  readonly entries: { ipv4: number; ipv6: number; asns: number; nodes: number };
  readonly badLines: BadLines;
  match(ip: IpNumber, text: string, asn: number | null): FeedMatch | null;
};

const NO_BAD_LINES: BadLines = { count: 0, examples: [] };

/** A feed of the file's content: a database, or a list that is read here and now. */
export function readFeed(manifest: FeedManifest, file: Buffer): Feed {
  return manifest.format === 'mmdb'
    ? databaseFeed(manifest, file)
    : listFeed(manifest, readFeedList(manifest, file));
}

/** A feed of a list that has been read already. */
export function listFeed(manifest: FeedManifest, { ranges, tags, networks, badLines }: FeedList): Feed {
  const asOf = manifest.as_of ?? null;
  const set = openRangeTable(ranges);
  const matches = tags.map((tag) => matchOf(manifest, asOf, tag));
  return {
    manifest,
    asOf,
    entries: { ipv4: set.ipv4, ipv6: set.ipv6, asns: networks.size, nodes: 0 },
    badLines,
    match(ip, _text, asn) {
      const found = matches[set.tagOf(ip)];
      if (found) return found;
      const tag = asn === null ? undefined : networks.get(asn);
      return tag ? matchOf(manifest, asOf, tag) : null;
    },
  };
}

function databaseFeed(manifest: FeedManifest, file: Buffer): Feed {
  const database = openMmdb(file, manifest.kind);
  const asOf = manifest.as_of ?? database.builtOn;
  return {
    manifest,
    asOf,
    entries: { ipv4: 0, ipv6: 0, asns: 0, nodes: database.nodes },
    badLines: NO_BAD_LINES,
    match(_ip, text) {
      const tag = database.tagOf(text);
      return tag && matchOf(manifest, asOf, tag);
    },
  };
}

function matchOf(manifest: FeedManifest, asOf: string | null, tag: EntryTag): FeedMatch {
  const { confidence, halfLifeDays } = feedDefaults(manifest);
  return {
    feed: manifest.name,
    kind: manifest.kind,
    confidence: tag.confidence ?? confidence,
    asOf,
    halfLifeDays,
    provider: tag.provider,
    ...(tag.location ? { location: tag.location } : {}),
  };
}
