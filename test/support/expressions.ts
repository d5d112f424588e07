import type { Catalogue, Facts, Field, FieldValue } from '@vouchgraph/rules';
import { boundsOf } from '@vouchgraph/rules/internals/conditions';
import type { Condition, Expression, Operator } from '@vouchgraph/rules/internals/expression';
import fc from 'fast-check';

/** Any valid value, often one of a few, so that facts and conditions match. */
const anyNumber = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 18, -1, 1e15, 0.000001),
  fc.integer({ min: -1_000_000_000_000_000, max: 1_000_000_000_000_000 }),
  fc
    .double({ min: -1e15, max: 1e15, noNaN: true })
    .filter((value) => Math.abs(value) >= 1e-6)
    .map((value) => value || 0),
);

const anyText = fc.oneof(
  fc.constantFrom('a', 'A', 'ab', 'Straße', 'é', 'e\u0301', 'K', '"', "it's", '\\', 'İ', '\u212a'),
  fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }),
  fc
    .string({ minLength: 1, maxLength: 30, unit: 'binary' })
    .filter((text) => text.isWellFormed() && !text.includes('\0')),
);

const COUNTRIES = fc.constantFrom('DE', 'de', 'FR', 'XK', 'US');

const ADDRESSES = fc.constantFrom('203.0.113.7', '198.51.100.1', '::ffff:203.0.113.7', '2001:db8::7', '::1');
const NETWORKS = fc.constantFrom(
  ...['203.0.113.0/24', '203.0.113.7/31', '0.0.0.0/0', '10.0.0.0/8', '198.51.100.1'],
  ...['2001:db8::/32', '::/0', '::ffff:203.0.113.0/120', '2001:db8::7/128'],
);

const LIST_NAMES = fc.constantFrom('vip', 'block', 'a b', 'é', 'Straße', "it's", '"', '\\');

function textOf(field: Field): fc.Arbitrary<string> {
  if (field.type === 'address') return ADDRESSES;
  if (field.values)
    return fc.constantFrom(...field.values, ...field.values.map((value) => value.toUpperCase()));
  return field.country ? COUNTRIES : anyText;
}

/** Includes the bounds of the range. */
function numberOf(field: Field): fc.Arbitrary<number> {
  const [least, most] = boundsOf(field);
  const edges = [least, most].filter(Number.isFinite);
  const inside = anyNumber.filter((value) => value >= least && value <= most);
  return edges.length === 0 ? inside : fc.oneof(inside, fc.constantFrom(...edges));
}

/** A value of the field or of a comparison; of several texts, one of them. */
function scalarOf(field: Field): fc.Arbitrary<number | string | boolean> {
  if (field.type === 'number') return numberOf(field);
  if (field.type === 'metadata') return fc.oneof(anyNumber, fc.boolean(), anyText);
  return field.type === 'boolean' ? fc.boolean() : textOf(field);
}

const OPERATORS: Readonly<Record<Field['type'], readonly Operator[]>> = {
  number: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'not_in', 'is_missing', 'is_present'],
  string: ['eq', 'ne', 'in', 'not_in', 'contains', 'is_missing', 'is_present'],
  boolean: ['eq', 'ne', 'is_missing', 'is_present'],
  strings: ['contains', 'is_missing', 'is_present'],
  address: ['in_network', 'not_in_network', 'eq', 'ne', 'in', 'not_in', 'is_missing', 'is_present'],
  metadata: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'not_in', 'contains', 'is_missing', 'is_present'],
};

function conditionOn(name: string, field: Field): fc.Arbitrary<Condition> {
  const operators = field.listNames
    ? (['matches_list', 'is_missing', 'is_present'] as const)
    : OPERATORS[field.type];
  return fc.constantFrom(...operators).chain((op): fc.Arbitrary<Condition> => {
    if (op === 'is_missing' || op === 'is_present') return fc.constant({ field: name, op });
    const scalar = op === 'matches_list' ? LIST_NAMES : comparedWith(field, op);
    if (!MANY.has(op)) return scalar.map((value) => ({ field: name, op, value }));
    const values = scalar as fc.Arbitrary<number | string>;
    return fc.array(values, { minLength: 1, maxLength: 12 }).map((value) => ({ field: name, op, value }));
  });
}

const MANY: ReadonlySet<Operator> = new Set(['in', 'not_in', 'in_network', 'not_in_network']);

function comparedWith(field: Field, op: Operator): fc.Arbitrary<number | string | boolean> {
  if (op === 'in_network' || op === 'not_in_network') return NETWORKS;
  if (field.type !== 'metadata' || op === 'eq' || op === 'ne') return scalarOf(field);
  return op === 'contains' ? anyText : anyNumber;
}

/** Any valid expression with the given conditions. */
function expressionOf(conditions: fc.Arbitrary<Condition>): fc.Arbitrary<Expression> {
  const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
    const members = fc.array(tie('expression'), { minLength: 2, maxLength: 4 });
    return {
      expression: fc.oneof(
        { maxDepth: 7, depthSize: 'small' },
        conditions,
        members.map((and) => ({ and })),
        members.map((or) => ({ or })),
        tie('expression').map((not) => ({ not })),
      ),
    };
  });
  return expression;
}

function fieldValue(field: Field): fc.Arbitrary<FieldValue> {
  return field.type === 'strings' ? fc.array(textOf(field), { maxLength: 3 }) : scalarOf(field);
}

function missingOf({ type }: Field): fc.Arbitrary<FieldValue | undefined> {
  const missing: (FieldValue | undefined)[] = [null, undefined];
  if (type === 'string' || type === 'address' || type === 'metadata') missing.push('');
  if (type === 'number') missing.push(Number.NaN);
  return fc.constantFrom(...missing);
}

const METADATA_PATHS = ['plan', 'a.b', 'a."b c"', '"x.y"."z\\""'];

/** Expressions over the fields of a catalogue, and facts to evaluate them on. */
export function expressionsOver({ fields, metadata }: Pick<Catalogue, 'fields' | 'metadata'>) {
  const entries = Object.entries(fields);
  const anyCondition = fc.constantFrom(...entries).chain(([name, field]) => conditionOn(name, field));
  const factsOf = (
    arbitraryOf: (field: Field) => fc.Arbitrary<FieldValue | undefined>,
  ): fc.Arbitrary<Facts> =>
    fc.record(Object.fromEntries(entries.map(([name, field]) => [name, arbitraryOf(field)])));
  return {
    anyExpression: expressionOf(anyCondition),
    /** Without IS PRESENT and IS MISSING. */
    anyComparison: expressionOf(anyCondition.filter(({ op }) => op !== 'is_missing' && op !== 'is_present')),
    /** Reads only metadata. */
    anyMetadataExpression: expressionOf(
      fc
        .constantFrom(...METADATA_PATHS)
        .chain((path) => conditionOn(`${metadata.root}.${path}`, metadata.field)),
    ),
    /** A value of every field. */
    allFacts: factsOf(fieldValue),
    /** Values of some fields, and for the others every representation of a missing value. */
    anyFacts: factsOf((field) =>
      fc.oneof({ arbitrary: fieldValue(field), weight: 2 }, { arbitrary: missingOf(field), weight: 1 }),
    ),
  };
}
