// cspell:ignore strase

import { foldCase } from '@vouchgraph/platform/fold-case';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionsOver } from '../../../test/support/expressions.ts';
import { CATALOGUE, testLanguage } from '../../../test/support/rule-language.ts';
import type { Trace } from './evaluate-expression.ts';
import type { Condition, Expression, Facts, FieldValue } from './expression.ts';
import { printExpression } from './print-expression.ts';

const { allFacts, anyComparison, anyExpression, anyFacts } = expressionsOver(CATALOGUE);

const evaluate = (text: string, facts: Facts) => testLanguage.compile(testLanguage.parse(text))(facts);

const FACTS: Facts = {
  'session.bot': 0.5,
  'session.is_first': true,
  'session.simulated': false,
  'account.id': 'Straße-É',
  'account.country': 'DE',
  'account.countries': ['DE', 'FR'],
  lists: [],
  'account.group': '',
  'account.age_days': Number.NaN,
  'account.num_sessions': null,
};

test.each([
  ['session.bot = 0.5', true],
  ['session.bot != 0.5', false],
  ['session.bot > 0.5', false],
  ['session.bot >= 0.5', true],
  ['session.bot < 0.5', false],
  ['session.bot <= 0.5', true],
  ['session.bot IN [0.25, 0.5]', true],
  ['session.bot NOT IN [0.25, 0.5]', false],
  ['session.bot IN [0.25]', false],
  ['session.bot NOT IN [0.25]', true],
  ['session.is_first', true],
  ['session.is_first = false', false],
  ['session.is_first != false', true],
  ['session.simulated', false],
  ['session.simulated != true', true],
  // Without case, for any encoding of an accent.
  ['account.country = "de"', true],
  ['account.country != "de"', false],
  ['account.country IN ["fr", "de"]', true],
  ['account.country NOT IN ["fr", "us"]', true],
  ['account.id = "STRAße-é"', true],
  ['account.id = "straße-e\u0301"', true],
  ['account.id CONTAINS "AßE"', true],
  ['account.id CONTAINS "-E\u0301"', true],
  ['account.id = "STRASSE-É"', true],
  ['account.id != "strasse-é"', false],
  ['account.id IN ["strasse-e\u0301", "b"]', true],
  ['account.id CONTAINS "SSE"', true],
  ['account.id = "strase-é"', false],
  ['account.countries CONTAINS "fr"', true],
  ['account.countries CONTAINS "US"', false],
  // An empty field of several texts is known to contain no value.
  ['lists MATCHES LIST "vip"', false],
  ['lists IS MISSING', true],
  ['lists IS PRESENT', false],
  ['account.countries IS MISSING', false],
  ['account.countries IS PRESENT', true],
  // A field without a value is unknown for any operator.
  ['account.group = "a"', null],
  ['account.group != "a"', null],
  ['account.group NOT IN ["a"]', null],
  ['account.group CONTAINS "a"', null],
  ['account.age_days < 5', null],
  ['account.age_days NOT IN [5]', null],
  ['account.num_sessions < 18', null],
  ['account.num_sessions >= 0', null],
  ['account.num_sessions != 5', null],
  ['account.accounts_linked = 0', null],
  ['account.has_phone', null],
  ['account.has_phone = false', null],
  ['account.expected_countries CONTAINS "DE"', null],
  ['account.group IS MISSING', true],
  ['account.age_days IS MISSING', true],
  ['account.num_sessions IS PRESENT', false],
  ['account.has_phone IS MISSING', true],
  ['account.expected_countries IS MISSING', true],
  ['session.bot IS PRESENT', true],
  ['session.simulated IS MISSING', false],
])('%s is %s', (text, outcome) => {
  expect(evaluate(text, FACTS)).toBe(outcome);
});

const TRUE = 'session.is_first';
const FALSE = 'session.simulated';
const UNKNOWN = 'account.num_sessions > 1';

test.each([
  [TRUE, TRUE, true, true],
  [TRUE, FALSE, false, true],
  [TRUE, UNKNOWN, null, true],
  [FALSE, FALSE, false, false],
  [FALSE, UNKNOWN, false, null],
  [UNKNOWN, UNKNOWN, null, null],
])('%s with %s: AND is %s, OR is %s, in either order', (a, b, and, or) => {
  expect(evaluate(`${a} AND ${b}`, FACTS)).toBe(and);
  expect(evaluate(`${b} AND ${a}`, FACTS)).toBe(and);
  expect(evaluate(`${a} OR ${b}`, FACTS)).toBe(or);
  expect(evaluate(`${b} OR ${a}`, FACTS)).toBe(or);
});

test.each([
  [TRUE, false],
  [FALSE, true],
  [UNKNOWN, null],
])('NOT %s is %s', (text, outcome) => {
  expect(evaluate(`NOT ${text}`, FACTS)).toBe(outcome);
});

test('a long list of texts is compared without case, like a short one', () => {
  const others = Array.from({ length: 40 }, (_, index) => `"other ${index}"`).join(', ');
  expect(evaluate(`account.id IN [${others}, "STRASSE", "straße-e\u0301"]`, FACTS)).toBe(true);
  expect(evaluate(`account.id NOT IN [${others}]`, FACTS)).toBe(true);
});

