import { expect, test } from 'vitest';
import { FIELDS, fieldNamed } from './field-catalogue.ts';
import { FIELD_SYNONYMS } from './field-synonyms.ts';
import { suggestedFields } from './suggested-fields.ts';

const NAMES = Object.keys(FIELDS);

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
  ['list', ['lists']],
  ['sesion.bot', ['session.bot']],
  ['account.emial.email', ['account.email.email']],
])('%s suggests %j', (written, meant) => {
  expect(suggestedFields(written, NAMES)).toEqual(meant);
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
  expect(suggestedFields(written, NAMES)).toEqual([]);
});

test.each(Object.entries(FIELD_SYNONYMS))('%s suggests existing fields', (word, fields) => {
  expect(word).toMatch(/^[a-z0-9_]+$/);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(fieldNamed(field), field).not.toBeNull();
  expect(fieldNamed(word)).toBeNull();
});
