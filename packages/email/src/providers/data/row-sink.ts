import type { HashAlgorithm } from '../spelled-hashes.ts';
import type { DataRecord } from './data-record.ts';

/** Receives the rows that the format readers parse. Reasons contain no content: a line can contain an address. */
export type RowSink = {
  /** A hash with its record; `hash` is valid during the call only. */
  add(algorithm: HashAlgorithm, hash: Buffer, record: DataRecord): void;
  /** A row ended: it was added under one hash or more. */
  row(): void;
  bad(line: number, reason: string): void;
  /** A value of a row was omitted. */
  badValue(line: number, reason: string): void;
  padding(): void;
};

/** Record of a row without values besides its hash. */
export const PLAIN_RECORD: DataRecord = {};
