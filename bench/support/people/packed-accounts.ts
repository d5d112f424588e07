import { deserialize, serialize } from 'node:v8';
import type { ModelAccount } from '../linking/model-account.ts';

/**
 * Accounts of the model, outside of the heap: a million of them as objects are gigabytes, whose collection takes a part of the processor
 * time and of the caches that are measured.
 */
export type PackedAccounts = {
  readonly length: number;
  at(place: number): ModelAccount;
  /** For a file. */
  readonly bytes: PackedBytes;
};

/** The accounts of each chunk behind each other, and where in its chunk each account ends. */
type PackedBytes = { chunks: readonly Buffer[]; ends: Uint32Array };

const CHUNK = 10_000;

export function packAccounts(accounts: readonly ModelAccount[]): PackedAccounts {
  const chunks: Buffer[] = [];
  const ends = new Uint32Array(accounts.length);
  for (let start = 0; start < accounts.length; start += CHUNK) {
    const packed = accounts.slice(start, start + CHUNK).map((account) => serialize(account));
    let end = 0;
    for (const [index, bytes] of packed.entries()) {
      end += bytes.length;
      ends[start + index] = end;
    }
    chunks.push(Buffer.concat(packed));
  }
  return unpackBytes({ chunks, ends });
}

export function unpackBytes(bytes: PackedBytes): PackedAccounts {
  const { chunks, ends } = bytes;
  return {
    length: ends.length,
    at(place) {
      const begin = place % CHUNK === 0 ? 0 : ends[place - 1]!;
      return deserialize(chunks[Math.floor(place / CHUNK)]!.subarray(begin, ends[place]!)) as ModelAccount;
    },
    bytes,
  };
}
