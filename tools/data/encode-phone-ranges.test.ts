import { decodePhoneRanges } from '@vouchgraph/phone/internals/phone-ranges-format';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodePhoneRanges, type PrefixRows } from './encode-phone-ranges.ts';

const ABOUT = { source: 'test', sourceVersion: '1', licence: 'none', attribution: 'nobody' };
const encode = (carriers: PrefixRows) => encodePhoneRanges(ABOUT, { carriers, regions: [], timezones: [] });

test('written prefixes are read back, each with its name', () => {
  const prefix = fc.stringMatching(/^[1-9]\d{0,8}$/);
  const rows = fc.uniqueArray(fc.tuple(prefix, fc.constantFrom('a', 'b', 'ö é', 'San Francisco, CA')), {
    selector: ([key]) => key,
    maxLength: 40,
  });
  fc.assert(
    fc.property(rows, (all) => {
      const { header, tables } = decodePhoneRanges(encode(all));
      expect(header).toMatchObject({ ...ABOUT, tables: { carriers: { prefixes: all.length } } });
      expect(tables.carriers.size).toBe(all.length);
      for (const [key, name] of all) expect(tables.carriers.find(key)).toBe(name);
      expect([tables.regions.size, tables.timezones.size]).toEqual([0, 0]);
    }),
  );
});

test('equal rows produce equal bytes', () => {
  const rows: PrefixRows = [
    ['49', 'Germany'],
    ['4930', 'Berlin'],
  ];
  expect(encode(rows).equals(encode(rows))).toBe(true);
});
