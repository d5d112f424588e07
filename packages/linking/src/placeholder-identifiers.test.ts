import { readFileSync } from 'node:fs';
import { contactValues } from '@vouchgraph/linking';
import {
  isPlaceholderBirthDate,
  isPlaceholderEmail,
  isPlaceholderName,
  isPlaceholderPhone,
  isPlaceholderUsername,
  PLACEHOLDER_BIRTH_DATES,
  PLACEHOLDER_DOMAINS,
  PLACEHOLDER_ID_NUMBERS,
  PLACEHOLDER_LOCAL_PARTS,
  PLACEHOLDER_NAMES,
  PLACEHOLDER_USERNAMES,
} from '@vouchgraph/persons/internals/placeholders';
import { usernameKey } from '@vouchgraph/persons/internals/username';
import { describe, expect, it, test } from 'vitest';

const NOTHING = { email: '', phone: '', username: '', firstName: '', lastName: '' };
const kindsOf = (fields: Partial<typeof NOTHING>): string[] =>
  [...contactValues({ ...NOTHING, ...fields }, [])].flatMap(([kind, values]) => values.map(() => kind));

test.each([
  'not given',
  'none',
  'none@none.com',
  'test@test.com',
  'noemail@gmail.com',
  'no.email@example.org',
  'na@na',
])('the email %s is a placeholder', (email) => expect(isPlaceholderEmail(email)).toBe(true));

test.each([
  'anna@intranet',
  'anna@mail.local',
  'test1@test.com',
  'anna@example.com',
  'test@acme.com',
  'a@b@none.com',
])('the email %s is not a placeholder', (email) => expect(isPlaceholderEmail(email)).toBe(false));

test.each([
  '0',
  '000',
  '0000000000',
  '7777777',
  '10000000000',
  '491111111111',
  '1234',
  '123456789',
  '01234567',
  '987654321',
  '491234567890',
])('the digits %s are a placeholder', (digits) => expect(isPlaceholderPhone(digits)).toBe(true));

test.each(['', '20719304', '123', '12345679', '5550100', '0011442079460958', '1000000', '41234567x'])(
  'the digits %j are not a placeholder',
  (digits) => expect(isPlaceholderPhone(digits)).toBe(false),
);

test('values are compared as a whole, ignoring case and surrounding white space', () => {
  expect(isPlaceholderName('  First   NAME ')).toBe(true);
  expect(isPlaceholderName('Testa')).toBe(false);
  expect(isPlaceholderName('Weizhi')).toBe(false);
  expect(isPlaceholderUsername(usernameKey('ADMIN'))).toBe(true);
  expect(isPlaceholderUsername(usernameKey('admin1'))).toBe(false);
  expect(isPlaceholderUsername(usernameKey('777'))).toBe(false);
});

test('default dates of forms are placeholders', () => {
  expect(['1900-01-01', '1970-01-01'].every(isPlaceholderBirthDate)).toBe(true);
  expect(['1900-01-02', '1970-01-02', '1980-01-01', ''].some(isPlaceholderBirthDate)).toBe(false);
});

describe('an account with placeholders', () => {
  it('has no linking identifiers, only searchable ones', () => {
    expect(kindsOf({ email: 'None@None.com' })).toEqual(['email_domain', 'placeholder_email']);
    expect(kindsOf({ email: 'not given' })).toEqual(['placeholder_email']);
    expect(kindsOf({ phone: '000 000' })).toEqual(['placeholder_phone']);
    expect(kindsOf({ username: 'Guest' })).toEqual(['placeholder_username']);
    expect(kindsOf({ firstName: 'Unknown', lastName: 'n/a' })).toEqual([]);
  });

  it('keeps a name with only one listed part, and a valid phone of any digits', () => {
    expect(kindsOf({ firstName: 'Test', lastName: 'Lovelace' })).toEqual(['name']);
    expect(kindsOf({ firstName: 'Ada', lastName: 'Test' })).toEqual(['name', 'first_name']);
    expect(kindsOf({ phone: '+33 6 66 66 66 66' })).toEqual(['phone']);
  });

  it('has no identifiers of empty fields', () => {
    expect(kindsOf({ email: ' ', phone: '+', username: ' ' })).toEqual([]);
  });
});

test('docs/links.md prints the lists', () => {
  const page = readFileSync(new URL('../../../docs/links.md', import.meta.url), 'utf8').replaceAll(
    '\n  `',
    ' `',
  );
  for (const words of [
    PLACEHOLDER_LOCAL_PARTS,
    PLACEHOLDER_DOMAINS,
    PLACEHOLDER_NAMES,
    PLACEHOLDER_USERNAMES,
    PLACEHOLDER_BIRTH_DATES,
    PLACEHOLDER_ID_NUMBERS,
  ]) {
    expect(new Set(words).size).toBe(words.length);
    expect(page).toContain(words.map((word) => `\`${word}\``).join(' '));
  }
});
