import type { IpNumber } from '../ip-number.ts';
import type { BadLines, EntryTag, FeedContent } from './feed-content.ts';
import { type FeedManifest, feedDefaults } from './feed-manifest.ts';
import type { FeedMatch } from './feed-match.ts';
import { parseAsnList } from './formats/asn.ts';
import { parseCidrList } from './formats/cidr.ts';
import { parseAws, parseAzure, parseGcp } from './formats/clouds.ts';
import { parseCsv } from './formats/csv.ts';
import { parseGeofeed } from './formats/geofeed.ts';
import { openMmdb } from './formats/mmdb.ts';
import { parseOnionoo, parseTorExitAddresses } from './formats/tor.ts';
import { buildRangeSet, type TaggedRange } from './range-set.ts';

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

/** Reads a list. Throws one line when nothing in it, or more bad than good, can be read. */
export function readFeed(manifest: FeedManifest, file: Buffer): Feed {
  if (manifest.format === 'mmdb') return databaseFeed(manifest, file);
  const content = parseContent(manifest, file.toString('utf8'));
  const good = content.ranges.length + content.asns.length;
  const { badLines } = content;
  if (good === 0) throw new Error(`nothing in it can be read as ${manifest.format}${exampleOf(badLines)}`);
  if (badLines.count > good) {
    throw new Error(
      `${badLines.count} of ${badLines.count + good} lines cannot be read${exampleOf(badLines)}`,
    );
  }
  return listFeed(manifest, content);
}

function exampleOf({ examples }: BadLines): string {
  const [first] = examples;
  return first ? ` (line ${first.line}: ${JSON.stringify(first.text)})` : '';
}

function parseContent(manifest: FeedManifest, text: string): FeedContent {
  switch (manifest.format) {
    case 'cidr':
      return parseCidrList(text);
    case 'csv':
      return parseCsv(text, {
        column: manifest.column ?? '',
        providerColumn: manifest.provider_column ?? undefined,
      });
    case 'geofeed':
      return parseGeofeed(text);
    case 'tor-exit-addresses':
      return parseTorExitAddresses(text);
    case 'onionoo':
      return parseOnionoo(text);
    case 'aws':
      return parseAws(text);
    case 'gcp':
      return parseGcp(text);
    case 'azure':
      return parseAzure(text);
    case 'asn':
      return parseAsnList(text);
    case 'mmdb':
      throw new Error('a database is no text');
  }
}

function listFeed(manifest: FeedManifest, { ranges, asns, badLines }: FeedContent): Feed {
  const { tags, indexOf } = createTagIndex();
  const set = buildRangeSet(
    ranges.map(
      ({ range: { version, start, end }, tag }): TaggedRange => ({ version, start, end, tag: indexOf(tag) }),
    ),
  );
  const networks = new Map(asns.map(({ asn, tag }) => [asn, tag]));
  const matches = tags.map((tag) => matchOf(manifest, manifest.as_of ?? null, tag));
  return {
    manifest,
    asOf: manifest.as_of ?? null,
    entries: { ipv4: set.ipv4, ipv6: set.ipv6, asns: networks.size, nodes: 0 },
    badLines,
    match(ip, _text, asn) {
      const found = matches[set.tagOf(ip)];
      if (found) return found;
      const tag = asn === null ? undefined : networks.get(asn);
      return tag ? matchOf(manifest, manifest.as_of ?? null, tag) : null;
    },
  };
}

/** Numbers tags by what they say. Most lists have one tag for all entries, found without spelling it out each time. */
function createTagIndex(): { tags: EntryTag[]; indexOf(tag: EntryTag): number } {
  const tags: EntryTag[] = [];
  const numbers = new Map<string, number>();
  let last: { tag: EntryTag; number: number } | null = null;
  return {
    tags,
    indexOf(tag) {
      if (last?.tag === tag) return last.number;
      const key = JSON.stringify(tag);
      const number = numbers.get(key) ?? tags.push(tag) - 1;
      numbers.set(key, number);
      last = { tag, number };
      return number;
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
