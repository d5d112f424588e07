import { expect, test } from 'vitest';
import { FEED_DEFAULTS } from '../evidence/weights.ts';
import { feedDefaults, parseManifest } from './feed-manifest.ts';
import { FEED_KINDS } from './feed-match.ts';

const GOOD = { name: 'exits', kind: 'tor', format: 'tor-exit-addresses', path: 'exits.data' };

function parse(changes: Record<string, unknown>) {
  return parseManifest(JSON.stringify({ ...GOOD, ...changes }));
}

test('a manifest is read with every field', () => {
  const full = { as_of: '2026-11-20', half_life_days: 10, confidence: 0.5 };
  expect(parse(full)).toEqual({ ...GOOD, ...full });
  expect(parse({ as_of: null, confidence: null })).toMatchObject(GOOD);
  expect(parse({ path: 'lists/2026/exits.txt' }).path).toBe('lists/2026/exits.txt');
});

test.each(['/etc/passwd', '../outside.txt', 'lists/../../outside.txt', '..', '..\\outside.txt', ''])(
  'the path "%s" is rejected',
  (path) => {
    expect(() => parse({ path })).toThrow(/path/);
  },
);

test.each(['../exits', 'Exits', 'a/b', '.hidden', '', 'x'.repeat(65), 'a b'])(
  'the name "%s" is rejected, since it is the name of a file',
  (name) => {
    expect(() => parse({ name })).toThrow(/name/);
  },
);

test.each([
  [{ confidense: 0.5 }, /confidense/],
  [{ kind: 'bot' }, /kind/],
  [{ format: 'xml' }, /format/],
  [{ as_of: '20.11.2026' }, /as_of/],
  [{ as_of: '2026-13-40' }, /as_of/],
  [{ confidence: 1.5 }, /confidence/],
  [{ half_life_days: 0 }, /half_life_days/],
  [{ format: 'csv' }, /column: required for csv/],
  [{ kind: 'location', format: 'cidr' }, /geofeed or mmdb/],
])('%j is rejected in one line', (changes, reason) => {
  expect(() => parse(changes)).toThrow(reason);
  expect(() => parse(changes)).toThrow(/^.*$/);
});

test('content that is not a JSON object is rejected', () => {
  expect(() => parseManifest('name: exits')).toThrow('the manifest is not valid JSON');
  expect(() => parseManifest('[]')).toThrow(/the manifest is invalid/);
});

test.each(FEED_KINDS)(
  'a %s list without a confidence and a half-life has the defaults of its kind',
  (kind) => {
    expect(feedDefaults(parse({ kind, format: 'geofeed' }))).toEqual(FEED_DEFAULTS[kind]);
  },
);

test('a confidence of 0 is valid and overrides the default', () => {
  expect(feedDefaults(parse({ confidence: 0, half_life_days: 2 }))).toEqual({
    confidence: 0,
    halfLifeDays: 2,
  });
});
