import type { Condition, Expression, Facts, FieldValue } from './expression.ts';
import { type Field, fieldNamed } from './field-catalogue.ts';
import { equalsFolded, foldCase } from './fold-case.ts';
import { printExpression } from './print-expression.ts';

/** True, false, or null where it cannot be told because a value is missing. */
export type Evaluate = (facts: Facts) => boolean | null;

/**
 * Compiles an expression once, to be evaluated on many facts. Three-valued: a condition on a missing value is unknown,
 * and so is what depends on it. A rule matches on true alone.
 */
export function compileExpression(expression: Expression): Evaluate {
  return compileExpressionAt(expression, RULE_LANGUAGE_VERSION);
}

/**
 * Version of what expressions mean, stored with every decision. 1: of several texts, none at all was present; decisions
 * of that time have no version.
 */
export const RULE_LANGUAGE_VERSION = 2;

/** The same by the meaning of a version: for decisions of its time. */
export function compileExpressionAt(expression: Expression, version: number): Evaluate {
  const compile = (member: Expression) => compileExpressionAt(member, version);
  if ('and' in expression) return allOf(expression.and.map(compile));
  if ('or' in expression) return anyOf(expression.or.map(compile));
  if ('not' in expression) return negated(compile(expression.not));
  return compileCondition(expression, version);
}

function allOf(members: readonly Evaluate[]): Evaluate {
  return (facts) => {
    let outcome: boolean | null = true;
    for (const member of members) {
      const each = member(facts);
      if (each === false) return false;
      if (each === null) outcome = null;
    }
    return outcome;
  };
}

function anyOf(members: readonly Evaluate[]): Evaluate {
  return (facts) => {
    let outcome: boolean | null = false;
    for (const member of members) {
      const each = member(facts);
      if (each === true) return true;
      if (each === null) outcome = null;
    }
    return outcome;
  };
}

function negated(member: Evaluate): Evaluate {
  return (facts) => {
    const outcome = member(facts);
    return outcome === null ? null : !outcome;
  };
}

function compileCondition(condition: Condition, version = RULE_LANGUAGE_VERSION): Evaluate {
  const { field: name, op } = condition;
  const field = fieldNamed(name);
  if (!field) throw new Error(`an expression of the field ${name}, which is not there, was compiled`);
  const hasValue =
    version === 1 && field.type === 'strings'
      ? Array.isArray
      : (held: FieldValue | undefined) => isPresent(field, held);
  if (op === 'is_missing') return (facts) => !hasValue(facts[name]);
  if (op === 'is_present') return (facts) => hasValue(facts[name]);
  switch (field.type) {
    case 'number':
      return compileNumber(condition);
    case 'boolean':
      return compileBoolean(condition);
    case 'string':
      return compileText(condition);
    case 'strings':
      return compileTexts(condition);
  }
}

/**
 * Whether the field holds something. Several texts that are none at all are known, so that CONTAINS is false, and hold
 * nothing.
 */
function isPresent({ type }: Field, held: FieldValue | undefined): boolean {
  switch (type) {
    case 'number':
      return typeof held === 'number' && !Number.isNaN(held);
    case 'string':
      return typeof held === 'string' && held !== '';
    case 'boolean':
      return typeof held === 'boolean';
    case 'strings':
      return Array.isArray(held) && held.length > 0;
  }
}

function compileNumber({ field, op, value }: Condition): Evaluate {
  const test = numberTest(op, value);
  return (facts) => {
    const held = facts[field];
    return typeof held === 'number' && !Number.isNaN(held) ? test(held) : null;
  };
}

function numberTest(op: Condition['op'], value: Condition['value']): (held: number) => boolean {
  const values = new Set(Array.isArray(value) ? value : []);
  const against = Number(value);
  switch (op) {
    case 'eq':
      return (held) => held === against;
    case 'ne':
      return (held) => held !== against;
    case 'gt':
      return (held) => held > against;
    case 'ge':
      return (held) => held >= against;
    case 'lt':
      return (held) => held < against;
    case 'le':
      return (held) => held <= against;
    case 'in':
      return (held) => values.has(held);
    case 'not_in':
      return (held) => !values.has(held);
    default:
      throw new Error(`a number was asked for ${op}`);
  }
}

