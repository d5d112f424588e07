import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../test/support/rule-language.ts';
import { suggestedFields } from './suggested-fields.ts';

test.each([
  // Spelling, before any meaning.
  ['sesion.bot', ['session.bot']],
  ['list', ['lists']],
  // Synonyms: as a whole, by the last part, and of the group that the name begins with.
  ['ip', ['session.ip_address']],
  ['IP', ['session.ip_address']],
  ['request.ip', ['session.ip_address']],
  ['country', ['account.country', 'account.countries']],
  ['verification.age', ['verification.id_age']],
  // Other words for the metadata and its group.
  ['metadata.plan', ['account.metadata.plan']],
  ['account.custom.billing.plan', ['account.metadata.billing.plan']],
  ['User.Custom.Plan', ['account.metadata.Plan']],
  // Common words, in any order and number, in the group that a word means.
  ['account.linked_count', ['account.accounts_linked']],
  ['user.phone', ['account.has_phone']],
  ['email.score', ['account.email.email_score']],
])('%s suggests %j', (written, meant) => {
  expect(suggestedFields(CATALOGUE, written)).toEqual(meant);
});

test.each([
  'x',
  'request.custom.plan',
  'metadata.',
  'something.completely.different',
  'a'.repeat(1000),
  'constructor',
  '__proto__',
])('%s has no suggestion', (written) => {
  expect(suggestedFields(CATALOGUE, written)).toEqual([]);
});
