import { type Facts, fieldsOf, printExpression } from '@vouchgraph/rules';
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import { FIELDS } from './field-catalogue.ts';
import { ruleLanguage } from './rule-language.ts';

test.each(BUILT_IN_RULES)('$key has the printed form of its expression and a description', (rule) => {
  expect(printExpression(ruleLanguage.parse(rule.expression))).toBe(rule.expression);
  expect(rule.description).toMatch(/^[A-Z].*\.$/);
  expect(rule.actions.length).toBeGreaterThan(0);
});

test.each(BUILT_IN_RULES)('$key reads the facts at evaluation time', ({ expression, trigger }) => {
  if (trigger === 'ID_CHECK_COMPLETED' || trigger === 'FACE_CHECK_COMPLETED') return;
  for (const name of fieldsOf(ruleLanguage.parse(expression)))
    expect(FIELDS[name]?.on).toMatch(/^(session|any)$/);
});

test('keys and names are unique', () => {
  expect(new Set(BUILT_IN_RULES.map(({ key }) => key)).size).toBe(BUILT_IN_RULES.length);
  expect(new Set(BUILT_IN_RULES.map(({ name }) => name)).size).toBe(BUILT_IN_RULES.length);
});

test.each<[key: string, matching: Facts, other: Facts]>([
  ['age_under_16', { 'verification.id_age': 15 }, { 'verification.id_age': 16 }],
  ['age_under_18', { 'verification.id_age': 17 }, { 'verification.id_age': 18 }],
  [
    'repeat_face',
    { 'verification.face_of_another_account': true },
    { 'verification.face_of_another_account': false },
  ],
  [
    'repeat_document',
    { 'verification.document_of_another_account': true },
    { 'verification.document_of_another_account': false },
  ],
  [
    'disposable_email_and_vpn',
    { 'account.email.disposable': true, 'session.risk_signals.vpn': true },
    { 'account.email.disposable': true, 'session.risk_signals.vpn': false },
  ],
  [
    'many_accounts_per_device',
    { 'velocity.accounts_per_device_1d': 6 },
    { 'velocity.accounts_per_device_1d': 5 },
  ],
  [
    'impossible_travel_and_new_device',
    { 'session.risk_signals.impossible_travel': true, 'session.is_new_device': true },
    { 'session.risk_signals.impossible_travel': true, 'session.is_new_device': false },
  ],
  ['digital_id', { 'verification.is_digital_id': true }, { 'verification.is_digital_id': false }],
])('%s matches its target, and nothing without values', (key, matching, other) => {
  const { expression } = BUILT_IN_RULES.find((rule) => rule.key === key)!;
  const evaluate = ruleLanguage.compile(ruleLanguage.parse(expression));
  expect(evaluate(matching)).toBe(true);
  expect(evaluate(other)).toBe(false);
  expect(evaluate({})).toBeNull();
});
