import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { createFeedContent, type FeedContent, PLAIN_TAG } from '../feed-content.ts';
import { parseDocument, records } from './json-document.ts';

type Entry = { prefix: unknown; provider: string };

/** Amazon's ip-ranges.json. */
export function parseAws(text: string): FeedContent {
  const document = parseDocument(text);
  const prefixes = [...records(document.prefixes), ...records(document.ipv6_prefixes)];
  if (prefixes.length === 0) throw new Error('the file has no prefixes: expected ip-ranges.json');
  return contentOf(
    prefixes.map((each) => ({
      prefix: each.ip_prefix ?? each.ipv6_prefix,
      provider: `AWS ${typeof each.service === 'string' ? each.service : ''}`.trim(),
    })),
  );
}

/** Google's cloud.json and goog.json. */
export function parseGcp(text: string): FeedContent {
  const prefixes = records(parseDocument(text).prefixes);
  if (prefixes.length === 0) throw new Error('the file has no prefixes: expected cloud.json');
  return contentOf(
    prefixes.map((each) => ({
      prefix: each.ipv4Prefix ?? each.ipv6Prefix,
      provider: typeof each.service === 'string' ? each.service : 'Google',
    })),
  );
}

/** Microsoft's ServiceTags file. */
export function parseAzure(text: string): FeedContent {
  const values = records(parseDocument(text).values);
  if (values.length === 0) throw new Error('the file has no values: expected a ServiceTags file');
  return contentOf(
    values.flatMap((value) => {
      const { addressPrefixes } = (value.properties ?? {}) as { addressPrefixes?: unknown };
      const prefixes = Array.isArray(addressPrefixes) ? addressPrefixes : [];
      return prefixes.map((prefix) => ({ prefix, provider: `Azure ${String(value.name ?? '')}`.trim() }));
    }),
  );
}

function contentOf(entries: readonly Entry[]): FeedContent {
  const content = createFeedContent();
  for (const [index, { prefix, provider }] of entries.entries()) {
    const range = typeof prefix === 'string' ? parseRange(prefix) : null;
    content.add(index + 1, String(prefix), range, { ...PLAIN_TAG, provider });
  }
  return content;
}
