import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Breach, OnlineProfile } from '../email-evidence.ts';
import { mergeBreaches, mergeEvidence, mergeProfiles, type ProviderResult } from './merge-evidence.ts';
import { unknownAnswer } from './provider.ts';

const breach = (source: string, date: string | null, changes: Partial<Breach> = {}): Breach => ({
  source,
  date,
  trustWeight: 0.5,
  country: null,
  industry: null,
  ...changes,
});

const profile = (
  service: string,
  url: string | null,
  changes: Partial<OnlineProfile> = {},
): OnlineProfile => ({
  service,
  url,
  name: '',
  phones: [],
  country: '',
  since: null,
  ...changes,
});

test('one breach from two providers is merged with the facts of both', () => {
  const merged = mergeBreaches([
    breach('linked-in', null, { industry: 'Social' }),
    breach('LinkedIn', '2012-05-05', { trustWeight: 1 }),
    breach('Linked In', '2012-05-05', { country: 'US' }),
  ]);
  expect(merged).toEqual([
    breach('LinkedIn', '2012-05-05', { trustWeight: 1, country: 'US', industry: 'Social' }),
  ]);
});

test('a service with two breaches has two entries; the newest comes first, undated ones last', () => {
  const merged = mergeBreaches([
    breach('Zeta', null),
    breach('Shop', '2015-01-01'),
    breach('shop', '2020-02-02'),
    breach('Shop', null),
    breach('Alpha', null),
  ]);
  expect(merged.map(({ source, date }) => [source, date])).toEqual([
    ['shop', '2020-02-02'],
    ['Shop', '2015-01-01'],
    ['Alpha', null],
    ['Zeta', null],
  ]);
});

test('profiles of one service are merged when their URLs are equal or one of them has none', () => {
  const merged = mergeProfiles([
    profile('GitHub', 'https://github.com/Alice/', { since: '2012-01-01' }),
    profile('github', 'http://www.github.com/alice', { name: 'Alice', since: '2010-01-01' }),
    profile('github', null, { phones: ['+4930123'] }),
    profile('forum', 'https://forum.example/1'),
    profile('forum', 'https://forum.example/2'),
    profile('forum', null, { name: 'Either' }),
  ]);
  expect(merged).toEqual([
    profile('forum', null, { name: 'Either' }),
    profile('forum', 'https://forum.example/1'),
    profile('forum', 'https://forum.example/2'),
    profile('GitHub', 'http://www.github.com/alice', {
      name: 'Alice',
      phones: ['+4930123'],
      since: '2010-01-01',
    }),
  ]);
});

test('a kind is null when none of its providers answered, and empty when one found nothing', () => {
  const failed: ProviderResult = { provider: 'hibp', looked: ['breaches'], answer: unknownAnswer('timeout') };
  const nothing = { isKnown: true, breaches: [], profiles: [] } as const;
  expect(mergeEvidence([])).toEqual({ breaches: null, profiles: null, answered: [], failed: [] });
  expect(mergeEvidence([failed])).toEqual({ breaches: null, profiles: null, answered: [], failed: ['hibp'] });
  const file: ProviderResult = { provider: 'data:list', looked: ['breaches'], answer: nothing };
  expect(mergeEvidence([failed, file])).toEqual({
    breaches: [],
    profiles: null,
    answered: [{ provider: 'data:list', looked: ['breaches'] }],
    failed: ['hibp'],
  });
});

const text = fc.constantFrom('Shop', 'shop', 'S-hop', 'Forum', '!', '?');
const date = fc.option(fc.constantFrom('2010-01-01', '2020-01-01'));
const anyBreach = fc.record({
  source: text,
  date,
  trustWeight: fc.constantFrom(0, 0.5, 1),
  country: fc.option(fc.constantFrom('DE', 'US')),
  industry: fc.option(fc.constantFrom('Retail', 'Games')),
});
const anyProfile = fc.record({
  service: text,
  url: fc.option(fc.constantFrom('https://a.example', 'https://a.example/', 'https://b.example')),
  name: fc.constantFrom('', 'Alice', 'Bob'),
  phones: fc.subarray(['1', '2']),
  country: fc.constantFrom('', 'DE', 'US'),
  since: date,
});

test('the order of results has no effect, and merging is idempotent', () => {
  fc.assert(
    fc.property(fc.array(anyBreach, { maxLength: 12 }), fc.array(anyProfile, { maxLength: 12 }), (b, p) => {
      const [breaches, profiles] = [mergeBreaches(b), mergeProfiles(p)];
      expect(mergeBreaches(b.toReversed())).toEqual(breaches);
      expect(mergeBreaches(breaches)).toEqual(breaches);
      expect(mergeProfiles(p.toReversed())).toEqual(profiles);
      expect(mergeProfiles(profiles)).toEqual(profiles);
    }),
  );
});
