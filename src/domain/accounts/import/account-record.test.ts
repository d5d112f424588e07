import { describe, expect, it } from 'vitest';
import { accountOfRecord } from './account-record.ts';

const problemOf = (record: Record<string, unknown>, format: 'ndjson' | 'csv' = 'ndjson') => {
  const account = accountOfRecord(record, format);
  return 'problem' in account ? account.problem : null;
};

describe('NDJSON record', () => {
  it('is an account with the field names of REST; unknown keys are ignored', () => {
    const record = {
      id: 'a',
      email: 'ada@example.com',
      phone: '+14155552671',
      first_name: 'Ada',
      last_name: 'Lovelace',
      username: 'ada',
      expected_countries: ['fr', 'DE'],
      group: 'g',
      metadata: { plan: 'free' },
      lists: ['vip'],
      firstName: 'ignored',
      created: 1,
    };
    expect(accountOfRecord(record, 'ndjson')).toEqual({
      input: {
        id: 'a',
        email: 'ada@example.com',
        phone: '+14155552671',
        firstName: 'Ada',
        lastName: 'Lovelace',
        username: 'ada',
        expectedCountries: ['FR', 'DE'],
        group: 'g',
        metadata: { plan: 'free' },
        lists: ['vip'],
      },
    });
  });

  it('ignores null, clears values that are empty, and accepts [] as empty metadata', () => {
    expect(accountOfRecord({ id: 'a', email: null, phone: '', metadata: [] }, 'ndjson')).toEqual({
      input: { id: 'a', phone: '', metadata: {} },
    });
  });

  it.each([
    [{}, 'id: required'],
    [{ id: null }, 'id: required'],
    [{ id: '' }, 'id: must not be empty'],
    [{ id: 7 }, 'id: must be text'],
    [{ id: 'x'.repeat(257) }, 'id: must be at most 256 characters'],
    [{ id: 'a', email: 'x'.repeat(321) }, 'email: must be at most 320 characters'],
    [{ id: 'a', first_name: ['Ada'] }, 'first_name: must be text'],
    [{ id: 'a', phone: '1'.repeat(33) }, 'phone: must be at most 32 characters'],
    [{ id: 'a', expected_countries: 'FR' }, 'expected_countries: must be a list'],
    [
      { id: 'a', expected_countries: ['FR', 'UK'] },
      'expected_countries.1: must be an ISO 3166-1 alpha-2 country code: use GB',
    ],
    [{ id: 'a', metadata: [1] }, 'metadata: must be an object'],
    [{ id: 'a', metadata: { text: 'x'.repeat(17_000) } }, 'metadata: must be at most 16 KB of JSON'],
    [{ id: 'a', lists: ['a/b'] }, 'lists.0: must be printable characters without /, not / at position 2'],
    [{ id: 'a', username: 'a\0' }, 'username: must not contain NUL characters or lone surrogates'],
    [
      { id: 'a', metadata: { secret: ['\ud800'] } },
      'metadata.secret[0]: must not contain NUL characters or lone surrogates',
    ],
  ])('of %j is rejected with the name of its key', (record, problem) => {
    expect(problemOf(record)).toBe(problem);
  });

  it('reads own properties only, not those of its prototype', () => {
    expect(problemOf(JSON.parse('{"__proto__":{"id":"a"}}'))).toBe('id: required');
  });
});

describe('CSV row', () => {
  it('contains several values separated by | or spaces, metadata as JSON, and no value for an empty cell', () => {
    const row = {
      id: 'a',
      email: '',
      metadata: '{"plan":"free"}',
      lists: 'early birds| vip |',
      expected_countries: 'fr|DE  IT',
    };
    expect(accountOfRecord(row, 'csv')).toEqual({
      input: {
        id: 'a',
        metadata: { plan: 'free' },
        lists: ['early birds', 'vip'],
        expectedCountries: ['FR', 'DE', 'IT'],
      },
    });
  });

  it.each([
    [{ id: '' }, 'id: required'],
    [{ id: 'a', metadata: '{plan:free}' }, 'metadata: must be JSON'],
    [{ id: 'a', metadata: '3' }, 'metadata: must be an object'],
    [
      { id: 'a', expected_countries: 'France' },
      'expected_countries.0: must be an ISO 3166-1 alpha-2 country code',
    ],
  ])('of %j is rejected', (row, problem) => {
    expect(problemOf(row, 'csv')).toBe(problem);
  });
});

describe('dates of birth and id numbers', () => {
  const passport = { type: 'passport', country: 'DE', value: 'C01X00T47' };
  const inputOf = (record: Record<string, unknown>, format: 'ndjson' | 'csv') => {
    const account = accountOfRecord({ id: 'a', ...record }, format);
    return 'input' in account ? account.input : account.problem;
  };

  it('are read from NDJSON and removed by empty values', () => {
    const record = { date_of_birth: '1987-06-05', identifiers: [passport] };
    expect(inputOf(record, 'ndjson')).toEqual({
      id: 'a',
      dateOfBirth: '1987-06-05',
      identifiers: [passport],
    });
    expect(inputOf({ date_of_birth: null, identifiers: null }, 'ndjson')).toEqual({ id: 'a' });
    expect(inputOf({ date_of_birth: '', identifiers: [] }, 'ndjson')).toEqual({
      id: 'a',
      dateOfBirth: '',
      identifiers: [],
    });
  });

  it('are read from CSV: numbers as JSON or as type:country:value, and no value for an empty cell', () => {
    const taxId = { type: 'tax_id', country: '', value: '12:345' };
    const expected = { id: 'a', dateOfBirth: '1987-06-05', identifiers: [passport, taxId] };
    for (const identifiers of [JSON.stringify([passport, taxId]), 'passport:DE:C01X00T47 | tax_id::12:345'])
      expect(inputOf({ date_of_birth: '1987-06-05', identifiers }, 'csv')).toEqual(expected);
    expect(inputOf({ date_of_birth: '', identifiers: '' }, 'csv')).toEqual({ id: 'a' });
  });

  it.each([
    [{ date_of_birth: '5.6.1987' }, 'date_of_birth: must be a date in the format YYYY-MM-DD'],
    [{ date_of_birth: '1987-06-31' }, 'date_of_birth: must be an existing date in the format YYYY-MM-DD'],
    [{ identifiers: '[{' }, 'identifiers: must be a JSON list, or type:country:value separated by |'],
    [{ identifiers: 'passport:C01X00T47' }, /^identifiers: must be a JSON list, or type:country:value /],
    [{ identifiers: 'passport:DE:C0' }, /^identifiers\.0\.value: must have at least 3/],
    [{ identifiers: 'library:DE:C01X00T47' }, /^identifiers\.0\.type: must be one of passport, /],
    [{ identifiers: 'passport:UK:C01X00T47' }, /^identifiers\.0\.country: must be an ISO 3166-1 .* use GB$/],
  ])('%j is rejected with the name of its key', (record, problem) => {
    expect(inputOf(record, 'csv')).toMatch(problem);
    expect(inputOf(record, 'csv')).not.toContain('C01X00T47');
  });
});
