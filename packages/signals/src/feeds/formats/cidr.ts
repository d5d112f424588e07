import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { createFeedContent, type FeedContent, linesOf, PLAIN_TAG } from '../feed-content.ts';

/** One address, CIDR range or `a-b` range a line. Tor's bulk exit list and FireHOL's netsets are such lists. */
export function parseCidrList(text: string): FeedContent {
  const content = createFeedContent();
  for (const { line, text: entry } of linesOf(text)) {
    content.add(line, entry, parseRange(entry), PLAIN_TAG);
  }
  return content;
}
