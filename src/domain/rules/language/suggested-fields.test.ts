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
  // A typing error is likelier than a synonym.
  ['list', ['lists']],
  ['sesion.bot', ['session.bot']],
  ['account.emial.email', ['account.email.email']],
])('%s suggests %j', (written, meant) => {
  expect(suggestedFields(written, NAMES)).toEqual(meant);
});

test.each(['x', 'something.completely.different', 'a'.repeat(1000), 'constructor', '__proto__'])(
  '%s has no suggestion',
  (written) => {
    expect(suggestedFields(written, NAMES)).toEqual([]);
  },
);

test.each(Object.entries(FIELD_SYNONYMS))('%s suggests existing fields', (word, fields) => {
  expect(word).toMatch(/^[a-z0-9_]+$/);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(fieldNamed(field), field).not.toBeNull();
  expect(fieldNamed(word)).toBeNull();
});
