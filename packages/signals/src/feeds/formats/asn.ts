import { createFeedContent, type FeedContent, PLAIN_TAG } from '../feed-content.ts';

const MAX_ASN = 4_294_967_295;

/** Networks by number: `AS123 # owner`, the letters optional. The comment names the provider. */
export function parseAsnList(text: string): FeedContent {
  const content = createFeedContent();
  for (const [index, line] of text.split('\n').entries()) {
    const [entry = '', comment = ''] = line.split('#', 2).map((part) => part.trim());
    if (entry === '' || entry.startsWith(';')) continue;
    const match = /^(?:AS)?(\d{1,10})$/i.exec(entry);
    const asn = match ? Number(match[1]) : 0;
    if (asn < 1 || asn > MAX_ASN) content.bad(index + 1, line);
    else content.asns.push({ asn, tag: comment ? { ...PLAIN_TAG, provider: comment } : PLAIN_TAG });
  }
  return content;
}
