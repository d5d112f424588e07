import { isUtf8 } from 'node:buffer';
import { parseCsvRecord } from '@vouchgraph/platform/csv';
import type { ProviderKind } from '../provider.ts';
import type { HashAlgorithm } from '../spelled-hashes.ts';
import { parseDigest } from './hex-digest.ts';
import type { LineReceiver } from './read-lines.ts';
import { readRecord } from './record-values.ts';
import { PLAIN_RECORD, type RowSink } from './row-sink.ts';

/** The columns with digests and their algorithms; `hash` accepts both. */
const HASH_COLUMNS = { hash: null, sha1: 'sha1', sha256: 'sha256' } as const;

/** Reads a table with a header; fields are separated by the comma, semicolon or tab that the header has most of. */
export function csvReader(sink: RowSink, kind: ProviderKind): LineReceiver {
  let header: { names: string[]; separator: string } | null = null;
  return (bytes, start, end, line) => {
    if (start === end) return;
    const text = textOf(bytes, start, end);
    if (header === null) {
      header = readHeader(text ?? '');
      return;
    }
    if (text === null) {
      sink.bad(line, 'must be UTF-8');
      return;
    }
    const { fields, problem } = parseCsvRecord(text, header.separator);
    if (problem !== null) sink.bad(line, 'has an unclosed quote, or text after a closing quote');
    else if (fields.length !== header.names.length)
      sink.bad(line, `has ${fields.length} fields where the header has ${header.names.length}`);
    else readRow(sink, kind, line, new Map(header.names.map((name, index) => [name, fields[index]!])));
  };
}

/** Reads one JSON object a line, with the names of columns as keys. */
export function ndjsonReader(sink: RowSink, kind: ProviderKind): LineReceiver {
  return (bytes, start, end, line) => {
    const text = textOf(bytes, start, end);
    if (text?.trim() === '') return;
    const object = text === null ? null : parseObject(text);
    if (object === null) {
      sink.bad(line, 'must be a JSON object');
      return;
    }
    const row = new Map<string, string>();
    for (const [name, value] of Object.entries(object)) {
      if (typeof value === 'string') row.set(name.toLowerCase(), value);
      else if (typeof value === 'number') row.set(name.toLowerCase(), String(value));
    }
    readRow(sink, kind, line, row);
  };
}

function readRow(sink: RowSink, kind: ProviderKind, line: number, row: ReadonlyMap<string, string>): void {
  const digests: { algorithm: HashAlgorithm; hash: Buffer }[] = [];
  for (const [column, algorithm] of Object.entries(HASH_COLUMNS)) {
    const text = row.get(column)?.trim() ?? '';
    if (text === '') continue;
    const digest = parseDigest(text);
    if (digest === null || (algorithm !== null && digest.algorithm !== algorithm)) {
      sink.bad(line, `${column}: must be a ${digestName(algorithm)} digest in hexadecimal digits`);
      return;
    }
    digests.push(digest);
  }
  if (digests.length === 0) {
    sink.bad(line, 'has no digest in hash, sha1 or sha256');
    return;
  }
  const { record, problems } = readRecord(kind, row);
  for (const problem of problems) sink.badValue(line, problem);
  const isPlain = Object.keys(record).length === 0;
  for (const { algorithm, hash } of digests) sink.add(algorithm, hash, isPlain ? PLAIN_RECORD : record);
  sink.row();
}

function digestName(algorithm: HashAlgorithm | null): string {
  if (algorithm === null) return 'SHA-1 or SHA-256';
  return algorithm === 'sha1' ? 'SHA-1' : 'SHA-256';
}

function textOf(bytes: Buffer, start: number, end: number): string | null {
  const line = bytes.subarray(start, end);
  return isUtf8(line) ? line.toString() : null;
}

function readHeader(text: string): { names: string[]; separator: string } {
  const separator = [',', ';', '\t'].reduce((best, each) =>
    text.split(each).length > text.split(best).length ? each : best,
  );
  const { fields, problem } = parseCsvRecord(text, separator);
  const names = problem === null ? fields.map((name) => name.trim().toLowerCase()) : [];
  if (!names.some((name) => Object.hasOwn(HASH_COLUMNS, name)))
    throw new Error('the first line must name a column hash, sha1 or sha256');
  return { names, separator };
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
