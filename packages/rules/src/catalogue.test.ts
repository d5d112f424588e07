import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../test/support/rule-language.ts';
import { fieldNamed } from './catalogue.ts';

test('a field is found by its exact name', () => {
  expect(fieldNamed(CATALOGUE, 'session.bot')).toBe(CATALOGUE.fields['session.bot']);
  expect(fieldNamed(CATALOGUE, 'account.metadata.plan')).toBe(CATALOGUE.metadata.field);
});

test.each(['', 'session', 'Lists', 'account.metadata', 'constructor', '__proto__', 'toString'])(
  '%j is not a field',
  (name) => {
    expect(fieldNamed(CATALOGUE, name)).toBeNull();
  },
);
