import { expect, test } from 'vitest';
import { maskEmail, maskName, maskPhone, maskUsername } from './mask-value.ts';

test.each([
  [maskEmail, 'ada.lovelace@example.com', 'a…e@example.com'],
  [maskEmail, 'abc@example.com', 'a…@example.com'],
  [maskEmail, 'a@x.de', '…@x.de'],
  [maskEmail, 'not an address', 'n…s'],
  [maskEmail, '', ''],
  [maskPhone, '+14155552671', '+14…71'],
  [maskPhone, '12345', '1…5'],
  [maskPhone, '', ''],
  [maskUsername, 'grace', 'g…e'],
  [maskUsername, 'bob', 'b…'],
  [maskUsername, '😀😀😀😀', '😀…😀'],
  [maskUsername, '', ''],
])('%o masks %j as %j', (mask, value, masked) => {
  expect(mask(value)).toBe(masked);
});

test('a name is masked to its initials', () => {
  expect(maskName('Ada', 'Lovelace')).toBe('A… L…');
  expect(maskName('', 'Lovelace')).toBe('L…');
  expect(maskName('Ai', 'X')).toBe('… …');
});
