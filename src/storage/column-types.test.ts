import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COLUMN_TYPES } from './column-types.ts';

const TIMESTAMPTZ = 1184;
const parse = COLUMN_TYPES.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date;

test('timestamps are read in the format of PostgreSQL', () => {
  const noInvalidDate = true;
  fc.assert(
    fc.property(
      fc.date({
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate,
      }),
      fc.integer({ min: 0, max: 999 }),
      (date, microseconds) => {
        const iso = date.toISOString();
        const fraction = `${iso.slice(20, 23)}${String(microseconds).padStart(3, '0')}`.replace(/0+$/, '');
        const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}${fraction && `.${fraction}`}+00`;
        expect(parse(text)).toEqual(date);
      },
    ),
  );
});

test('other formats are read too', () => {
  expect(parse('2025-06-10 16:35:22.184+02')).toEqual(new Date('2025-06-10T14:35:22.184Z'));
  expect(parse('12025-06-10 16:35:22+00').getUTCFullYear()).toBe(12025);
  expect(parse('0044-03-15 00:00:00+00 BC').getUTCFullYear()).toBe(-43);
});
