import type { Facts } from '@vouchgraph/rules';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionsOver } from '../../../test/support/expressions.ts';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import { FIELDS, METADATA, METADATA_FIELD } from './field-catalogue.ts';
import { TRIGGERS, type Trigger } from './rule.ts';
import { ruleLanguage } from './rule-language.ts';

const { anyExpression, anyFacts } = expressionsOver({
  fields: FIELDS,
  metadata: { root: METADATA, field: METADATA_FIELD },
});

test('every built-in rule can match', () => {
  for (const { trigger, expression } of BUILT_IN_RULES)
    expect(ruleLanguage.neverTrueReason(ruleLanguage.parse(expression), trigger), expression).toBe(null);
});

/** Facts as they occur on a trigger. */
function onTrigger(facts: Facts, trigger: Trigger): Facts {
  switch (trigger) {
    case 'ID_CHECK_COMPLETED':
      return { ...facts, 'verification.kind': 'id' };
    case 'FACE_CHECK_COMPLETED': {
      const fields = Object.entries(FIELDS).filter(([, { on }]) => on === 'document');
      return {
        ...facts,
        'verification.kind': 'face',
        ...Object.fromEntries(fields.map(([name]) => [name, null])),
      };
    }
    case 'FIRST_SESSION':
      return { ...facts, 'session.is_first': true, 'account.num_sessions': 1 };
    case 'ANY_SESSION':
      return facts;
  }
}

test('an expression that is true for some facts of a trigger is never rejected', () => {
  fc.assert(
    fc.property(anyExpression, anyFacts, fc.constantFrom(...TRIGGERS), (expression, facts, trigger) => {
      fc.pre(ruleLanguage.compile(expression)(onTrigger(facts, trigger)) === true);
      expect(ruleLanguage.neverTrueReason(expression, trigger)).toBe(null);
    }),
    { numRuns: 2000 },
  );
});

test.each<[string, string]>([
  ['lists MATCHES LIST "a/b"', '"a/b" is not the name of a list: must be printable characters without /'],
  [
    'lists MATCHES LIST "Block"',
    '"Block" is not the name of a list: must not resemble the name of a standard list',
  ],
])('%s is rejected with the rules for names of lists', (text, message) => {
  expect(() => ruleLanguage.parse(text)).toThrow(message);
});
