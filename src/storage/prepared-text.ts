import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Row } from './statement.ts';

/** Texts that vary without end would fill the memory of connections: these are few. */
const names = new LRUCache<string, string>({ max: 500 });

/**
 * Runs a statement of a library without a name, prepared once per connection under a name derived from its text: planning
 * costs more than running it. Statements without parameters may be several in one text, which cannot be prepared.
 */
export function queryPrepared(
  client: pg.ClientBase,
  text: string,
  values?: readonly unknown[],
): Promise<{ rows: Row[] }> {
  if (!values || values.length === 0) return client.query(text);
  let name = names.get(text);
  if (!name) {
    name = `jobs:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
  }
  return client.query({ name, text, values: values as unknown[] });
}
