import { countryCodeHint, isCountryCode } from '@vouchgraph/platform/countries';
import { foldCase } from '@vouchgraph/platform/fold-case';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { parseNetwork } from '@vouchgraph/platform/ip/network';
import { hasForbiddenCharacters } from '@vouchgraph/platform/text';
import type { Catalogue, Field } from './catalogue.ts';
import type { Operator } from './expression.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { suggestedFields } from './suggested-fields.ts';

/** How operators are written. */
export const WRITTEN: Readonly<Record<Operator, string>> = {
  eq: '=',
  ne: '!=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
  in: 'IN',
  not_in: 'NOT IN',
  in_network: 'IN NETWORK',
  not_in_network: 'NOT IN NETWORK',
  contains: 'CONTAINS',
  matches_list: 'MATCHES LIST',
  is_missing: 'IS MISSING',
  is_present: 'IS PRESENT',
};

const PRESENCE: readonly Operator[] = ['is_missing', 'is_present'];

/** Operators of each type of value. */
const OPERATORS_OF_TYPE: Readonly<Record<Field['type'], readonly Operator[]>> = {
  number: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'not_in', ...PRESENCE],
  string: ['eq', 'ne', 'in', 'not_in', 'contains', ...PRESENCE],
  boolean: ['eq', 'ne', ...PRESENCE],
  strings: ['contains', ...PRESENCE],
  address: ['in_network', 'not_in_network', 'eq', 'ne', 'in', 'not_in', ...PRESENCE],
  metadata: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'not_in', 'contains', ...PRESENCE],
};

export function operatorsOf({ type, listNames }: Field): readonly Operator[] {
  return listNames ? ['matches_list', ...PRESENCE] : OPERATORS_OF_TYPE[type];
}

/** Whether the operator has no value. */
export function isPresence(operator: Operator): boolean {
  return PRESENCE.includes(operator);
}

/** Whether the operator takes several values. */
export function acceptsMany(operator: Operator): boolean {
  return operator === 'in' || operator === 'not_in' || acceptsNetworks(operator);
}

/** Whether the operator takes networks: a single one, or several. */
export function acceptsNetworks(operator: Operator): boolean {
  return operator === 'in_network' || operator === 'not_in_network';
}

const TYPE_DESCRIPTIONS: Readonly<Record<Field['type'], string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  strings: 'a list of strings',
  address: 'an IP address',
  metadata: 'a string, a number, or true or false',
};

/** Description of the field's values. */
export function describeType({ type, range, unit }: Field): string {
  const details = [range, unit === 'count' || !unit ? undefined : `in ${unit}`].filter(
    (each) => each !== undefined,
  );
  return details.length === 0
    ? TYPE_DESCRIPTIONS[type]
    : `${TYPE_DESCRIPTIONS[type]} (${details.join(', ')})`;
}

const SHOWN_NAME = 64;

/** Message for an unknown field. */
export function unknownField(catalogue: Catalogue, name: string): string {
  const { root } = catalogue.metadata;
  if (name === root) return `Field "${root}" must include a key, such as ${root}.plan`;
  const shown = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  const meant = suggestedFields(catalogue, name);
  return `Unknown field ${quote(shown)}${meant.length === 0 ? '' : `. Did you mean ${joined(meant)}?`}`;
}

/** Why the field does not accept the operator; null when it does. */
export function operatorProblem(name: string, field: Field, operator: Operator): string | null {
  const operators = operatorsOf(field);
  if (operators.includes(operator)) return null;
  return `Field ${quote(name)} is ${describeType(field)} and does not support ${WRITTEN[operator]}: use ${choiceOf(operators)}`;
}

/** The operators in words, as `=, != or IS MISSING`. */
export function choiceOf(operators: readonly Operator[]): string {
  return joined(operators.map((operator) => WRITTEN[operator]));
}

/** A field and the operator that compares it with a value. */
export type Comparison = { readonly name: string; readonly field: Field; readonly operator: Operator };

/** Reason why a value is invalid for the field; null for a valid one. Each of several values is checked separately. */
export function valueProblem(catalogue: Catalogue, comparison: Comparison, value: unknown): string | null {
  const { name, field, operator } = comparison;
  const expected = expectedTypes(field, operator);
  const type = typeof value as (typeof expected)[number];
  if (!expected.includes(type)) {
    const wanted = field.type === 'address' ? TYPE_DESCRIPTIONS.address : TYPE_DESCRIPTIONS[expected[0]!];
    return `Field ${quote(name)} is ${describeType(field)}: expected ${wanted}, found ${kindOf(value)}`;
  }
  if (field.type === 'address') return addressProblem(operator, String(value));
  if (typeof value === 'number') return numberProblem(value) ?? rangeProblem(name, field, value);
  if (typeof value === 'string') return stringProblem(value) ?? meaningProblem(catalogue, comparison, value);
  return null;
}

