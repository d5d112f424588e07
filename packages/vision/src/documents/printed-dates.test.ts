import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realDay } from './dates.ts';
import { datesIn, isDay, monthNamed } from './printed-dates.ts';

const has = (text: string, country: string, year: number, month: number, day: number) =>
  datesIn(text, country).some((date) => isDay(date, { year, month, day }));

describe('a date in print', () => {
  it.each([
    ['12 AUG/AOUT 90', 'FR'],
    ['12 AUG / AOÛT 1990', 'CA'],
    ['12AUG1990', 'GB'],
    ['12AUGAOUT90', 'CA'],
    ['12 août 1990', 'FR'],
    ['12. August 1990', 'DE'],
    ['12 de agosto de 1990', 'ES'],
    ['12 ago 1990', 'IT'],
    ['12 AGO/AUG 1990', 'PT'],
    ['12 aug 1990', 'NL'],
    ['August 12, 1990', 'US'],
    ['AUG 12 1990', 'US'],
    ['1990 AUG 12', 'CA'],
    ['1990 AUG / AOÛ 12', 'CA'],
    ['1990-08-12', 'SE'],
    ['1990/08/12', 'JP'],
    ['1990.08.12.', 'HU'],
    ['19900812', 'SE'],
    ['12.08.90', 'DE'],
    ['12-08-1990', 'NL'],
    ['12/08/90', 'GB'],
    ['12 08 1990', 'BE'],
    ['12 . 08 . 1990', 'IT'],
    ['12·08·1990', 'ES'],
    ['12081990', 'PT'],
    ['08/12/1990', 'US'],
    ['08121990', 'US'],
    ['08-12-90', 'US'],
    ['3. 12.08.1990 HAMBURG', 'DE'],
    ['4 12.08.1990', 'DE'],
    ['Geburtsdatum12.08.1990M', 'DE'],
    ['DOB 12 AUG 90 SEX M', 'GB'],
    // Readings with errors.
    ['I2.O8.199O', 'DE'],
    ['12 4UG 1990', 'GB'],
    ['12 AG0 1990', 'ES'],
  ])('%s (%s) is 12 August 1990', (text, country) => {
    expect(has(text, country, 1990, 8, 12)).toBe(true);
  });

  it.each([
    ['26 0CT 2023', 10, 26],
    ['26 OKT/OCT 23', 10, 26],
    ['26 N0V 2023', 11, 26],
    ['5 Janv. 2023', 1, 5],
    ['5 GEN 2023', 1, 5],
    ['5 FEV/FEB 2023', 2, 5],
    ['5 MÄR 2023', 3, 5],
    ['5 MAR/MRZ 2023', 3, 5],
    ['5 ABR 2023', 4, 5],
    ['5 MAG/MAY 2023', 5, 5],
    ['5 GIU/JUN 2023', 6, 5],
    ['5 JUIN/JUNE 2023', 6, 5],
    ['5 LUG 2023', 7, 5],
    ['5 JUIL/JUL 2023', 7, 5],
    ['5 SETT 2023', 9, 5],
    ['5 SET/SEP 2023', 9, 5],
    ['5 OUT/OCT 2023', 10, 5],
    ['5 DEZ/DEC 2023', 12, 5],
    ['5 dicembre 2023', 12, 5],
  ])('%s has its month', (text, month, day) => {
    expect(has(text, 'DE', 2023, month, day)).toBe(true);
  });

  it('has the day first, except in the United States, and either order for an unknown country', () => {
    expect([has('03/04/1990', 'FR', 1990, 4, 3), has('03/04/1990', 'FR', 1990, 3, 4)]).toEqual([true, false]);
    expect([has('03/04/1990', 'US', 1990, 4, 3), has('03/04/1990', 'US', 1990, 3, 4)]).toEqual([false, true]);
    expect([has('03/04/1990', '', 1990, 4, 3), has('03/04/1990', '', 1990, 3, 4)]).toEqual([true, true]);
  });

  it('has any century for a two-digit year, and one century for four digits', () => {
    expect([has('12.08.90', 'DE', 1990, 8, 12), has('12.08.90', 'DE', 1890, 8, 12)]).toEqual([true, true]);
    expect(has('12.08.1990', 'DE', 1890, 8, 12)).toBe(false);
    expect(datesIn('12.08.90', 'DE')).toEqual([{ year: 90, month: 8, day: 12, hasCentury: false }]);
  });

  it.each([
    '31.02.1990',
    '12 FOO 1990',
    '12.13.1990',
    '112.08.1990',
    '12.08.19901',
    '12 JUI 1990',
    '532899734',
  ])('%s is not a date', (text) => {
    expect(datesIn(text, 'DE')).toEqual([]);
  });

  it('of two months is not a date', () => {
    expect(datesIn('12 AUG/SEP 1990', 'DE')).toEqual([]);
    expect([monthNamed('jui'), monthNamed('juil'), monthNamed('ma'), monthNamed('mär')]).toEqual([
      undefined,
      7,
      undefined,
      3,
    ]);
  });

  const two = (value: number) => String(value).padStart(2, '0');
  const day = fc
    .record({
      year: fc.integer({ min: 1900, max: 2060 }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 31 }),
    })
    .filter(({ year, month, day }) => realDay(year, month, day) !== null);
  const separator = fc.constantFrom('.', '/', '-', ' ', '. ', ' / ', '·');
  const SHORT_NAMES = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');

  it('is found in every form beside any text', () => {
    fc.assert(
      fc.property(day, separator, fc.boolean(), ({ year, month, day: d }, between, isShort) => {
        const shown = isShort ? two(year % 100) : String(year);
        for (const text of [
          [two(d), two(month), shown].join(between),
          `${two(d)} ${SHORT_NAMES[month - 1]} ${shown}`,
          `${two(d)}${SHORT_NAMES[month - 1]}${shown}`,
        ])
          for (const line of [text, `Date of birth: ${text}`, `7 ${text} M`, `${text} LONDON`])
            expect(has(line, 'GB', year, month, d), line).toBe(true);
      }),
    );
  });

  it('is almost never another day by chance', () => {
    let found = 0;
    const tries = 20_000;
    fc.assert(
      fc.property(fc.array(day, { minLength: 3, maxLength: 3 }), day, (printed, sought) => {
        fc.pre(printed.every((other) => JSON.stringify(other) !== JSON.stringify(sought)));
        const texts = printed.map((each, index) => {
          const year = index === 0 ? two(each.year % 100) : each.year;
          return `${two(each.day)}.${two(each.month)}.${year}`;
        });
        if (texts.some((text) => has(text, 'DE', sought.year, sought.month, sought.day))) found += 1;
      }),
      { numRuns: tries },
    );
    // Three dates of 160 years each, one of them with two digits of the year: about one in 26,000.
    expect(found / tries).toBeLessThan(0.0005);
  });
});
