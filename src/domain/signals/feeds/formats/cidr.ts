import { createFeedContent, type FeedContent, linesOf, PLAIN_TAG } from '../feed-content.ts';
import { parseRange } from '../ip-range.ts';

/** One address, CIDR range or `a-b` range a line. Tor's bulk exit list and FireHOL's netsets are such lists. */
export function parseCidrList(text: string): FeedContent {
  const content = createFeedContent();
  for (const { line, text: entry } of linesOf(text)) {
    const range = parseRange(entry);
    if (range) content.ranges.push({ range, tag: PLAIN_TAG });
    else content.bad(line, entry);
  }
  return content;
}
