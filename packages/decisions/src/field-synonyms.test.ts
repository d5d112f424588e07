import { expect, test } from 'vitest';
import synonyms from '../data/field-synonyms.json' with { type: 'json' };
import { FIELDS } from './field-catalogue.ts';
import { ruleLanguage } from './rule-language.ts';

/** The fields that the message for an unknown field suggests. */
function suggestedFields(written: string): string[] {
  try {
    ruleLanguage.parse(`${written} IS PRESENT`);
  } catch (error) {
    const { message } = error as Error;
    expect(message).toMatch(/^Unknown field /);
    return /Did you mean (.*)\?$/.exec(message)?.[1]?.split(/, | or /) ?? [];
  }
  throw new Error(`${written} is a field`);
}

test.each([
  ['ip', ['session.ip_address']],
  ['session.ipAddress', ['session.ip_address']],
  ['ipAddress', ['session.ip_address']],
  ['request.remote_addr', ['session.ip_address']],
  ['country', ['account.country', 'session.country_code']],
  ['user.country', ['account.country', 'session.country_code']],
  ['session.country', ['session.country_code']],
  ['vpn', ['session.risk_signals.vpn']],
  ['isVpn', ['session.risk_signals.vpn']],
  ['session.vpn', ['session.risk_signals.vpn']],
  ['age', ['account.holder_age', 'verification.id_age', 'account.age_days']],
  ['verification.age', ['verification.id_age']],
  ['risk', ['account.account_score', 'session.risk_signals_score']],
  ['fraud_score', ['account.account_score']],
  ['email', ['account.email.email', 'account.email.domain']],
  ['account.email.address', ['account.email.email']],
  ['account.email_address', ['account.email.email']],
  ['metadata.plan', ['account.metadata.plan']],
  ['account.meta.billing.plan', ['account.metadata.billing.plan']],
  // The words of the name, in any order, number and group.
  ['account.linked_count', ['account.accounts_linked']],
  ['linkedAccountsCount', ['account.accounts_linked']],
  ['account.num_linked_accounts', ['account.accounts_linked']],
  ['account.score', ['account.account_score']],
  ['account.risk_score', ['account.account_score']],
  ['session.score', ['session.risk_signals_score']],
  ['session.country', ['session.country_code']],
  ['email.score', ['account.email.email_score']],
  ['account.email_score', ['account.email.email_score']],
  ['email.domain', ['account.email.domain']],
  ['email.is_disposable', ['account.email.disposable']],
  ['phone.type', ['account.phone.line_type']],
  ['phone.risk', ['account.phone.risk_signals', 'account.phone.risk_score']],
  ['account.phone_carrier', ['account.phone.carrier']],
  ['session.os', ['session.device.os']],
  ['session.is_vpn', ['session.risk_signals.vpn']],
  ['device.is_new', ['session.is_new_device']],
  ['account.session_count', ['account.num_sessions']],
  ['velocity.accounts_per_ip_1d', ['velocity.accounts_per_device_1d', 'velocity.accounts_per_network_1d']],
  ['verification.face_match', ['verification.id_face_match_score']],
  ['verification.document_expired', ['verification.id_expired']],
  ['verification.score', ['verification.risk_score']],
  ['verification.flags', ['verification.risk_flags']],
  ['account.devices_1_day', ['account.unique_devices.1_day']],
  ['account.email.score', ['account.email.email_score']],
  ['account.device_count', ['account.unique_devices.1_day', 'account.unique_devices.7_day']],
  ['session.headless', ['session.bot']],
  ['account.created', ['account.age_days']],
  // A typing error is likelier than a synonym.
  ['sesion.bot', ['session.bot']],
  ['account.emial.email', ['account.email.email']],
])('%s suggests %j', (written, meant) => {
  expect(suggestedFields(written)).toEqual(meant);
});

test.each([
  'x',
  'account.username',
  'session.language',
  'something.completely.different',
  'a'.repeat(1000),
  'constructor',
  '__proto__',
])('%s has no suggestion', (written) => {
  expect(suggestedFields(written)).toEqual([]);
});

test.each(Object.entries(synonyms.fields))('%s suggests existing fields', (word, fields) => {
  expect(word).toMatch(/^[a-z0-9_]+$/);
  expect(FIELDS).not.toHaveProperty([word]);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(FIELDS).toHaveProperty([field]);
});

test.each(Object.entries(synonyms.groups))('%s is a word for the fields of %s', (word, group) => {
  const startsWith = (prefix: string) => Object.keys(FIELDS).some((name) => name.startsWith(`${prefix}.`));
  expect(startsWith(group)).toBe(true);
  expect(startsWith(word)).toBe(false);
});
