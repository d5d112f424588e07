import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalisePhone } from './phone-number.ts';

test.each([
  ['+1 (415) 555-2671', null, '+14155552671'],
  ['07911 123456', 'GB', '+447911123456'],
  ['0044 20 7946 0958', null, '+442079460958'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  ['0044 20 7946 0958', 'US', '+442079460958'],
  ['0011 44 20 7946 0958', 'AU', '+442079460958'],
  ['+0044 20 7946 0958', null, '+442079460958'],
  ['+44 (0)20 7946 0958', null, '+442079460958'],
  ['tel:+44-20-7946-0958', null, '+442079460958'],
  ['+４４ ２０ ７９４６ ０９５８', null, '+442079460958'],
  ['٠٧٩١١١٢٣٤٥٦', 'GB', '+447911123456'],
  ['\u202a+14155552671\u202c', null, '+14155552671'],
  ['+1 415 555 2671 ext. 5', null, '+14155552671'],
  ['+39 06 1234 5678', null, '+390612345678'],
  ['+33612345678', 'US', '+33612345678'],
])('%s with country %s is %s', (text, country, e164) => {
  expect(normalisePhone(text, country)).toEqual({ valid: true, e164, matchKey: e164 });
});

test.each([
  ['07911 123456', null, '07911123456'],
  ['07911 123456', 'XX', '07911123456'],
  ['14155552671', 'GB', '14155552671'],
  ['+12345', null, '12345'],
  ['0011 44 20 7946 0958', null, '0011442079460958'],
  ['call +1 415 555 2671 now', null, '14155552671'],
  ['n/a', null, ''],
  ['', 'US', ''],
])('%s with country %s is no number and keeps its digits', (text, country, digits) => {
  expect(normalisePhone(text, country)).toEqual({ valid: false, e164: '', matchKey: digits });
});

test('never throws, and its own answer reads back the same', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[+0-9() .-]{0,20}$/)),
      fc.constantFrom(null, 'US', 'GB', 'IT', 'BR'),
      (text, country) => {
        const once = normalisePhone(text, country);
        expect(once.matchKey).toMatch(/^\+?\d*$/);
        if (once.valid) expect(normalisePhone(once.e164, null)).toEqual(once);
      },
    ),
  );
});
