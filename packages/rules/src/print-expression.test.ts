import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionsOver } from '../../../test/support/expressions.ts';
import { CATALOGUE, testLanguage } from '../../../test/support/rule-language.ts';
import { printExpression } from './print-expression.ts';

test.each([
  ['session.bot>0.5 ', 'session.bot > 0.5'],
  ['session.is_first', 'session.is_first = true'],
  ['session.is_first != TRUE', 'session.is_first != true'],
  ["account.country≠'de'", 'account.country != "de"'],
  ['account.age_days ≤ +07.50', 'account.age_days <= 7.5'],
  ['account.age_days > -0', 'account.age_days > 0'],
  ['account.id in (\'a"b\', "c")', 'account.id IN ["a\\"b", "c"]'],
  ["session.ip_address in network '10.0.0.0/8'", 'session.ip_address IN NETWORK "10.0.0.0/8"'],
  ['session.ip_address in network ["::/0"]', 'session.ip_address IN NETWORK "::/0"'],
  [
    'session.ip_address NOT IN NETWORK ("::/0","1.1.1.1")',
    'session.ip_address NOT IN NETWORK ["::/0", "1.1.1.1"]',
  ],
  [`account.metadata.'plan'."a b".c1 = 'x'`, 'account.metadata.plan."a b".c1 = "x"'],
  ['account.id not in ["a"]', 'account.id NOT IN ["a"]'],
  ['lists matches list "vip"', 'lists MATCHES LIST "vip"'],
  ['verification.id_age is missing', 'verification.id_age IS MISSING'],
  ['((session.bot > 1))', 'session.bot > 1'],
  [
    '(session.bot > 1 AND session.is_first) OR session.simulated',
    'session.bot > 1 AND session.is_first = true OR session.simulated = true',
  ],
  [
    '(session.bot > 1 AND session.is_first) AND session.simulated',
    '(session.bot > 1 AND session.is_first = true) AND session.simulated = true',
  ],
  ['NOT(NOT session.is_first)', 'NOT NOT session.is_first = true'],
  [
    'not (session.is_first or session.simulated)',
    'NOT (session.is_first = true OR session.simulated = true)',
  ],
])('%s is printed as %s', (text, canonical) => {
  expect(printExpression(testLanguage.parse(text))).toBe(canonical);
  expect(printExpression(testLanguage.parse(canonical))).toBe(canonical);
});

const { anyExpression, anyMetadataExpression } = expressionsOver(CATALOGUE);

test('printed expressions parse to the same expression and print the same text', () => {
  fc.assert(
    fc.property(fc.oneof(anyExpression, anyMetadataExpression), (expression) => {
      const text = printExpression(expression);
      const read = testLanguage.parse(text);
      expect(read).toEqual(expression);
      expect(printExpression(read)).toBe(text);
    }),
    { numRuns: 500 },
  );
});
