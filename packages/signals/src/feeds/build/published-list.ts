import { formatRange, type IpRange, ipOfValue, parseRange } from '@vouchgraph/platform/ip/ip-range';
import { touchesSpecialNetwork } from '@vouchgraph/platform/ip/special-networks';
import { type BadLines, isTooWide } from '../feed-content.ts';

/** A range that a provider publishes, as the feed will contain it. */
export type PublishedEntry = {
  range: IpRange;
  /** Service that operates the range; '' when the list names none. */
  provider: string;
  /** Rest of a geofeed line (`country,region,city,postal`); '' without a place. */
  place: string;
};

/** A published list after parsing. Nothing is resolved: entries without an address are counted. */
export type PublishedList = {
  entries: PublishedEntry[];
  /** Servers that are named by host name only. */
  hostNames: BadLines;
  /** Entries that are neither an address nor a host name, or are wider than /8 (IPv6: /16). */
  badLines: BadLines;
  /** Private, reserved and documentation addresses. */
  special: BadLines;
  /** Date inside the file, YYYY-MM-DD; null when it contains none. */
  date: string | null;
};

/** Maximum number of ranges of a file, and of a feed. More would exhaust the memory of the command. */
export const MAX_ENTRIES = 2_000_000;
const MAX_EXAMPLES = 5;
const MAX_EXAMPLE_LENGTH = 60;
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\.?$/i;

export type ListCollector = {
  readonly list: PublishedList;
  /** Adds an address, range or host name. `line` is the line of a text, or the position in a JSON list, from 1. */
  add(line: number, text: string, provider?: string, place?: string): void;
  addRange(line: number, range: IpRange, provider?: string, place?: string): void;
  bad(line: number, text: string): void;
};

/** Collects the entries of one file. */
export function createListCollector(): ListCollector {
  const list: PublishedList = {
    entries: [],
    hostNames: { count: 0, examples: [] },
    badLines: { count: 0, examples: [] },
    special: { count: 0, examples: [] },
    date: null,
  };
  const addRange: ListCollector['addRange'] = (line, range, provider = '', place = '') => {
    if (isTooWide(range)) return note(list.badLines, line, formatRange(range));
    const { version, start, end } = range;
    if (touchesSpecialNetwork(ipOfValue(version, start), ipOfValue(version, end)))
      return note(list.special, line, formatRange(range));
    if (list.entries.length >= MAX_ENTRIES) throw new Error(`more than ${MAX_ENTRIES} ranges`);
    list.entries.push({ range, provider, place });
  };
  return {
    list,
    addRange,
    add(line, text, provider, place) {
      const range = parseRange(text);
      if (range) return addRange(line, range, provider, place);
      note(HOST_NAME.test(text) ? list.hostNames : list.badLines, line, text);
    },
    bad: (line, text) => note(list.badLines, line, text),
  };
}

function note(lines: BadLines, line: number, text: string): void {
  lines.count++;
  if (lines.examples.length < MAX_EXAMPLES)
    lines.examples.push({ line, text: text.trim().slice(0, MAX_EXAMPLE_LENGTH) });
}

/** Sorted entries of all files, each range once; of equal ranges the first entry stays. */
export function mergeEntries(lists: readonly PublishedList[]): {
  entries: PublishedEntry[];
  duplicates: number;
} {
  const all = lists.flatMap(({ entries }) => entries).sort((a, b) => compareRanges(a.range, b.range));
  const entries = all.filter(({ range }, index) => {
    const before = all[index - 1];
    return !before || compareRanges(before.range, range) !== 0;
  });
  return { entries, duplicates: all.length - entries.length };
}

function compareRanges(a: IpRange, b: IpRange): number {
  return a.version - b.version || compare(a.start, b.start) || compare(a.end, b.end);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
