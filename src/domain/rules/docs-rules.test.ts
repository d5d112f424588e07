import { readFileSync } from 'node:fs';
import { FIELDS, ruleLanguage } from '@vouchgraph/decisions';
import { METADATA } from '@vouchgraph/decisions/internals/field-catalogue';
import type { Facts } from '@vouchgraph/rules';
import { expect, test } from 'vitest';
import { ruleNeverMatches } from './errors.ts';
import { readExpression } from './rule-input.ts';

type Example = { rule: string; facts: Facts; outcome: string };

const page = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
const RULE_WITH_CASES = /```rule\n([\s\S]*?)```((?:\s*```json\n[\s\S]*?```)*)/g;
const CASE = /```json\n([\s\S]*?)```/g;

const examples = [...page.matchAll(RULE_WITH_CASES)].map(([, rule = '', cases = '']) => ({
  rule: rule.trim(),
  cases: [...cases.matchAll(CASE)].map(([, json = '']) => JSON.parse(json) as Omit<Example, 'rule'>),
}));

test('the page has examples, each with facts', () => {
  expect(examples.length).toBeGreaterThanOrEqual(8);
  for (const { rule, cases } of examples) expect(cases.length, rule).toBeGreaterThan(0);
});

test.each(examples.flatMap(({ rule, cases }) => cases.map((each): Example => ({ rule, ...each }))))(
  '$rule with $facts evaluates to $outcome',
  ({ rule, facts, outcome }) => {
    for (const name of Object.keys(facts)) if (name !== METADATA) expect(FIELDS).toHaveProperty([name]);
    expect(ruleLanguage.trace(ruleLanguage.parse(rule), facts).outcome).toBe(outcome);
  },
);

test('each JSON form in the page equals the text before it', () => {
  const [, text = '', json = ''] =
    /shown in both forms\. `([^`]+)` is\n\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  expect(ruleLanguage.parse(text)).toEqual(JSON.parse(json));
});

const [rejection = '', messages = '', reasons = ''] = [...page.matchAll(/```text\n([\s\S]*?)```/g)].map(
  ([, text]) => text!.trimEnd(),
);

test('the rejection that the page quotes has this position', () => {
  expect(messageOf(() => readExpression('session.bot = "high"', []))).toBe(rejection);
});

test('every message that the page quotes exists', () => {
  const given = [
    'sesion.bot > 1',
    'ip = "203.0.113.7"',
    'session.ip_address IN NETWORK "203.0.113.0/33"',
    'account.country > "A"',
    'account.country = "UK"',
    'session.source = "fax"',
  ].map((text) => messageOf(() => ruleLanguage.parse(text)));
  expect(messages.split('\n')).toEqual(given);
});

test('the reasons of rejected rules that the page quotes exist', () => {
  const given = [
    ruleLanguage.neverTrueReason(ruleLanguage.parse('verification.id_age < 18'), 'FACE_CHECK_COMPLETED'),
    ruleLanguage.neverTrueReason(ruleLanguage.parse('verification.kind = "id"'), 'FACE_CHECK_COMPLETED'),
    ruleLanguage.neverTrueReason(
      ruleLanguage.parse('account.country = "DE" AND account.country = "FR"'),
      'ANY_SESSION',
    ),
  ].map((reason) => ruleNeverMatches(reason!, []).message);
  expect(reasons.split('\n')).toEqual(given);
});

test('the tables name every field', () => {
  for (const name of Object.keys(FIELDS)) expect(page).toContain(`| \`${name}\` | ${FIELDS[name]!.type} |`);
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}
