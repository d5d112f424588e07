import type { AsnTableBody, Partition } from '@vouchgraph/signals/internals/data/asn-table-format';
import { NumberWriter } from './number-writer.ts';

/** A range of addresses, both ends inclusive, and the autonomous system that announces it. */
export type AsnRange = { start: bigint; end: bigint; number: number; name: string };

/**
 * Packs ranges, sorted by their start, into a partition of each address space. Adjacent ranges of one system are merged.
 * Where two overlap, the one that starts later is more specific and takes precedence.
 */
export function buildBody(ipv4: Iterable<AsnRange>, ipv6: Iterable<AsnRange>): AsnTableBody {
  const namesByNumber = new Map<number, string>();
  const keepName = (range: AsnRange) => {
    if (!namesByNumber.has(range.number)) namesByNumber.set(range.number, plainName(range));
  };
  const entries = [partition(ipv4, 32n, keepName), partition(ipv6, 128n, keepName)] as const;
  const numbers = Uint32Array.from(namesByNumber.keys()).sort();
  const indexes = new Map([...numbers].map((number, index) => [number, index + 1]));
  const pack = (list: Entry[], words: 1 | 4): Partition => ({
    starts: Uint32Array.from(list.flatMap(({ start }) => wordsOf(start, words))),
    owners: Uint32Array.from(list, ({ number }) => (number === null ? 0 : indexes.get(number)!)),
  });
  return {
    numbers,
    ...packNames([...numbers].map((number) => namesByNumber.get(number)!)),
    ipv4: pack(entries[0], 1),
    ipv6: pack(entries[1], 4),
  };
}

type Entry = { start: bigint; number: number | null };

function partition(ranges: Iterable<AsnRange>, bits: bigint, visit: (range: AsnRange) => void): Entry[] {
  const entries: Entry[] = [];
  const add = (entry: Entry) => {
    if (entries.at(-1)?.start === entry.start) entries.pop();
    if (entries.at(-1)?.number !== entry.number) entries.push(entry);
  };
  add({ start: 0n, number: null });
  let next = 0n;
  for (const range of ranges) {
    visit(range);
    if (range.start > next) add({ start: next, number: null });
    add({ start: range.start, number: range.number });
    next = range.end + 1n;
  }
  if (next < 1n << bits) add({ start: next, number: null });
  return entries;
}

/** Some registries repeat the number, or a handle, in front of the name: `AS266689 - VOCALSAT ARGENTINA`. */
function plainName({ name, number }: AsnRange): string {
  const prefix = new RegExp(`^AS${number} - `);
  return name.replace(prefix, '').replaceAll(/"+/g, '"').trim();
}

function wordsOf(address: bigint, words: 1 | 4): number[] {
  return Array.from({ length: words }, (_, index) =>
    Number((address >> BigInt(32 * (words - 1 - index))) & 0xffffffffn),
  );
}

function packNames(names: readonly string[]): Pick<AsnTableBody, 'names' | 'nameEnds'> {
  const encoded = names.map((name) => Buffer.from(name));
  let end = 0;
  return {
    names: Buffer.concat(encoded),
    nameEnds: Uint32Array.from(encoded, ({ length }) => (end += length)),
  };
}

/** Writes the body; the same body gives the same bytes. */
export function encodeBody(body: AsnTableBody): Uint8Array {
  const writer = new NumberWriter();
  writer.ascending(body.numbers);
  writer.ascending(body.nameEnds);
  writer.ascending(body.ipv4.starts);
  writer.column(body.ipv4.owners);
  for (let word = 0; word < 4; word++) {
    const column = body.ipv6.starts.filter((_, index) => index % 4 === word);
    if (word === 0) writer.ascending(column);
    else writer.column(column);
  }
  writer.column(body.ipv6.owners);
  return Buffer.concat([writer.bytes(), body.names]);
}
