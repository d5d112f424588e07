import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionsOver } from '../../../test/support/expressions.ts';
import { CATALOGUE, testLanguage } from '../../../test/support/rule-language.ts';
import { fieldNamed } from './catalogue.ts';
import { MAX_WHOLE_METADATA_BYTES, metadataPath, readMetadata, writtenKey } from './metadata-path.ts';
import { createRuleLanguage } from './rule-language.ts';

const { anyMetadataExpression } = expressionsOver(CATALOGUE);
const METADATA = CATALOGUE.metadata.root;

const DATA = {
  plan: 'Gold',
  seats: 5,
  vip: true,
  note: '',
  nothing: null,
  tags: ['a', 'B'],
  none: [],
  mixed: ['a', 1],
  billing: { plan: 'free', 'sub-plan': 'x' },
  'a.b': 1,
  count: '7',
};
const FACTS = { [METADATA]: DATA };
const evaluate = (text: string, facts = FACTS) =>
  testLanguage.compile(testLanguage.parse(`account.metadata.${text}`))(facts);

test.each([
  ['plan = "gold"', true],
  ['plan != "gold"', false],
  ['plan IN ["silver", "GOLD"]', true],
  ['plan NOT IN ["silver"]', true],
  ['plan CONTAINS "ol"', true],
  ['seats = 5', true],
  ['seats > 4', true],
  ['seats <= 4', false],
  ['seats IN [1, 5]', true],
  ['vip = true', true],
  ['vip != true', false],
  ['billing.plan = "free"', true],
  ['billing."sub-plan" = "x"', true],
  ['"a.b" = 1', true],
  ['tags CONTAINS "b"', true],
  ['tags CONTAINS "c"', false],
  // No value: unknown, except for IS MISSING and IS PRESENT.
  ['other = "x"', null],
  ['other != "x"', null],
  ['note = "x"', null],
  ['nothing = 1', null],
  ['plan.deeper = 1', null],
  ['a.b = 1', null],
  ['other IS MISSING', true],
  ['note IS MISSING', true],
  ['nothing IS MISSING', true],
  ['none IS MISSING', true],
  ['plan IS PRESENT', true],
  ['billing IS PRESENT', true],
  // Another type is unknown too.
  ['plan > 3', null],
  ['count = 7', null],
  ['seats = "5"', null],
  ['vip = 1', null],
  ['billing = "x"', null],
  ['mixed CONTAINS "a"', null],
  ['tags = "a"', null],
  // Keys are compared exactly, and nothing is inherited.
  ['Plan = "gold"', null],
  ['constructor IS PRESENT', false],
  ['"__proto__".x IS PRESENT', false],
  ['tags.length = 2', null],
])('%s is %s', (text, outcome) => {
  expect(evaluate(text)).toBe(outcome);
});

test.each([
  ['other = "x"', 'no value', null],
  ['note = "x"', 'no value', null],
  ['plan > 3', 'expected a number, found a string', 'Gold'],
  ['count = 7', 'expected a number, found a string', '7'],
  ['seats = "5"', 'expected a string, found a number', 5],
  ['seats = true', 'expected true or false, found a number', 5],
  ['vip IN ["x"]', 'expected a string, found true or false', true],
  ['billing CONTAINS "x"', 'expected a string, found an object', null],
  ['mixed CONTAINS "a"', 'expected a string, found a list', null],
  ['tags = "a"', 'expected a string, found a list of strings', ['a', 'B']],
])('a trace gives the reason why %s is skipped: %s', (text, reason, value) => {
  const trace = testLanguage.trace(testLanguage.parse(`account.metadata.${text}`), FACTS);
  expect(trace).toMatchObject({ outcome: 'SKIPPED', reason, value });
});

test('the catalogue names the fact that has the metadata', () => {
  const metadata = { ...CATALOGUE.metadata, root: 'account.custom' };
  const language = createRuleLanguage({ ...CATALOGUE, metadata });
  const expression = language.parse('account.custom.plan = "gold"');
  expect(language.compile(expression)({ 'account.custom': DATA })).toBe(true);
  expect(language.compile(expression)(FACTS)).toBeNull();
  expect(() => language.parse('account.metadata.plan = "gold"')).toThrow('Did you mean account.custom.plan?');
  expect(() => language.parse('account.custom = 1')).toThrow(
    'must include a key, such as account.custom.plan',
  );
});

