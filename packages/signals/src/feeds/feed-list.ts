import type { BadLines, EntryTag, FeedContent } from './feed-content.ts';
import type { FeedManifest } from './feed-manifest.ts';
import { parseAsnList } from './formats/asn.ts';
import { parseCidrList } from './formats/cidr.ts';
import { parseAws, parseAzure, parseGcp } from './formats/clouds.ts';
import { parseCsv } from './formats/csv.ts';
import { parseGeofeed } from './formats/geofeed.ts';
import { parseOnionoo, parseTorExitAddresses } from './formats/tor.ts';
import { buildRangeTable, type RangeTable, type TaggedRange } from './range-set.ts';

/** A list in memory: plain values and arrays, which one process can send to another. */
export type FeedList = {
  ranges: RangeTable;
  /** Properties of the entries, by the tags of the ranges. */
  tags: EntryTag[];
  networks: Map<number, EntryTag>;
  badLines: BadLines;
};

/** Reads a list. Throws one line when nothing in it, or more bad than good, can be read. */
export function readFeedList(manifest: FeedManifest, file: Buffer): FeedList {
  const { ranges, asns, badLines } = parseContent(manifest, file.toString('utf8'));
  const good = ranges.length + asns.length;
  if (good === 0) throw new Error(`no line can be read as ${manifest.format}${exampleOf(badLines)}`);
  if (badLines.count > good) {
    throw new Error(
      `${badLines.count} of ${badLines.count + good} lines cannot be read${exampleOf(badLines)}`,
    );
  }
  const { tags, indexOf } = createTagIndex();
  const tagged = ranges.map(
    ({ range: { version, start, end }, tag }): TaggedRange => ({ version, start, end, tag: indexOf(tag) }),
  );
  return {
    ranges: buildRangeTable(tagged),
    tags,
    networks: new Map(asns.map(({ asn, tag }) => [asn, tag])),
    badLines,
  };
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
      throw new Error('an mmdb database is not a text file');
  }
}

/** Numbers tags by their content. Most lists have one tag for all entries, found without serializing it each time. */
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
