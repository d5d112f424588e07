import { expect, it } from 'vitest';
import { isMisreadOnce, looksLike } from './lookalikes.ts';

it.each([
  ['C01X00T47', 'CO1X00T47', true],
  ['C01X00T47', 'C01X00T47', true],
  ['12345678', '12345B78', false],
  ['12345678', '1234567B', true],
  ['12345578', '123455Z8', false],
  ['L8989', 'I8989', true],
  ['AB12', 'AB1Z', true],
  // Two differences, another length, and characters that are never confused.
  ['C00X', 'COOX', false],
  ['C01X', 'C01', false],
  ['C01X', 'C01W', false],
])('%s is %s misread: %s', (a, b, expected) => {
  expect(isMisreadOnce(a, b)).toBe(expected);
  expect(isMisreadOnce(b, a)).toBe(expected);
});

it('digits that are misread as each other have another rule: 3 is not 8 here', () => {
  expect([looksLike('3', '8'), looksLike('0', '6'), looksLike('0', 'O'), looksLike('5', 'S')]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
