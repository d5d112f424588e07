import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import {
  type IdNumber,
  type IdNumberInput,
  NO_PERSONAL_FIELDS,
  type PersonalFields,
} from '@vouchgraph/persons';
import { expect, test } from 'vitest';
import type { AccountChanges } from './account-input.ts';
import { changedKinds, dependsOnStored, mergePersonal, requestedKinds } from './merge-account.ts';

const blindIndex = (kind: string, value: string) => Buffer.from(`${kind}/${value}`);
const hashOf = (text: string) => Buffer.from(`id_number/${text}`).toString('base64');
const passport: IdNumberInput = { type: 'passport', country: 'de', value: 'C01X00T47' };
const stated: IdNumber = { type: 'passport', country: 'DE', hash: hashOf('passport DE C01X00T47') };
const found = (place: number): IdNumber => ({
  type: 'national_id',
  country: 'FR',
  hash: hashOf(`national_id FR ${place}`),
  fromDocument: true,
});
const document = { dateOfBirth: '1987-06-05', idNumbers: [found(1)] };
const merge = (before: Partial<PersonalFields>, changes: AccountChanges, of: typeof document | null = null) =>
  mergePersonal({ ...NO_PERSONAL_FIELDS, ...before }, changes, { blindIndex, document: of });

const BIRTH = IDENTIFIER_KINDS.birth_date;
const NUMBER = IDENTIFIER_KINDS.id_number;

test('an id number is stored as type, country and hash, without its value', () => {
  const { idNumbers } = merge({}, { identifiers: [passport, { ...passport, value: 'c01x-00t47' }] });
  expect(idNumbers).toEqual([stated]);
});

test('a placeholder is stored without a hash', () => {
  expect(merge({}, { identifiers: [{ type: 'tax_id', value: '000000000' }] }).idNumbers).toEqual([
    { type: 'tax_id', country: '', hash: '' },
  ]);
});

test('at most ten numbers of documents are stored, and a request of the client does not remove them', () => {
  const before = { idNumbers: [stated, found(7)] };
  expect(merge(before, { identifiers: null }).idNumbers).toEqual([stated, found(7)]);
  expect(merge(before, { identifiers: [] }).idNumbers).toEqual([found(7)]);
  expect(merge(before, {}, document).idNumbers).toEqual([stated, found(1), found(7)]);
  expect(merge({ idNumbers: [found(1)] }, {}, document).idNumbers).toEqual([found(1)]);
  const many = Array.from({ length: 10 }, (_, at) => found(at + 2));
  expect(merge({ idNumbers: many }, {}, document).idNumbers).toEqual([found(1), ...many.slice(0, 9)]);
});

test('dates of birth of the client and of a document are stored separately', () => {
  expect(merge({}, {}, document)).toMatchObject({ dateOfBirth: '', documentDateOfBirth: '1987-06-05' });
  const before = { dateOfBirth: '1990-01-02', documentDateOfBirth: '1987-06-05' };
  expect(merge(before, {})).toMatchObject(before);
  expect(merge(before, { dateOfBirth: null })).toMatchObject(before);
  expect(merge(before, { dateOfBirth: '' })).toMatchObject({ ...before, dateOfBirth: '' });
  expect(merge(before, {}, { dateOfBirth: '', idNumbers: [] })).toMatchObject(before);
});

test('the request or the document sets kinds of identifiers', () => {
  expect(requestedKinds({ dateOfBirth: '' }, null)).toContain(BIRTH);
  expect(requestedKinds({ dateOfBirth: null, identifiers: null }, null)).toEqual([]);
  expect(requestedKinds({ identifiers: [] }, null)).toContain(NUMBER);
  expect(requestedKinds({}, document)).toEqual(expect.arrayContaining([BIRTH, NUMBER]));
  expect(requestedKinds({}, { dateOfBirth: '', idNumbers: [] })).toEqual([]);
  expect(requestedKinds({ username: 'ada' }, null)).not.toContain(BIRTH);
});

test('a kind changes when the value that is matched changes', () => {
  const kindsOf = (before: Partial<PersonalFields>, after: Partial<PersonalFields>) =>
    changedKinds(
      { personal: { ...NO_PERSONAL_FIELDS, ...before }, expectedCountries: [] },
      { personal: { ...NO_PERSONAL_FIELDS, ...after }, expectedCountries: [] },
    );
  expect(kindsOf({ dateOfBirth: '1990-01-02' }, { documentDateOfBirth: '1990-01-02' })).toEqual([]);
  expect(kindsOf({ dateOfBirth: '1990-01-02' }, { dateOfBirth: '1990-01-03' })).toContain(BIRTH);
  expect(kindsOf({ idNumbers: [stated] }, { idNumbers: [stated, found(1)] })).toContain(NUMBER);
});

test('the stored account is read first when its documents affect identifiers', () => {
  expect(dependsOnStored({ dateOfBirth: '1990-01-02' }, null)).toBe(false);
  expect(dependsOnStored({ username: 'ada' }, null)).toBe(false);
  expect(
    [{ dateOfBirth: '' }, { identifiers: [] }, { dateOfBirth: null, identifiers: null }].map((one) =>
      dependsOnStored(one, null),
    ),
  ).toEqual([true, true, false]);
  expect(dependsOnStored({}, document)).toBe(true);
});
