import type { HashAlgorithm } from '../spelled-hashes.ts';
import type { DataRecord } from './data-record.ts';

/** Receives what the readers of formats find. Reasons name no content: a line can hold an address. */
export type RowSink = {
  /** A hash with its record; `hash` is valid during the call only. */
  add(algorithm: HashAlgorithm, hash: Buffer, record: DataRecord): void;
  /** A row ended: it was added under one hash or more. */
  row(): void;
  bad(line: number, reason: string): void;
  /** A value of a row was left out. */
  badValue(line: number, reason: string): void;
  padding(): void;
};

/** The record of a row that says nothing but its hash. */
export const PLAIN_RECORD: DataRecord = {};
