import { describe, expect, it } from 'vitest';
import {
  ageOn,
  parseUsDate,
  printedDay,
  shortBirth,
  shortExpiry,
  usDate,
  wholeYearsBetween,
} from './dates.ts';

const NOW = new Date('2026-11-21T23:59:00Z');
const day = (text: string) => parseUsDate(text)!;

describe('a printed date', () => {
  it.each([
    ['15.07.2019', 'DE', '07/15/2019'],
    ['15 07 2019', 'FR', '07/15/2019'],
    ['15 JUL 2019', 'GB', '07/15/2019'],
    ['15JUL2019', '', '07/15/2019'],
    ['15 JUL /JUIL 2019', 'CA', '07/15/2019'],
    ['3 février 2001', 'FR', '02/03/2001'],
    ['1 März 1990', 'DE', '03/01/1990'],
    ['260CT2023', 'GB', '10/26/2023'],
    ['26 N0V 2023', 'GB', '11/26/2023'],
    ['12 DIC 1988', 'ES', '12/12/1988'],
    ['July 4, 1999', 'US', '07/04/1999'],
    ['04/07/1999', 'US', '04/07/1999'],
    ['04/07/1999', 'GB', '07/04/1999'],
    ['2001-02-28', 'NL', '02/28/2001'],
    ['DOB 02/05/1982 M', 'US', '02/05/1982'],
    ['28022001', 'ES', '02/28/2001'],
    // For an unknown country, a day above twelve determines the order.
    ['13/07/1999', '', '07/13/1999'],
    ['07/13/1999', '', '07/13/1999'],
    ['07/07/1999', '', '07/07/1999'],
  ])('%s in %s is %s', (text, country, expected) => {
    expect(usDate(printedDay(text, country))).toBe(expected);
  });

  it.each([
    ['04/07/1999', ''],
    ['31.02.2000', 'DE'],
    ['29.02.2001', 'DE'],
    ['13/13/2000', 'US'],
    ['15 FOO 2019', 'GB'],
    ['123456789', 'DE'],
    ['', 'DE'],
  ])('%s in %s is not a date', (text, country) => {
    expect(printedDay(text, country)).toBeNull();
  });
});

describe('two digits of a year', () => {
  it('of a birth are never after today', () => {
    expect(usDate(shortBirth('261121', NOW))).toBe('11/21/2026');
    expect(usDate(shortBirth('261122', NOW))).toBe('11/22/1926');
    expect(usDate(shortBirth('990101', NOW))).toBe('01/01/1999');
    expect(shortBirth('990231', NOW)).toBeNull();
    expect(shortBirth('99O101', NOW)).toBeNull();
  });

  it('of an expiry are at most thirty years ahead', () => {
    expect(usDate(shortExpiry('360101', NOW))).toBe('01/01/2036');
    expect(usDate(shortExpiry('560101', NOW))).toBe('01/01/2056');
    expect(usDate(shortExpiry('991231', NOW))).toBe('12/31/1999');
    expect(usDate(shortExpiry('050101', new Date('2096-01-01')))).toBe('01/01/2105');
  });
});

describe('an age', () => {
  it.each([
    ['02/29/2008', '02/28/2026', 17],
    ['02/29/2008', '03/01/2026', 18],
    ['02/29/2008', '02/29/2024', 16],
    ['11/22/2008', '11/21/2026', 17],
    ['11/21/2008', '11/21/2026', 18],
    ['11/21/2026', '11/21/2026', 0],
  ])('of a person born %s is on %s %i', (born, today, age) => {
    expect(ageOn(day(born), day(today))).toBe(age);
  });

  it('is null before birth', () => {
    expect(ageOn(day('11/22/2026'), day('11/21/2026'))).toBeNull();
  });
});

it('whole years are between anniversaries, with a tolerance of a day', () => {
  expect(wholeYearsBetween(day('04/27/2021'), day('04/26/2031'))).toEqual({ years: 10, isWhole: true });
  expect(wholeYearsBetween(day('04/27/2021'), day('06/26/2031'))).toEqual({ years: 10, isWhole: false });
  expect(wholeYearsBetween(day('04/27/2021'), day('04/27/2021'))).toBeNull();
});
