import { acceptsNetworks, isPresence, WRITTEN } from './conditions.ts';
import type { Condition, Expression } from './expression.ts';

/** The canonical text of the expression: parsing it returns the same expression. */
export function printExpression(expression: Expression): string {
  if ('and' in expression) return expression.and.map((member) => within(member, isJunction)).join(' AND ');
  if ('or' in expression) return expression.or.map((member) => within(member, isOr)).join(' OR ');
  if ('not' in expression) return `NOT ${within(expression.not, isJunction)}`;
  return printCondition(expression);
}

/** Adds parentheses where the text would be parsed differently without them. */
function within(member: Expression, needsParentheses: (member: Expression) => boolean): string {
  const text = printExpression(member);
  return needsParentheses(member) ? `(${text})` : text;
}

const isOr = (expression: Expression) => 'or' in expression;
const isJunction = (expression: Expression) => 'and' in expression || 'or' in expression;

function printCondition({ field, op, value }: Condition): string {
  const start = `${field} ${WRITTEN[op]}`;
  if (isPresence(op)) return start;
  const isSingle = acceptsNetworks(op) && Array.isArray(value) && value.length === 1;
  return `${start} ${printValue(isSingle ? value[0] : value)}`;
}

function printValue(value: Condition['value']): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  return JSON.stringify(value);
}
