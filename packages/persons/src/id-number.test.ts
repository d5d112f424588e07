import { expect, test } from 'vitest';
import { idNumberKey } from './id-number.ts';

const key = (value: string, type: 'passport' | 'tax_id' = 'passport', country = 'DE') =>
  idNumberKey({ type, country, value });

test.each(['C01X00T47', 'c01x00t47', ' C01X 00T47 ', 'C01-X00.T47', 'C01X/00T47', 'Ｃ01Ｘ00Ｔ47'])(
  '%s is the same number in any spelling',
  (value) => expect(key(value)).toBe('passport DE C01X00T47'),
);

test('the same number of another type or country is another number', () => {
  const keys = [key('C01X00T47'), key('C01X00T47', 'tax_id'), key('C01X00T47', 'passport', 'AT')];
  expect(new Set([...keys, key('C01X00T47', 'passport', '')]).size).toBe(4);
});

test.each([
  '000000000',
  '000-00-0000',
  'XXXXXXXX',
  '123456789',
  '123-45-6789',
  '0123456789',
  '987654321',
  'n/o/n/e',
  'Not given',
  '078-05-1120',
])('%s is a placeholder without a key', (value) => expect(key(value)).toBe(''));

test.each(['--', '...', ''])('%j is not a number', (value) => expect(key(value)).toBe(''));

test.each(['123456798', '100000000', 'A1234567', 'NONE12'])('%s is a number', (value) =>
  expect(key(value)).not.toBe(''),
);
