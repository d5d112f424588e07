import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ENTRY_BYTES, HASH_BYTES } from './entry.ts';
import { createEntrySorter } from './entry-sorter.ts';
import { sortEntries } from './sort-entries.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-entry-sorter-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Few distinct entries that differ in one byte: equal entries and equal prefixes are frequent. */
const narrow = fc
  .tuple(fc.integer({ min: 0, max: HASH_BYTES - 1 }), fc.constantFrom(0, 1, 255))
  .map(([at, value]) => Array.from({ length: HASH_BYTES }, (_, index) => (index === at ? value : 1)));
const hash = fc.oneof(
  narrow,
  fc.uint8Array({ minLength: HASH_BYTES, maxLength: HASH_BYTES }).map((b) => [...b]),
);
const entry = fc.record({
  hash: hash.map((bytes) => Buffer.from(bytes)),
  position: fc.constantFrom(0, 1, 2 ** 47),
});

const hexOf = ({ hash, position }: { hash: Buffer; position: number }) =>
  hash.toString('hex') + position.toString(16).padStart(12, '0');

test('the output equals the sorted input without duplicates, for any division into runs', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (entries, chunk) => {
      const file = path.join(folder, 'runs');
      const sorter = createEntrySorter(file, chunk);
      for (const { hash, position } of entries) sorter.add(hash, position);
      const blocks = [...sorter.sorted()].map((block) => Buffer.from(block));
      sorter.close();
      const text = Buffer.concat(blocks).toString('hex');
      const found = text.match(new RegExp(`.{${ENTRY_BYTES * 2}}`, 'g')) ?? [];
      expect(found).toEqual([...new Set(entries.map(hexOf))].sort());
      expect(existsSync(file)).toBe(false);
    }),
  );
});

test('many entries that differ only in their last bytes are sorted', () => {
  const entries = Buffer.alloc(5000 * ENTRY_BYTES);
  for (let index = 0; index < 5000; index++)
    entries.writeUInt32BE((index * 2_654_435_761) >>> 0, (index + 1) * ENTRY_BYTES - 4);
  const hex = (bytes: Buffer) => bytes.toString('hex').match(new RegExp(`.{${ENTRY_BYTES * 2}}`, 'g'))!;
  expect(hex(sortEntries(entries))).toEqual(hex(entries).sort());
});
