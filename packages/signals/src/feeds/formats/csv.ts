import { csvFields } from '@vouchgraph/platform/csv';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { createFeedContent, type FeedContent, PLAIN_TAG } from '../feed-content.ts';

/** A table with a header; `column` is the column of addresses or ranges, `providerColumn` that of their provider. */
export function parseCsv(text: string, options: { column: string; providerColumn?: string }): FeedContent {
  const content = createFeedContent();
  const [header = '', ...rows] = text.replace(/^\uFEFF/, '').split('\n');
  const names = csvFields(header).map((name) => name.trim());
  const at = columnOf(names, options.column);
  const providerAt = options.providerColumn ? columnOf(names, options.providerColumn) : -1;
  for (const [index, row] of rows.entries()) {
    if (row.trim() === '') continue;
    const fields = csvFields(row);
    const provider = (fields[providerAt] ?? '').trim();
    const tag = provider ? { ...PLAIN_TAG, provider } : PLAIN_TAG;
    content.add(index + 2, row, parseRange((fields[at] ?? '').trim()), tag);
  }
  return content;
}

function columnOf(names: readonly string[], name: string): number {
  const at = names.indexOf(name);
  if (at < 0) throw new Error(`the first line has no column ${JSON.stringify(name)}`);
  return at;
}
