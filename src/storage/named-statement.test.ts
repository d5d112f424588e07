import { describe, expect, it } from 'vitest';
import { namedStatement } from './named-statement.ts';

const textOf = (text: string, ...parameters: string[]) => namedStatement('test.one', parameters, text).text;

describe('a statement with named parameters', () => {
  it('numbers them in the order of their list, repeated ones alike', () => {
    const statement = namedStatement(
      'test.find',
      ['projectId', 'accountId', 'limit'],
      'select :limit from t where a = :accountId and p = :projectId and b <> :accountId',
    );
    expect(statement.name).toBe('test.find');
    expect(statement.text).toBe('select $3 from t where a = $2 and p = $1 and b <> $2');
    const values = { limit: 5, projectId: 'p', accountId: 'a' };
    expect(statement.values(values)).toEqual(['p', 'a', 5]);
    expect(statement.call(values)).toEqual([statement, ['p', 'a', 5]]);
  });

  it('has names that begin with another name', () => {
    expect(textOf(':id, :idOfOther, (:id)', 'id', 'idOfOther')).toBe('$1, $2, ($1)');
  });

  it.each([
    ['casts', ':x::uuid[] || now()::text', '$1::uuid[] || now()::text'],
    ['assignments', 'f(a := :x)', 'f(a := $1)'],
    ['strings', "'a :y ''b :y' || :x", "'a :y ''b :y' || $1"],
    ['escape strings', "E'it\\'s :y' || e'\\\\' || :x", "E'it\\'s :y' || e'\\\\' || $1"],
    [
      'strings after a name that ends in e',
      "interval':y' || date ':y' || :x",
      "interval':y' || date ':y' || $1",
    ],
    ['quoted names', '"a :y" = :x', '"a :y" = $1'],
    ['line comments', "-- it's :y\n:x -- :y", "-- it's :y\n$1 -- :y"],
    ['nested comments', '/* :y /* :y */ :y */ :x', '/* :y /* :y */ :y */ $1'],
    ['dollar quotes', '$$ :y $$ || $a_1$ :y $$ :y $a_1$ || :x', '$$ :y $$ || $a_1$ :y $$ :y $a_1$ || $1'],
    ['slices by number', 'a[1:2] || :x', 'a[1:2] || $1'],
    ['JSON paths', "b @? '$.a ? (@ == 1)' and :x", "b @? '$.a ? (@ == 1)' and $1"],
  ])('leaves %s as they are', (_name, text, numbered) => {
    expect(textOf(text, 'x')).toBe(numbered);
  });

  it('accepts $1 of a shared part as the project', () => {
    expect(textOf('select $1, :id', 'projectId', 'id')).toBe('select $1, $2');
  });

  it.each([
    ['an unknown name', ':y, :x', ['x'], 'Statement test.one: :y is not one of x'],
    ['an unused parameter', ':x', ['x', 'y'], 'Statement test.one: the text does not use y'],
    ['a parameter twice', ':x', ['x', 'x'], 'Statement test.one: a parameter is named twice'],
    ['a position', ':projectId, :x, $2', ['projectId', 'x'], 'Statement test.one: $2 has no name'],
    ['$1 without a project', ':x, $1', ['x'], 'Statement test.one: $1 has no name'],
  ])('cannot be made with %s', (_name, text, parameters, message) => {
    expect(() => textOf(text, ...parameters)).toThrow(message);
  });

  it('requires all values by their names', () => {
    const statement = namedStatement('test.two', ['a', 'b'], ':a :b');
    // @ts-expect-error a missing value
    statement.values({ a: 1 });
    // @ts-expect-error an unknown value
    statement.values({ a: 1, b: 2, c: 3 });
    expect(statement.values({ a: 1, b: 2 })).toEqual([1, 2]);
  });
});
