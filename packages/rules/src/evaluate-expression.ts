import { type Catalogue, type Field, fieldNamed } from './catalogue.ts';
import { compileMetadata } from './compile-metadata.ts';
import type { Condition, Expression, Facts, FieldValue } from './expression.ts';
import { metadataPath } from './metadata-path.ts';
import { printExpression } from './print-expression.ts';
import { addressTest, numberTest, textsTest, textTest } from './value-tests.ts';

/** True, false, or null when a missing value leaves the result undetermined. */
export type Evaluate = (facts: Facts) => boolean | null;

/**
 * Compiles an expression once, to be evaluated on many facts. Three-valued: a condition on a missing value is unknown,
 * and so is what depends on it. A rule matches on true alone.
 */
export function compileExpression(catalogue: Catalogue, expression: Expression): Evaluate {
  const compile = (member: Expression) => compileExpression(catalogue, member);
  if ('and' in expression) return allOf(expression.and.map(compile));
  if ('or' in expression) return anyOf(expression.or.map(compile));
  if ('not' in expression) return negated(compile(expression.not));
  return compileCondition(catalogue, expression);
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

function compileCondition(catalogue: Catalogue, condition: Condition): Evaluate {
  const { field: name, op } = condition;
  const field = fieldNamed(catalogue, name);
  if (!field) throw new Error(`a compiled expression names the field ${name}, which does not exist`);
  if (field.type === 'metadata') {
    const evaluate = compileMetadata(catalogue.metadata.root, condition);
    return (facts) => evaluate(facts).outcome;
  }
  if (op === 'is_missing') return (facts) => !isPresent(field, facts[name]);
  if (op === 'is_present') return (facts) => isPresent(field, facts[name]);
  switch (field.type) {
    case 'number':
      return compileNumber(condition);
    case 'boolean':
      return compileBoolean(condition);
    case 'string':
      return compileText(condition);
    case 'strings':
      return compileTexts(condition);
    case 'address':
      return compileAddress(condition);
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
    case 'address':
      return typeof held === 'string' && held !== '';
    case 'boolean':
      return typeof held === 'boolean';
    case 'strings':
      return Array.isArray(held) && held.length > 0;
    case 'metadata':
      throw new Error('metadata was asked for its presence as one value');
  }
}

function compileNumber({ field, op, value }: Condition): Evaluate {
  const test = numberTest(op, value);
  return (facts) => {
    const held = facts[field];
    return typeof held === 'number' && !Number.isNaN(held) ? test(held) : null;
  };
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

/** CONTAINS: whether one of the texts is the value; MATCHES LIST: whether it is by the list's exact name. */
function compileTexts({ field, op, value }: Condition): Evaluate {
  if (op === 'matches_list') {
    return (facts) => {
      const held = facts[field];
      return Array.isArray(held) ? held.includes(value) : null;
    };
  }
  const test = textsTest(value);
  return (facts) => {
    const held = facts[field];
    return Array.isArray(held) ? test(held as readonly string[]) : null;
  };
}

function compileAddress({ field, op, value }: Condition): Evaluate {
  const test = addressTest(op, value);
  return (facts) => {
    const held = facts[field];
    return typeof held === 'string' && held !== '' ? test(held) : null;
  };
}

/** Outcome of an expression on some facts, and of each part of it. */
export type Trace = {
  readonly text: string;
  readonly outcome: 'TRUE' | 'FALSE' | 'SKIPPED';
  /** Why a condition was skipped. */
  readonly reason: string | null;
  /** Value of the field of a condition; null for AND, OR and NOT. */
  readonly value: FieldValue;
  readonly children: readonly Trace[];
};

/** The same outcome as the compiled expression, with every part, also those that did not affect the result. */
export function traceExpression(catalogue: Catalogue, expression: Expression, facts: Facts): Trace {
  const children = partsOf(expression).map((part) => traceExpression(catalogue, part, facts));
  const text = printExpression(expression);
  if ('field' in expression) return { text, ...traceCondition(catalogue, expression, facts), children };
  return { text, outcome: combine(expression, children), reason: null, value: null, children };
}

function traceCondition(
  catalogue: Catalogue,
  condition: Condition,
  facts: Facts,
): Pick<Trace, 'outcome' | 'reason' | 'value'> {
  if (fieldNamed(catalogue, condition.field)!.type === 'metadata') {
    const { outcome, reason, value } = compileMetadata(catalogue.metadata.root, condition)(facts);
    return { outcome: outcomeOf(outcome), reason, value };
  }
  const outcome = outcomeOf(compileCondition(catalogue, condition)(facts));
  const reason = outcome === 'SKIPPED' ? 'no value' : null;
  return { outcome, reason, value: facts[condition.field] ?? null };
}

/** The value of a field as traces show it; null without one. */
export function shownValue(root: string, facts: Facts, name: string): FieldValue {
  if (metadataPath(root, name) === null) return facts[name] ?? null;
  return compileMetadata(root, { field: name, op: 'is_present' })(facts).value;
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
