import { expect, test } from 'vitest';
import { countryOf, gravatarProtocol } from './gravatar.ts';

const { read } = gravatarProtocol({ url: 'https://api.gravatar.com', key: 'k', agent: 'a' });

test.each([
  ['Berlin, Germany', 'DE'],
  ['New York, USA', 'US'],
  [' france ', 'FR'],
  ['London, England', 'GB'],
  ['Atlanta, Georgia', ''],
  ['Earth', ''],
  ['', ''],
])('the country of %j is %j', (location, country) => {
  expect(countryOf(location)).toBe(country);
});

test('a profile with all required fields is read, with any other field null or absent', () => {
  const nothing = { name: '', phones: [], country: '', since: null };
  expect(read({ hash: 'x' })).toEqual({
    breaches: [],
    profiles: [{ service: 'gravatar', url: null, ...nothing }],
  });
  const empty = { display_name: null, verified_accounts: null, contact_info: {}, registration_date: null };
  expect(read({ hash: 'x', ...empty })?.profiles).toHaveLength(1);
});

test.each([
  null,
  [],
  'x',
  {},
  { hash: '' },
  { hash: 'x', verified_accounts: 'none' },
  { hash: 'x', display_name: 7 },
])('%j is not a profile', (body) => {
  expect(read(body)).toBeNull();
});

test('at most 100 accounts are stored, and none without a service', () => {
  const verified_accounts = Array.from({ length: 300 }, (_, index) => ({ service_type: `s${index}` }));
  expect(read({ hash: 'x', verified_accounts })?.profiles).toHaveLength(101);
  expect(read({ hash: 'x', verified_accounts: [{ url: 'https://x.example' }] })?.profiles).toHaveLength(1);
});
