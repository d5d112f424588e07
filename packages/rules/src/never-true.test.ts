import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionsOver } from '../../../test/support/expressions.ts';
import { CATALOGUE, testLanguage } from '../../../test/support/rule-language.ts';
import type { Facts } from './expression.ts';

type Trigger = keyof typeof CATALOGUE.triggers;

const { anyExpression, anyFacts } = expressionsOver(CATALOGUE);
const TRIGGERS = Object.keys(CATALOGUE.triggers) as Trigger[];
const why = (trigger: Trigger, text: string) =>
  testLanguage.neverTrueReason(testLanguage.parse(text), trigger);

test.each<[Trigger, string, string]>([
  [
    'FACE_CHECK_COMPLETED',
    'verification.id_age < 18',
    'verification.id_age < 18 is never true: verification.id_age has no value on FACE_CHECK_COMPLETED',
  ],
  [
    'FACE_CHECK_COMPLETED',
    'session.bot > 0.5 AND (verification.kind = "id" OR verification.id_expired)',
    'verification.kind = "id" is never true: verification.kind is "face" on FACE_CHECK_COMPLETED',
  ],
  [
    'FIRST_SESSION',
    'NOT session.is_first',
    'NOT session.is_first = true is never true: session.is_first is true on FIRST_SESSION',
  ],
  [
    'ANY_SESSION',
    'account.country IN ["DE", "FR"] AND NOT account.country != "us"',
    'account.country IN ["DE", "FR"] AND NOT account.country != "us" is never true on ANY_SESSION',
  ],
])('%s: %s', (trigger, text, reason) => {
  expect(why(trigger, text)).toBe(reason);
});

test.each<[Trigger, string]>([
  ['ANY_SESSION', 'session.bot > 0.5 AND session.bot < 0.5'],
  ['ANY_SESSION', 'session.bot < 0'],
  ['ANY_SESSION', 'session.bot > 0.5 AND (session.bot = 0.2 OR NOT session.bot >= 0.4)'],
  ['ANY_SESSION', 'NOT (session.bot >= 0 OR session.bot < 0)'],
  ['ANY_SESSION', 'session.source != "web" AND session.source NOT IN ["ios", "ANDROID"]'],
  ['ANY_SESSION', 'session.source CONTAINS "fax"'],
  ['ANY_SESSION', 'session.source IS MISSING AND session.source = "web"'],
  ['ANY_SESSION', 'account.has_phone AND account.has_phone = false'],
  ['ANY_SESSION', 'lists IS MISSING AND lists MATCHES LIST "vip"'],
  ['ANY_SESSION', 'lists MATCHES LIST "vip" AND NOT lists MATCHES LIST "vip"'],
  ['ANY_SESSION', 'account.id = "a" AND account.id CONTAINS "b"'],
  ['FIRST_SESSION', 'account.num_sessions >= 2'],
  ['ID_CHECK_COMPLETED', 'verification.kind IS MISSING'],
])('%s: %s can never be true', (trigger, text) => {
  expect(why(trigger, text)).not.toBe(null);
});

test.each<[Trigger, string]>([
  ['ANY_SESSION', 'session.bot >= 1'],
  ['ANY_SESSION', 'session.bot > 0.5 AND session.bot < 0.500001'],
  ['ANY_SESSION', 'session.source IS MISSING'],
  ['ANY_SESSION', 'lists MATCHES LIST "vip" AND NOT lists MATCHES LIST "block"'],
  ['ANY_SESSION', 'lists IS PRESENT AND NOT lists MATCHES LIST "block"'],
  ['ANY_SESSION', 'NOT lists MATCHES LIST "block"'],
  ['ANY_SESSION', 'account.id CONTAINS "a" AND account.id != "a"'],
  ['ANY_SESSION', 'account.country = "de" AND account.country IN ["FR", "DE"]'],
  // A check binds a session.
  ['ANY_SESSION', 'verification.id_age < 18'],
  ['FIRST_SESSION', 'verification.kind = "face"'],
  ['FACE_CHECK_COMPLETED', 'verification.id_age < 18 OR verification.kind = "FACE"'],
  ['FACE_CHECK_COMPLETED', 'verification.id_age IS MISSING'],
  ['FIRST_SESSION', 'account.num_sessions <= 1'],
])('%s: %s can be true', (trigger, text) => {
  expect(why(trigger, text)).toBe(null);
});

/** Facts as they occur on a trigger. */
function onTrigger(facts: Facts, trigger: Trigger): Facts {
  const { fixed, absent } = CATALOGUE.triggers[trigger];
  return { ...facts, ...fixed, ...Object.fromEntries([...absent].map((name) => [name, null])) };
}

test('an expression that is true for some facts of a trigger is never rejected', () => {
  fc.assert(
    fc.property(anyExpression, anyFacts, fc.constantFrom(...TRIGGERS), (expression, facts, trigger) => {
      fc.pre(testLanguage.compile(expression)(onTrigger(facts, trigger)) === true);
      expect(testLanguage.neverTrueReason(expression, trigger)).toBe(null);
    }),
    { numRuns: 2000 },
  );
});

// Time that grows with the number of combinations would not end.
test('the largest expressions are analyzed', () => {
  const many = Array.from({ length: 300 }, (_, index) => `session.bot != 0.${1000 + index}`);
  const branches = Array.from({ length: 300 }, (_, index) => `session.bot > 0.${1000 + index}`);
  const expression = testLanguage.parse(`${many.join(' AND ')} AND (${branches.join(' OR ')})`);
  expect(testLanguage.neverTrueReason(expression, 'ANY_SESSION')).toBe(null);
});
