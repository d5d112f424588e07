import { isPresence, operatorProblem, takesMany, unknownField, valueProblem } from './conditions.ts';
import { type Condition, type Expression, OPERATORS } from './expression.ts';
import { StoredExpressionError } from './expression-error.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { fieldNamed } from './field-catalogue.ts';
import { printExpression } from './print-expression.ts';

type Path = readonly (string | number)[];
type JsonObject = Readonly<Record<string, unknown>>;

/** The expression that stored JSON stands for, by the same rules as text; throws StoredExpressionError. */
export function checkExpression(json: unknown): Expression {
  const expression = check(json, [], 1, { nodes: 0 });
  const { text } = EXPRESSION_LIMITS;
  if (printExpression(expression).length > text)
    throw new StoredExpressionError(`an expression has at most ${text} characters`, []);
  return expression;
}

function check(json: unknown, path: Path, depth: number, counted: { nodes: number }): Expression {
  if (depth > EXPRESSION_LIMITS.depth)
    throw new StoredExpressionError(`an expression is at most ${EXPRESSION_LIMITS.depth} levels deep`, path);
  counted.nodes += 1;
  if (counted.nodes > EXPRESSION_LIMITS.nodes) {
    const message = `an expression has at most ${EXPRESSION_LIMITS.nodes} conditions and operators`;
    throw new StoredExpressionError(message, path);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new StoredExpressionError('expected an object', path);
  const node = json as JsonObject;
  const below = (child: unknown, at: Path) => check(child, [...path, ...at], depth + 1, counted);
  if (Object.hasOwn(node, 'and')) return { and: membersOf(node, 'and', path, below) };
  if (Object.hasOwn(node, 'or')) return { or: membersOf(node, 'or', path, below) };
  if (!Object.hasOwn(node, 'not')) return checkCondition(node, path);
  refuseOtherKeys(node, ['not'], path);
  return { not: below(node.not, ['not']) };
}

function membersOf(
  node: JsonObject,
  key: 'and' | 'or',
  path: Path,
  below: (child: unknown, at: Path) => Expression,
): Expression[] {
  refuseOtherKeys(node, [key], path);
  const members = node[key];
  if (!Array.isArray(members) || members.length < 2)
    throw new StoredExpressionError(`expected two members or more`, [...path, key]);
  return members.map((member, index) => below(member, [key, index]));
}

function checkCondition(node: JsonObject, path: Path): Condition {
  refuseOtherKeys(node, ['field', 'op', 'value'], path);
  const { field: name } = node;
  const field = typeof name === 'string' ? fieldNamed(name) : null;
  if (typeof name !== 'string' || !field) {
    const message = typeof name === 'string' ? unknownField(name) : 'expected the name of a field';
    throw new StoredExpressionError(message, [...path, 'field']);
  }
  const op = OPERATORS.find((operator) => operator === node.op);
  if (!op) throw new StoredExpressionError(`expected one of ${OPERATORS.join(', ')}`, [...path, 'op']);
  const problem = operatorProblem(name, field, op);
  if (problem) throw new StoredExpressionError(problem, [...path, 'op']);
  const at = [...path, 'value'];
  if (isPresence(op)) {
    if (node.value !== undefined) throw new StoredExpressionError('expected no value', at);
    return { field: name, op };
  }
  const checkOne = (value: unknown, place: Path) => {
    const wrong = valueProblem(name, field, op, value);
    if (wrong) throw new StoredExpressionError(wrong, place);
    return value === 0 ? 0 : (value as number | string | boolean);
  };
  if (!takesMany(op)) return { field: name, op, value: checkOne(node.value, at) };
  return { field: name, op, value: checkMany(node.value, at, checkOne) };
}

function checkMany(
  value: unknown,
  at: Path,
  checkOne: (value: unknown, place: Path) => number | string | boolean,
): (number | string)[] {
  const { values: most } = EXPRESSION_LIMITS;
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw new StoredExpressionError(`expected 1 to ${most} values`, at);
  // No field of true and false has an operator of several values.
  return value.map((each, index) => checkOne(each, [...at, index]) as number | string);
}

function refuseOtherKeys(node: JsonObject, known: readonly string[], path: Path): void {
  const other = Object.keys(node).find((key) => !known.includes(key));
  if (other !== undefined)
    throw new StoredExpressionError(`expected no ${JSON.stringify(other.slice(0, 64))}`, [...path, other]);
}
