import { expect, test } from 'vitest';
import {
  hideText,
  maskDate,
  maskDomain,
  maskEmail,
  maskIp,
  maskName,
  maskNumber,
  maskPhone,
  maskSentence,
  maskShortened,
} from './mask-text.ts';

test.each([
  [maskEmail, 'john.doe@gmail.com', 'j•••@g•••.com'],
  [maskEmail, 'a@b.co', 'a•••@b•••.co'],
  [maskEmail, 'ada@mail.example.co.uk', 'a•••@m•••.uk'],
  [maskEmail, 'ada@intranet', 'a•••@i•••'],
  [maskEmail, 'ada@[10.0.0.1]', 'a•••@•••'],
  [maskEmail, 'not an address', '•••'],
  [maskEmail, '@example.com', '•••'],
  [maskEmail, 'ada@', 'a•••@'],
  [maskEmail, '👩‍💻x@é́.fr', '👩‍💻•••@é́•••.fr'],
  [maskDomain, 'gmail.com', 'g•••.com'],
  [maskDomain, '10.0.0.1', '•••'],
  [maskPhone, '+14155552671', '+14•••71'],
  [maskPhone, '(415) 555-2671', '41•••71'],
  [maskPhone, '+41123456', '•••56'],
  [maskPhone, '12345', '•••'],
  [maskPhone, 'call me', '•••'],
  [maskName, 'John', 'J•••'],
  [maskName, 'J', '•••'],
  [maskName, 'Al', '•••'],
  [maskName, 'A\u030A\u0308sa', 'A\u030A\u0308•••'],
  [maskName, '👨‍👩‍👧', '•••'],
  [maskDate, '1990-04-01', '••••-••-••'],
  [maskDate, 'yesterday', '••••-••-••'],
  [maskIp, '203.119.7.9', '203.•••'],
  [maskIp, '2001:db8::1', '2001:•••'],
  [maskIp, '::1', '•••'],
  [maskNumber, 'X1234567', '•••67'],
  [maskNumber, '1234567', '•••'],
  [hideText, 'a friend of Ada', '•••'],
  [maskShortened, 'a…e@example.com', 'a•••@e•••.com'],
  [maskShortened, '+14…71', '+14•••71'],
  [maskShortened, 'A… L…', 'A•••'],
  [maskShortened, '1984-…', '•••'],
  [maskShortened, '0a1b2c3d', '0a1b2c3d'],
])('%o masks %j as %j', (mask, value, masked) => {
  expect(mask(value)).toBe(masked);
});

test('an unknown value stays empty', () => {
  for (const mask of [maskEmail, maskDate, maskIp, maskName, maskNumber, maskPhone, maskSentence, hideText])
    expect(mask('')).toBe('');
});

test.each([
  ['203.119.7.9 is in 203.119.7.0/24', '203.••• is in 203.•••/24'],
  ['address 2001:db8:0:1::7, seen', 'address 2001:•••, seen'],
  ['profile of ada@example.com', 'profile of a•••@e•••.com'],
  ['call +1 (415) 555-2671 now', 'call +14•••71 now'],
  ['born 1990-04-01', 'born ••••-••-••'],
  ['at least 120 km in 2.5 hours at 10:30:15', 'at least 120 km in 2.5 hours at 10:30:15'],
  ['Chrome 137.0.7151.68 on Windows 10.0', 'Chrome 137.0.7151.68 on Windows 10.0'],
])('a sentence masks the values in it: %s', (sentence, masked) => {
  expect(maskSentence(sentence)).toBe(masked);
});