function compileBoolean({ field, op, value }: Condition): Evaluate {
  const matching = op === 'eq' ? value : !value;
  return (facts) => {
    const held = facts[field];
    return typeof held === 'boolean' ? held === matching : null;
  };
}

function compileText({ field, op, value }: Condition): Evaluate {
  const test = textTest(op, value);
  return (facts) => {
    const held = facts[field];
    return typeof held === 'string' && held !== '' ? test(held) : null;
  };
}

function textTest(op: Condition['op'], value: Condition['value']): (held: string) => boolean {
  const folded = foldCase(String(value));
  switch (op) {
    case 'eq':
      return (held) => equalsFolded(held, folded);
    case 'ne':
      return (held) => !equalsFolded(held, folded);
    case 'contains':
      return (held) => foldCase(held).includes(folded);
    case 'in':
      return oneOf(value);
    case 'not_in': {
      const isOneOf = oneOf(value);
      return (held) => !isOneOf(held);
    }
    default:
      throw new Error(`a text was asked for ${op}`);
  }
}

/** Up to here comparing one by one is faster than folding the text for a look-up. */
const FEW = 8;

function oneOf(value: Condition['value']): (held: string) => boolean {
  const folded = (Array.isArray(value) ? value : []).map((each) => foldCase(String(each)));
  if (folded.length <= FEW) return (held) => folded.some((each) => equalsFolded(held, each));
  const values = new Set(folded);
  return (held) => values.has(foldCase(held));
}

/** CONTAINS: whether one of the texts is the value; MATCHES LIST: whether it is by the list's exact name. */
function compileTexts({ field, op, value }: Condition): Evaluate {
  if (op === 'matches_list') {
    return (facts) => {
      const held = facts[field];
      return Array.isArray(held) ? held.includes(value) : null;
    };
  }
  const folded = foldCase(String(value));
  return (facts) => {
    const held = facts[field];
    if (!Array.isArray(held)) return null;
    for (const each of held as readonly string[]) if (equalsFolded(each, folded)) return true;
    return false;
  };
}

/** How an expression came out on some facts, and each part of it. */
export type Trace = {
  readonly text: string;
  readonly outcome: 'TRUE' | 'FALSE' | 'SKIPPED';
  /** Why a condition was skipped. */
  readonly reason: string | null;
  /** What the field of a condition held; null for what is made of conditions. */
  readonly value: FieldValue;
  readonly children: readonly Trace[];
};

/** The same outcome as the compiled expression, with every part, also those that no longer mattered. */
export function traceExpression(expression: Expression, facts: Facts): Trace {
  const parts = partsOf(expression);
  const children = parts.map((part) => traceExpression(part, facts));
  const text = printExpression(expression);
  if ('field' in expression) {
    const outcome = outcomeOf(compileCondition(expression)(facts));
    const reason = outcome === 'SKIPPED' ? 'no value' : null;
    return { text, outcome, reason, value: facts[expression.field] ?? null, children };
  }
  return { text, outcome: combine(expression, children), reason: null, value: null, children };
}

function partsOf(expression: Expression): readonly Expression[] {
  if ('and' in expression) return expression.and;
  if ('or' in expression) return expression.or;
  return 'not' in expression ? [expression.not] : [];
}

function outcomeOf(outcome: boolean | null): Trace['outcome'] {
  if (outcome === null) return 'SKIPPED';
  return outcome ? 'TRUE' : 'FALSE';
}

const OPPOSITE = { TRUE: 'FALSE', FALSE: 'TRUE', SKIPPED: 'SKIPPED' } as const;

function combine(expression: Expression, children: readonly Trace[]): Trace['outcome'] {
  const outcomes = children.map(({ outcome }) => outcome);
  if ('not' in expression) return OPPOSITE[outcomes[0]!];
  // One of these settles it, whatever else is unknown.
  const settling = 'and' in expression ? 'FALSE' : 'TRUE';
  if (outcomes.includes(settling)) return settling;
  return outcomes.includes('SKIPPED') ? 'SKIPPED' : OPPOSITE[settling];
}