test('the trace contains each part, also those that did not affect the result', () => {
  const expression = testLanguage.parse(
    'session.simulated OR NOT (account.num_sessions > 1 AND account.country = "FR")',
  );
  expect(testLanguage.trace(expression, FACTS)).toEqual({
    text: 'session.simulated = true OR NOT (account.num_sessions > 1 AND account.country = "FR")',
    outcome: 'TRUE',
    reason: null,
    value: null,
    children: [
      { text: 'session.simulated = true', outcome: 'FALSE', reason: null, value: false, children: [] },
      {
        text: 'NOT (account.num_sessions > 1 AND account.country = "FR")',
        outcome: 'TRUE',
        reason: null,
        value: null,
        children: [
          {
            text: 'account.num_sessions > 1 AND account.country = "FR"',
            outcome: 'FALSE',
            reason: null,
            value: null,
            children: [
              {
                text: 'account.num_sessions > 1',
                outcome: 'SKIPPED',
                reason: 'no value',
                value: null,
                children: [],
              },
              { text: 'account.country = "FR"', outcome: 'FALSE', reason: null, value: 'DE', children: [] },
            ],
          },
        ],
      },
    ],
  });
});

test('an unknown expression is skipped and names the conditions that lack a value', () => {
  const trace = testLanguage.trace(
    testLanguage.parse('NOT (account.num_sessions > 1 OR session.simulated)'),
    FACTS,
  );
  expect(trace).toMatchObject({ outcome: 'SKIPPED', reason: null });
  expect(
    leavesOf(trace)
      .filter(({ reason }) => reason === 'no value')
      .map(({ text }) => text),
  ).toEqual(['account.num_sessions > 1']);
});

const OUTCOMES = { TRUE: true, FALSE: false, SKIPPED: null };

test('compiled, traced and reference evaluation agree', () => {
  fc.assert(
    fc.property(anyExpression, anyFacts, (expression, facts) => {
      const outcome = testLanguage.compile(expression)(facts);
      const trace = testLanguage.trace(expression, facts);
      expect(OUTCOMES[trace.outcome]).toBe(outcome);
      expect(trace.text).toBe(printExpression(expression));
      expect(outcome).toBe([false, null, true][byTheBook(expression, facts) * 2]);
      for (const leaf of leavesOf(trace))
        expect(leaf.reason).toBe(leaf.outcome === 'SKIPPED' ? 'no value' : null);
    }),
    { numRuns: 1000 },
  );
});

test('a known result stays the same when more values become known', () => {
  fc.assert(
    fc.property(anyComparison, anyFacts, allFacts, (expression, facts, all) => {
      const before = testLanguage.compile(expression)(facts);
      const after = testLanguage.compile(expression)(withMore(facts, all));
      expect(after).not.toBeNull();
      if (before !== null) expect(after).toBe(before);
    }),
    { numRuns: 1000 },
  );
});

test('IS PRESENT and IS MISSING are never unknown', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(CATALOGUE.fields)), anyFacts, (field, facts) => {
      const missing = testLanguage.compile({ field, op: 'is_missing' })(facts);
      expect(testLanguage.compile({ field, op: 'is_present' })(facts)).toBe(!missing);
      expect(missing).toBe(isMissing(facts[field]));
    }),
  );
});

function leavesOf(trace: Trace): Trace[] {
  return trace.children.length === 0 ? [trace] : trace.children.flatMap(leavesOf);
}

function isUnknown(value: FieldValue | undefined): boolean {
  return value === undefined || value === null || value === '' || Number.isNaN(value);
}

function isMissing(value: FieldValue | undefined): boolean {
  return isUnknown(value) || (Array.isArray(value) && value.length === 0);
}

function withMore(facts: Facts, all: Facts): Facts {
  const known = Object.entries(facts).filter(([, value]) => !isUnknown(value));
  return { ...all, ...Object.fromEntries(known) };
}

/** Kleene's logic by its definition: false 0, unknown ½, true 1; AND the smallest, OR the largest, NOT 1 − x. */
function byTheBook(expression: Expression, facts: Facts): number {
  if ('and' in expression) return Math.min(...expression.and.map((member) => byTheBook(member, facts)));
  if ('or' in expression) return Math.max(...expression.or.map((member) => byTheBook(member, facts)));
  if ('not' in expression) return 1 - byTheBook(expression.not, facts);
  const held = facts[expression.field];
  if (expression.op === 'is_missing') return isMissing(held) ? 1 : 0;
  if (expression.op === 'is_present') return isMissing(held) ? 0 : 1;
  return isUnknown(held) ? 0.5 : Number(compare(expression, held as NonNullable<FieldValue>));
}

/** Whether an address operator is true for the addresses in the range. */
const ADDRESS_OPERATORS = {
  eq: true,
  in: true,
  in_network: true,
  ne: false,
  not_in: false,
  not_in_network: false,
} as const;

/** By ranges of numbers, each family for itself. */
function isWithin(address: string, network: string): boolean {
  const [one, range] = [parseRange(address)!, parseRange(network)!];
  return one.version === range.version && range.start <= one.start && one.start <= range.end;
}

function compare({ field, op, value }: Condition, held: NonNullable<FieldValue>): boolean {
  if (Object.hasOwn(ADDRESS_OPERATORS, op) && CATALOGUE.fields[field]!.type === 'address')
    return ADDRESS_OPERATORS[op as 'eq'] === [value].flat().some((each) => isWithin(`${held}`, `${each}`));
  const plain = (each: unknown) => (typeof each === 'string' ? foldCase(each) : each);
  const [a, b] = [plain(held), plain(value)] as [number, number];
  const among = () => (value as readonly unknown[]).map(plain).includes(a);
  switch (op) {
    case 'eq':
      return a === b;
    case 'ne':
      return a !== b;
    case 'gt':
      return a > b;
    case 'ge':
      return a >= b;
    case 'lt':
      return a < b;
    case 'le':
      return a <= b;
    case 'in':
      return among();
    case 'not_in':
      return !among();
    case 'matches_list':
      return (held as readonly string[]).some((name) => name === value);
    default:
      if (typeof held === 'string') return String(a).includes(String(b));
      return (held as readonly string[]).map(plain).includes(b);
  }
}
