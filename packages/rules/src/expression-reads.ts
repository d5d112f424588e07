import type { Condition, Expression } from './expression.ts';

/** The conditions of an expression, in reading order. */
function conditionsOf(expression: Expression): Condition[] {
  if ('and' in expression) return expression.and.flatMap(conditionsOf);
  if ('or' in expression) return expression.or.flatMap(conditionsOf);
  return 'not' in expression ? conditionsOf(expression.not) : [expression];
}

/** Names of the fields that an expression reads, each once. */
export function fieldsOf(expression: Expression): string[] {
  return [...new Set(conditionsOf(expression).map(({ field }) => field))];
}

/** Names of the lists in the MATCHES LIST conditions of an expression, each once. */
export function listsOf(expression: Expression): string[] {
  const names = conditionsOf(expression)
    .filter(({ op }) => op === 'matches_list')
    .map(({ value }) => String(value));
  return [...new Set(names)];
}