type ValueType = 'number' | 'string' | 'boolean';

/** Types of values that the operator compares the field with. Metadata has values of every type. */
function expectedTypes({ type }: Field, operator: Operator): readonly ValueType[] {
  if (type === 'strings' || type === 'address') return ['string'];
  if (type !== 'metadata') return [type];
  if (operator === 'contains') return ['string'];
  if (operator === 'eq' || operator === 'ne') return ['string', 'number', 'boolean'];
  return acceptsMany(operator) ? ['string', 'number'] : ['number'];
}

/** Why several values are invalid together; null for valid ones. Metadata is compared with one type at a time. */
export function valuesProblem(values: readonly unknown[]): string | null {
  const isMixed = values.some((value) => typeof value !== typeof values[0]);
  return isMixed ? 'Values of one list must have the same type' : null;
}

function addressProblem(operator: Operator, value: string): string | null {
  if (acceptsNetworks(operator)) {
    if (parseNetwork(value)) return null;
    return `${quote(value)} is not a network: expected an address with a prefix length, such as "203.0.113.0/24" or "2001:db8::/32"`;
  }
  if (parseIp(value)) return null;
  if (parseNetwork(value)) return `${quote(value)} is a network: use ${WRITTEN.in_network}`;
  return `${quote(value)} is not an IP address, such as "203.0.113.7" or "2001:db8::7"`;
}

/** Beyond them a number is not written without an exponent, or not exactly. */
const MAX_NUMBER = 1e15;
const MIN_NUMBER = 1e-6;

function numberProblem(value: number): string | null {
  const size = Math.abs(value);
  if (size <= MAX_NUMBER && (size === 0 || size >= MIN_NUMBER)) return null;
  return 'Number must be 0, or have an absolute value from 0.000001 to 1000000000000000';
}

/** Message for a number that the field can never have. */
function rangeProblem(name: string, field: Field, value: number): string | null {
  const [least, most] = boundsOf(field);
  return value >= least && value <= most
    ? null
    : `${value} is out of range: field ${quote(name)} is ${field.range}`;
}

/** The smallest and the largest number of a field, from its range text. */
export function boundsOf({ range = '' }: Field): readonly [least: number, most: number] {
  const [, least, most] = /^(-?[\d.]+) to ([\d.,]+)$/.exec(range) ?? [];
  if (least !== undefined && most !== undefined) return [Number(least), Number(most.replaceAll(',', ''))];
  return [range === '0 or more' ? 0 : Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
}

function stringProblem(value: string): string | null {
  if (value === '') return 'String must not be empty: use IS MISSING or IS PRESENT';
  if (value.length > EXPRESSION_LIMITS.string)
    return `String must be at most ${EXPRESSION_LIMITS.string} characters`;
  return hasForbiddenCharacters(value) ? 'String must not contain NUL characters or lone surrogates' : null;
}

/** Message for a text that the field can never contain. */
function meaningProblem(
  catalogue: Catalogue,
  { name, field, operator }: Comparison,
  value: string,
): string | null {
  if (operator === 'matches_list') {
    const problem = catalogue.listNameProblem(value);
    return problem === null ? null : `${quote(value)} is not the name of a list: ${problem}`;
  }
  // A part of a text may be anything.
  if (field.type === 'string' && operator === 'contains') return null;
  if (field.values && !isAmong(field.values, value))
    return `${quote(value)} is not a value of field ${quote(name)}: use ${joined(field.values)}`;
  if (field.country && !(/^[a-z]{2}$/i.test(value) && isCountryCode(value.toUpperCase()))) {
    const hint = countryCodeHint(value);
    return `${quote(value)} is not a two-letter country code${hint ? `: ${hint}` : ''}`;
  }
  return null;
}

function isAmong(values: readonly string[], value: string): boolean {
  const folded = foldCase(value);
  return values.some((each) => foldCase(each) === folded);
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (value === undefined || value === null) return 'nothing';
  return Array.isArray(value) ? 'several values' : 'another type';
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function quote(text: string): string {
  const shown = text.length > SHOWN_NAME ? `${text.slice(0, SHOWN_NAME)}…` : text;
  return JSON.stringify(shown);
}
