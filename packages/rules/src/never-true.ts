import { formatIpv4, formatIpv6 } from '@vouchgraph/platform/ip/ip-number';
import { parseNetwork } from '@vouchgraph/platform/ip/network';
import { type Catalogue, type Field, fieldNamed, type TriggerFacts } from './catalogue.ts';
import { boundsOf } from './conditions.ts';
import { compileExpression } from './evaluate-expression.ts';
import type { Condition, Expression, FieldValue } from './expression.ts';
import { printExpression } from './print-expression.ts';

/**
 * Why an expression is true for no facts that can occur on the trigger; null when it can be true. It never refuses an
 * expression that can be true. Contradictions between texts that are compared by CONTAINS alone are not found.
 */
export function neverTrueReason<Trigger extends string>(
  catalogue: Catalogue<Trigger>,
  expression: Expression,
  trigger: Trigger,
): string | null {
  const facts = catalogue.triggers[trigger];
  return problemOf(expression, new Map(), { catalogue, trigger, facts, evaluationsLeft: MAX_EVALUATIONS });
}

/** Beyond this work an expression is considered possibly true: the search must not delay other requests. */
const MAX_EVALUATIONS = 200_000;
const MAX_SHOWN_CHARACTERS = 200;

type Search = {
  readonly catalogue: Catalogue;
  readonly trigger: string;
  readonly facts: TriggerFacts;
  evaluationsLeft: number;
};
/** A condition that must be true; `{ not }`: false. */
type Literal = {
  readonly expression: Expression;
  readonly condition: Condition;
  readonly isNegated: boolean;
};
type Literals = ReadonlyMap<string, readonly Literal[]>;

function problemOf(expression: Expression, inherited: Literals, search: Search): string | null {
  const { literals, alternatives } = conjunctsOf(expression, false);
  const known = new Map(inherited);
  for (const literal of literals) {
    const { field } = literal.condition;
    known.set(field, [...(known.get(field) ?? []), literal]);
  }
  for (const field of new Set(literals.map(({ condition }) => condition.field))) {
    const all = known.get(field)!;
    if (!canHold(field, all, search)) return explain(field, all, search);
  }
  for (const branches of alternatives) {
    const problem = problemOfAll(branches, known, search);
    if (problem !== null) return problem;
  }
  return null;
}

/** Of alternatives, none of which can be true: the problem of the first. */
function problemOfAll(branches: readonly Expression[], known: Literals, search: Search): string | null {
  let first: string | null = null;
  for (const branch of branches) {
    const problem = problemOf(branch, known, search);
    if (problem === null) return null;
    first ??= problem;
  }
  return first;
}

type Conjuncts = { literals: Literal[]; alternatives: (readonly Expression[])[] };

/** Literals that must be true together for the expression to be true, or to be false. */
function conjunctsOf(expression: Expression, isNegated: boolean): Conjuncts {
  if ('not' in expression) return conjunctsOf(expression.not, !isNegated);
  if ('field' in expression) {
    const stated = isNegated ? { not: expression } : expression;
    return { literals: [{ expression: stated, condition: expression, isNegated }], alternatives: [] };
  }
  const members = 'and' in expression ? expression.and : expression.or;
  const isConjunction = 'and' in expression !== isNegated;
  if (!isConjunction) {
    const branches = isNegated ? members.map((not) => ({ not })) : members;
    return { literals: [], alternatives: [branches] };
  }
  const parts = members.map((member) => conjunctsOf(member, isNegated));
  return {
    literals: parts.flatMap(({ literals }) => literals),
    alternatives: parts.flatMap(({ alternatives }) => alternatives),
  };
}

/** Whether one value of the field, or none, makes all literals true. */
function canHold(field: string, literals: readonly Literal[], search: Search): boolean {
  const candidates = candidatesOf(field, literals, search);
  if (candidates === 'ANY') return true;
  search.evaluationsLeft -= candidates.length * literals.length;
  if (search.evaluationsLeft < 0) return true;
  const tests = literals.map(({ expression }) => compileExpression(search.catalogue, expression));
  return candidates.some((value) => tests.every((test) => test({ [field]: value }) === true));
}

