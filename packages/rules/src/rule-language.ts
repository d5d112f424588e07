import type { Catalogue } from './catalogue.ts';
import {
  compileExpression,
  type Evaluate,
  shownValue,
  type Trace,
  traceExpression,
} from './evaluate-expression.ts';
import type { Expression, Facts, FieldValue } from './expression.ts';
import { metadataFacts, metadataPath } from './metadata-path.ts';
import { neverTrueReason } from './never-true.ts';
import { parseExpression } from './parse-expression.ts';

/** Expressions over the fields of one catalogue. */
export type RuleLanguage<Trigger extends string> = {
  /** Reads and checks the text of an expression. Throws ExpressionError at the first mistake. */
  readonly parse: (text: string) => Expression;
  /**
   * Compiles an expression once, to be evaluated on many facts: true, false, or null when a missing value leaves the
   * result undetermined. A rule matches on true alone.
   */
  readonly compile: (expression: Expression) => Evaluate;
  /** The outcome on some facts, with the outcome of each part. */
  readonly trace: (expression: Expression, facts: Facts) => Trace;
  /** Why an expression is true for no facts that can occur on the trigger; null when it can be true. */
  readonly neverTrueReason: (expression: Expression, trigger: Trigger) => string | null;
  /** The value of a field as traces show it; null without one. */
  readonly shownValue: (facts: Facts, field: string) => FieldValue;
  /** Whether the field is a value of the metadata. */
  readonly isMetadataField: (field: string) => boolean;
  /** Facts of metadata: all of it up to 2 KB, otherwise the values of the given fields. */
  readonly metadataFacts: (
    metadata: Readonly<Record<string, unknown>>,
    fields: readonly string[],
  ) => Record<string, FieldValue>;
};

export function createRuleLanguage<Trigger extends string>(
  catalogue: Catalogue<Trigger>,
): RuleLanguage<Trigger> {
  const { root } = catalogue.metadata;
  return {
    parse: (text) => parseExpression(catalogue, text),
    compile: (expression) => compileExpression(catalogue, expression),
    trace: (expression, facts) => traceExpression(catalogue, expression, facts),
    neverTrueReason: (expression, trigger) => neverTrueReason(catalogue, expression, trigger),
    shownValue: (facts, field) => shownValue(root, facts, field),
    isMetadataField: (field) => metadataPath(root, field) !== null,
    metadataFacts: (metadata, fields) => metadataFacts(root, metadata, fields),
  };
}
