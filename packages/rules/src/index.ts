export type { Catalogue, Field } from './catalogue.ts';
export type { Trace } from './evaluate-expression.ts';
export type { Expression, Facts, FieldValue, MetadataValue } from './expression.ts';
export { ExpressionError } from './expression-error.ts';
export { fieldsOf, listsOf } from './expression-reads.ts';
export { printExpression } from './print-expression.ts';
export { createRuleLanguage } from './rule-language.ts';
