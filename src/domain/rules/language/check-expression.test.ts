import { expect, test } from 'vitest';
import { checkExpression } from './check-expression.ts';
import type { Expression } from './expression.ts';
import { StoredExpressionError } from './expression-error.ts';

const isFirst: Expression = { field: 'session.is_first', op: 'eq', value: true };
const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<Expression>((not) => ({ not }), isFirst);

test('a valid expression is given back as it is', () => {
  const expression: Expression = {
    and: [
      { or: [isFirst, { field: 'account.country', op: 'in', value: ['DE', 'FR'] }] },
      { not: { field: 'lists', op: 'matches_list', value: 'vip' } },
      { field: 'account.group', op: 'is_missing' },
    ],
  };
  expect(checkExpression(expression)).toEqual(expression);
});

test('minus zero is zero', () => {
  expect(checkExpression({ field: 'account.age_days', op: 'gt', value: -0 })).toStrictEqual({
    field: 'account.age_days',
    op: 'gt',
    value: 0,
  });
});

test.each<[unknown, (string | number)[], RegExp]>([
  [null, [], /^expected an object$/],
  ['session.bot > 1', [], /^expected an object$/],
  [[isFirst], [], /^expected an object$/],
  [{}, ['field'], /^expected the name of a field$/],
  [{ field: 7, op: 'eq', value: 1 }, ['field'], /^expected the name of a field$/],
  [{ field: 'session.bots', op: 'eq', value: 1 }, ['field'], /did you mean session.bot\?$/],
  [{ field: 'toString', op: 'eq', value: 1 }, ['field'], /^there is no field "toString"/],
  [{ field: 'session.bot', op: '=', value: 1 }, ['op'], /^expected one of eq, ne, /],
  [{ field: 'session.bot', value: 1 }, ['op'], /^expected one of eq, ne, /],
  [{ field: 'session.bot', op: 'contains', value: 1 }, ['op'], /has no CONTAINS/],
  [{ field: 'session.bot', op: 'gt' }, ['value'], /expected a number, found nothing$/],
  [{ field: 'session.bot', op: 'gt', value: null }, ['value'], /expected a number, found nothing$/],
  [{ field: 'session.bot', op: 'gt', value: '1' }, ['value'], /expected a number, found the text "1"$/],
  [{ field: 'session.bot', op: 'gt', value: [1] }, ['value'], /expected a number, found several values$/],
  [{ field: 'session.bot', op: 'gt', value: Number.NaN }, ['value'], /^a number is 0, or between/],
  [
    { field: 'session.bot', op: 'gt', value: Number.POSITIVE_INFINITY },
    ['value'],
    /^a number is 0, or between/,
  ],
  [{ field: 'session.bot', op: 'gt', value: 1e-7 }, ['value'], /^a number is 0, or between/],
  [{ field: 'session.bot', op: 'in', value: 1 }, ['value'], /^expected 1 to 1000 values$/],
  [{ field: 'session.bot', op: 'in', value: [] }, ['value'], /^expected 1 to 1000 values$/],
  [{ field: 'session.bot', op: 'in', value: Array(1001).fill(1) }, ['value'], /^expected 1 to 1000 values$/],
  [{ field: 'session.bot', op: 'in', value: [1, 'x'] }, ['value', 1], /found the text "x"$/],
  [{ field: 'session.bot', op: 'is_missing', value: 1 }, ['value'], /^expected no value$/],
  [{ field: 'session.source', op: 'eq', value: 'fax' }, ['value'], /^"fax" is none of the values/],
  [{ field: 'account.id', op: 'eq', value: '' }, ['value'], /^an empty text is no value/],
  [{ field: 'account.id', op: 'eq', value: 'a'.repeat(1025) }, ['value'], /^a text has at most 1024/],
  [{ field: 'account.id', op: 'eq', value: '\0' }, ['value'], /^a text holds no NUL/],
  [{ field: 'account.id', op: 'eq', value: 'a', note: 1 }, ['note'], /^expected no "note"$/],
  [{ and: [isFirst, isFirst], or: [] }, ['or'], /^expected no "or"$/],
  [{ not: isFirst, field: 'session.bot' }, ['field'], /^expected no "field"$/],
  [{ and: [isFirst] }, ['and'], /^expected two members or more$/],
  [{ or: isFirst }, ['or'], /^expected two members or more$/],
  [{ and: [isFirst, { or: [isFirst, { not: 1 }] }] }, ['and', 1, 'or', 1, 'not'], /^expected an object$/],
  [nested(8), Array(8).fill('not'), /^an expression is at most 8 levels deep$/],
  [{ or: Array(1000).fill(isFirst) }, ['or', 999], /^an expression has at most 1000 conditions/],
  [
    { or: Array(70).fill({ field: 'account.id', op: 'eq', value: 'a'.repeat(1000) }) },
    [],
    /^an expression has at most 65536 characters$/,
  ],
])('the mistake in %j', (json, path, message) => {
  const error = errorOf(json);
  expect(error.message).toMatch(message);
  expect(error.path).toEqual(path);
});

test('eight levels and a thousand nodes are allowed', () => {
  expect(checkExpression(nested(7))).toEqual(nested(7));
  expect(checkExpression({ or: Array(999).fill(isFirst) })).toEqual({ or: Array(999).fill(isFirst) });
});

test('ten thousand nodes, and a hundred thousand levels, are refused early', () => {
  expect(errorOf({ and: Array(10_000).fill(isFirst) }).path).toEqual(['and', 999]);
  expect(errorOf(nested(100_000)).path).toHaveLength(8);
});

function errorOf(json: unknown): StoredExpressionError {
  try {
    checkExpression(json);
  } catch (error) {
    if (error instanceof StoredExpressionError) return error;
    throw error;
  }
  throw new Error('passed the checks');
}
