import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';

/** A statement that is prepared once per connection, under its name. The name is also used in metrics and tests. */
export type Statement = { readonly name: string; readonly text: string };
export type Call = readonly [statement: Statement, values: readonly unknown[]];

const WRITES = /\b(insert into|delete from|update\s+\w+(\s+\w+)?\s+set)\b/i;

/** Whether a statement changes rows. */
export function isWrite({ text }: Statement): boolean {
  return WRITES.test(text);
}

/** Receives the name of every statement sent. For one of Prisma, its first word. */
export type StatementObserver = (name: string) => void;

/** The name under which a statement of Prisma is counted. */
export function countedName(text: string): string {
  return `prisma:${text.split(' ', 1)[0]}`;
}

// biome-ignore lint/suspicious/noExplicitAny: rows are as wide as their statement; stores give them their type
export type Row = any;

/** Sends a statement over a connection. */
export function send(
  observe: StatementObserver,
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  observe(statement.name);
  return client.query({ name: serverName(statement), text: statement.text, values: values as unknown[] });
}

/** The server cuts names at 63 bytes, and two with the same beginning would collide: a long one ends in its text's hash. */
const shortNames = new LRUCache<string, string>({ max: 2000 });
export function serverName({ name, text }: Statement): string {
  if (name.length <= 63) return name;
  let short = shortNames.get(name);
  if (!short) {
    short = `${name.slice(0, 40)}:${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;
    shortNames.set(name, short);
  }
  return short;
}
