import type { IpRange } from '@vouchgraph/platform/ip/ip-range';
import type { IpLocation } from '../network/ip-location.ts';

/** Properties of an entry of a list. */
export type EntryTag = {
  /** Its service; '' for none. */
  provider: string;
  /** Confidence of the entry, 0..1; null: the confidence of the list. */
  confidence: number | null;
  /** Location of its addresses; null without one. */
  location: Partial<IpLocation> | null;
};

export const PLAIN_TAG: EntryTag = { provider: '', confidence: null, location: null };

/** A parsed list of any format. */
export type FeedContent = {
  ranges: { range: IpRange; tag: EntryTag }[];
  /** Networks by number. */
  asns: { asn: number; tag: EntryTag }[];
  badLines: BadLines;
};

export type BadLines = {
  count: number;
  /** The first few, by line, shortened. */
  examples: { line: number; text: string }[];
};

const MAX_EXAMPLES = 5;
const MAX_EXAMPLE_LENGTH = 60;

type GrowingContent = FeedContent & {
  bad(line: number, text: string): void;
  /** Adds an entry with its range, as `parseRange` returns it; `text` is shown when it is null. */
  add(line: number, text: string, range: IpRange | null, tag: EntryTag): void;
};

/** Collects a list line by line. Lines that cannot be parsed, or whose range is too wide, are counted and not fatal. */
export function createFeedContent(): GrowingContent {
  const badLines: BadLines = { count: 0, examples: [] };
  const ranges: FeedContent['ranges'] = [];
  function bad(line: number, text: string): void {
    badLines.count++;
    if (badLines.examples.length < MAX_EXAMPLES) {
      badLines.examples.push({ line, text: text.trim().slice(0, MAX_EXAMPLE_LENGTH) });
    }
  }
  return {
    ranges,
    asns: [],
    badLines,
    bad,
    add(line, text, range, tag) {
      if (range && !isTooWide(range)) ranges.push({ range, tag });
      else bad(line, text);
    },
  };
}

/** No operator has more; one mistake such as `0.0.0.0/0` would put the whole internet on the list. */
const WIDEST = { 4: 2n ** 24n, 6: 2n ** 112n } as const;

/** Whether a range is wider than any operator has: /8, or /16 of IPv6. */
export function isTooWide({ version, start, end }: IpRange): boolean {
  return end - start >= WIDEST[version];
}

/** The lines of a text without comments (`#`, `;`) and empty ones, with their numbers from 1. */
export function* linesOf(text: string): Generator<{ line: number; text: string }> {
  let line = 0;
  for (const raw of text.split('\n')) {
    line++;
    const content = raw.replace(/[#;].*/s, '').trim();
    if (content !== '') yield { line, text: content };
  }
}