/** Values of which one makes the literals true if any value does; null: no value. */
function candidatesOf(
  name: string,
  literals: readonly Literal[],
  { catalogue, facts: { fixed, absent } }: Search,
): readonly FieldValue[] | 'ANY' {
  if (fixed[name] !== undefined) return [fixed[name]];
  if (absent.has(name)) return [null];
  const field = fieldNamed(catalogue, name)!;
  if (literals.every(requiresNoValue)) return [null];
  if (literals.some(requiresNoValue)) return [null, ...(field.type === 'strings' ? [[]] : [])];
  switch (field.type) {
    case 'boolean':
      return [true, false];
    case 'number':
      return numbersOf(field, literals);
    case 'string':
      return textsOf(field, literals);
    case 'strings':
      return severalTextsOf(literals);
    case 'address':
      return addressesOf(literals);
    case 'metadata':
      return 'ANY';
  }
}

function requiresNoValue({ condition: { op }, isNegated }: Literal): boolean {
  return op === (isNegated ? 'is_present' : 'is_missing');
}

/** The numbers that are compared with, one between each two, and one beyond the outermost. */
function numbersOf(field: Field, literals: readonly Literal[]): number[] {
  const [least, most] = boundsOf(field);
  const compared = literals.flatMap(({ condition: { value } }) => valuesOf(value)).map(Number);
  const edges = [...new Set([...compared, least, most].filter(Number.isFinite))].sort((a, b) => a - b);
  if (edges.length === 0) return [0];
  const between = edges.slice(1).map((edge, index) => (edge + edges[index]!) / 2);
  const beyond = [edges[0]! - 1, edges.at(-1)! + 1];
  return [...edges, ...between, ...beyond].filter((value) => value >= least && value <= most);
}

/** All texts of a field with few; the texts that it must equal; any, where it must equal none. */
function textsOf({ values }: Field, literals: readonly Literal[]): readonly string[] | 'ANY' {
  if (values) return values;
  const equal = literals.find(requiresEqual);
  return equal ? valuesOf(equal.condition.value).map(String) : 'ANY';
}

/**
 * The addresses that it must be; where it must only be in networks, the first address of each: of networks with an address
 * in common one contains the others.
 */
function addressesOf(literals: readonly Literal[]): readonly string[] | 'ANY' {
  const equal = literals.find(requiresEqual);
  if (equal) return valuesOf(equal.condition.value).map(String);
  if (!literals.every(requiresNetwork)) return 'ANY';
  const networks = literals.flatMap(({ condition: { value } }) => valuesOf(value));
  return networks.map((network) => firstAddress(String(network)));
}

function requiresNetwork({ condition: { op }, isNegated }: Literal): boolean {
  return op === (isNegated ? 'not_in_network' : 'in_network');
}

function firstAddress(text: string): string {
  const { version, base } = parseNetwork(text)!;
  return version === 4 ? formatIpv4(base[0]!) : formatIpv6(base);
}

function requiresEqual({ condition: { op }, isNegated }: Literal): boolean {
  return isNegated ? op === 'ne' || op === 'not_in' : op === 'eq' || op === 'in';
}

/** The texts that it must contain, and no others; or one that no expression can name. */
function severalTextsOf(literals: readonly Literal[]): readonly (readonly string[])[] {
  const contained = literals
    .filter(({ condition: { op }, isNegated }) => !isNegated && (op === 'contains' || op === 'matches_list'))
    .map(({ condition: { value } }) => String(value));
  return [[], contained.length > 0 ? contained : ['\0']];
}

function valuesOf(value: Condition['value']): readonly (number | string | boolean)[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as number | string | boolean];
}

function explain(field: string, literals: readonly Literal[], search: Search): string {
  const alone = literals.find((literal) => !canHold(field, [literal], search));
  const stated = alone ? [alone] : literals;
  const text = stated.map(({ expression }) => printExpression(expression)).join(' AND ');
  const shown = text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
  const { trigger, facts } = search;
  const fixed = facts.fixed[field];
  if (fixed !== undefined)
    return `${shown} is never true: ${field} is ${JSON.stringify(fixed)} on ${trigger}`;
  if (facts.absent.has(field)) return `${shown} is never true: ${field} has no value on ${trigger}`;
  return `${shown} is never true on ${trigger}`;
}