test('metadata that was not stored is unknown, also for IS MISSING', () => {
  const expression = testLanguage.parse('account.metadata.plan IS MISSING');
  expect(testLanguage.compile(expression)({})).toBeNull();
  expect(testLanguage.trace(expression, {})).toMatchObject({
    outcome: 'SKIPPED',
    reason: 'no value: not stored with this decision',
  });
  // Without an account there is no metadata.
  expect(testLanguage.compile(expression)({ [METADATA]: null })).toBe(true);
});

test.each([
  ['account.metadata = 1', 'Field "account.metadata" must include a key, such as account.metadata.plan'],
  ['account.metadata."" = 1', 'Metadata key must not be empty'],
  [
    'account.metadata.plan',
    'Field "account.metadata.plan" is a string, a number, or true or false and needs an operator',
  ],
  ['account.metadata.plan > "a"', 'expected a number, found the string "a"'],
  ['account.metadata.plan CONTAINS 1', 'expected a string, found 1'],
  ['account.metadata.plan IN ["a", 1]', 'Values of one list must have the same type'],
  ['account.metadata.plan IN [true]', 'expected a string, found true'],
  ['account.metadata.plan = ""', 'String must not be empty'],
  ['account.metadata.a.b.c.d.e.f.g.h.i = 1', 'Path of a metadata field must be at most 8 keys long'],
  ['account.metadata.plan IN NETWORK "::/0"', 'does not support IN NETWORK'],
  ['account.metadata.plan-type = 1', 'Unexpected "-"'],
])('%s is rejected', (text, message) => {
  expect(() => testLanguage.parse(text)).toThrow(message);
});

test('a path is read as written, with any characters in its keys', () => {
  const keys = fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(keys, (path) => {
      const field = `${METADATA}.${path.map(writtenKey).join('.')}`;
      expect(metadataPath(METADATA, field)).toEqual(path);
      expect(fieldNamed(CATALOGUE, field)?.type).toBe('metadata');
      expect(testLanguage.parse(`${field} IS PRESENT`)).toEqual({ field, op: 'is_present' });
    }),
  );
});

test.each([
  'account.metadata',
  'account.metadatax.a',
  'account.metadata.',
  'account.metadata..a',
  'account.metadata."a',
])('%s is not a path', (field) => {
  expect(metadataPath(METADATA, field)).toBeNull();
});

test('small metadata is stored whole; of large metadata only the fields that rules read', () => {
  expect(testLanguage.metadataFacts({}, ['account.metadata.plan'])).toEqual({ [METADATA]: {} });
  expect(testLanguage.metadataFacts(DATA, [])).toEqual({ [METADATA]: DATA });

  const large = { ...DATA, filler: 'x'.repeat(MAX_WHOLE_METADATA_BYTES) };
  const fields = ['plan', 'billing.plan', 'billing', 'mixed', 'other'].map((path) => `${METADATA}.${path}`);
  const facts = testLanguage.metadataFacts(large, fields);
  expect(Object.keys(facts)).toEqual(fields);
  expect(JSON.stringify(facts).length).toBeLessThan(200);
  expect(testLanguage.shownValue(facts, 'account.metadata.plan')).toBe('Gold');
  expect(testLanguage.shownValue(facts, 'account.metadata.billing.plan')).toBe('free');
  expect(readMetadata(METADATA, facts, 'account.metadata.seats', ['seats']).value).toBeUndefined();
});

test('rules have the same result with reduced and with whole metadata', () => {
  fc.assert(
    fc.property(
      anyMetadataExpression,
      fc.dictionary(fc.constantFrom('plan', 'a', 'x.y'), fc.jsonValue()),
      (expression, own) => {
        const fields = [...JSON.stringify(expression).matchAll(/"field":("(?:[^"\\]|\\.)*")/g)].map(
          ([, name]) => JSON.parse(name!),
        );
        const large = testLanguage.metadataFacts(
          { ...own, filler: 'x'.repeat(MAX_WHOLE_METADATA_BYTES) },
          fields,
        );
        const evaluateOn = testLanguage.compile(expression);
        expect(evaluateOn(large)).toBe(evaluateOn({ [METADATA]: own }));
      },
    ),
  );
});
