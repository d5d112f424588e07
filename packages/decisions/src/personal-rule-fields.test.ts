import { expect, it } from 'vitest';
import { FIELDS } from './field-catalogue.ts';
import { personalFieldsOf } from './personal-rule-fields.ts';
import { ruleLanguage } from './rule-language.ts';

it('fields with addresses, domains, ages and metadata are personal', () => {
  const personal = Object.keys(FIELDS).filter((name) => FIELDS[name]!.isPersonal);
  expect(personal.sort()).toEqual([
    'account.email.domain',
    'account.email.email',
    'account.email.registrable_domain',
    'account.holder_age',
    'session.ip_address',
    'verification.id_age',
  ]);
});

it.each([
  ['account.num_sessions > 1 AND session.bot > 0.5', []],
  ['NOT (account.num_sessions > 1 OR account.email.email CONTAINS "a")', ['any']],
  ['account.metadata.plan = "free" AND session.ip_address = "203.0.113.7"', ['any', 'session']],
  ['verification.id_age < 18', ['document']],
])('personal fields of %s', (text, on) => {
  expect(personalFieldsOf(ruleLanguage.parse(text)).map((field) => field.on)).toEqual(on);
});
