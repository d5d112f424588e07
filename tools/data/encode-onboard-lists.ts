import type { RangeTable } from '@vouchgraph/signals/internals/feeds/range-set';
import { NumberWriter } from './number-writer.ts';

/** The body, uncompressed; the same tables give the same bytes. */
export function encodeTables(tables: readonly RangeTable[]): Uint8Array {
  const writer = new NumberWriter();
  for (const { starts4, tags4, starts6, tags6 } of tables) {
    writer.ascending(starts4);
    writer.column(Uint32Array.from(tags4, (tag) => tag + 1));
    for (let word = 0; word < 4; word++) {
      const column = starts6.filter((_, index) => index % 4 === word);
      if (word === 0) writer.ascending(column);
      else writer.column(column);
    }
    writer.column(Uint32Array.from(tags6, (tag) => tag + 1));
  }
  return writer.bytes();
}
