import { csvField, csvFields } from '@vouchgraph/platform/csv';
import { type FeedContent, linesOf } from '../feed-content.ts';
import { parseAws, parseAzure, parseGcp } from '../formats/clouds.ts';
import { parseDocument, records } from '../formats/json-document.ts';
import { parseOnionoo } from '../formats/tor.ts';
import { createListCollector, type PublishedList } from './published-list.ts';

/* Lists of ranges as Tor, Apple, clouds and list makers publish them. */

/** One address, CIDR range or `a-b` range a line; `#` and `;` start a comment. */
export function parseRangeLines(text: string): PublishedList {
  const collector = createListCollector();
  for (const { line, text: entry } of linesOf(text)) collector.add(line, entry);
  return collector.list;
}

/** Exits of Tor: the bulk exit list, the exit-addresses file, or a table with a column `ipaddr`. */
export function parseTorExits(text: string): PublishedList {
  const first = text.slice(0, text.indexOf('\n') + 1);
  if (/\bipaddr\b/.test(first)) return parseExitTable(text);
  if (!/^Exit(Node|Address) /m.test(text)) return parseRangeLines(text);
  const collector = createListCollector();
  let newest = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [word, address = '', date = ''] = line.trim().split(/\s+/);
    if (word !== 'ExitAddress') continue;
    collector.add(index + 1, address);
    if (/^\d{4}-\d{2}-\d{2}$/.test(date) && date > newest) newest = date;
  }
  collector.list.date = newest || null;
  return collector.list;
}

function parseExitTable(text: string): PublishedList {
  const collector = createListCollector();
  const [header = '', ...rows] = text.split('\n');
  const at = csvFields(header).findIndex((name) => name.trim() === 'ipaddr');
  for (const [index, row] of rows.entries())
    if (row.trim() !== '') collector.add(index + 2, (csvFields(row)[at] ?? '').trim());
  return collector.list;
}

/** Onionoo's details document. */
export function parseOnionooDetails(text: string): PublishedList {
  const { relays_published } = parseDocument(text);
  return listOf(parseOnionoo(text), dayIn(relays_published));
}

/** A geofeed (RFC 8805), such as Apple's egress-ip-ranges.csv: places are kept. */
export function parseGeofeedRanges(text: string): PublishedList {
  const collector = createListCollector();
  for (const { line, text: entry } of linesOf(text)) {
    const [prefix = '', country = '', region = '', city = '', postal = ''] = csvFields(entry).map((field) =>
      field.trim(),
    );
    const place = [country, region, city, postal].map(csvField).join(',');
    collector.add(line, prefix, '', country === '' ? '' : place);
  }
  return collector.list;
}

/** Amazon's ip-ranges.json. */
export function parseAwsRanges(text: string): PublishedList {
  return listOf(parseAws(text), dayIn(parseDocument(text).createDate));
}

/** Google's cloud.json. */
export function parseGcpRanges(text: string): PublishedList {
  return listOf(parseGcp(text), dayIn(parseDocument(text).creationTime));
}

/** Microsoft's ServiceTags file; it contains no date. */
export function parseAzureRanges(text: string): PublishedList {
  return listOf(parseAzure(text), null);
}

/** Oracle's public_ip_ranges.json. */
export function parseOracleRanges(text: string): PublishedList {
  const document = parseDocument(text);
  const regions = records(document.regions);
  if (regions.length === 0) throw new Error('the file has no regions: expected public_ip_ranges.json');
  const collector = createListCollector();
  for (const [index, { cidrs }] of regions.entries())
    for (const { cidr } of records(cidrs)) collector.add(index + 1, String(cidr));
  collector.list.date = dayIn(document.last_updated_timestamp);
  return collector.list;
}

/** Cloudflare's ips-v4 and ips-v6, or the JSON of its API. */
export function parseCloudflareRanges(text: string): PublishedList {
  if (!text.trimStart().startsWith('{')) return parseRangeLines(text);
  const { ipv4_cidrs, ipv6_cidrs } = (parseDocument(text).result ?? {}) as Record<string, unknown>;
  const cidrs = [ipv4_cidrs, ipv6_cidrs].flatMap((value) => (Array.isArray(value) ? value : []));
  const collector = createListCollector();
  for (const [index, cidr] of cidrs.entries()) collector.add(index + 1, String(cidr));
  return collector.list;
}

function listOf({ ranges, badLines }: FeedContent, date: string | null): PublishedList {
  const { list, addRange } = createListCollector();
  for (const [index, { range, tag }] of ranges.entries()) addRange(index + 1, range, tag.provider);
  list.badLines.count += badLines.count;
  list.badLines.examples = [...badLines.examples, ...list.badLines.examples].slice(0, 5);
  list.date = date;
  return list;
}

/** The day at the start of a time; null for anything else. */
function dayIn(value: unknown): string | null {
  return typeof value === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] ?? null) : null;
}
