import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namedStatement } from './named-statement.ts';

const textOf = (text: string) => namedStatement('test.one', text).text;

describe('a statement with named parameters', () => {
  it('numbers them in the order of the text, the project first, repeated ones alike', () => {
    const statement = namedStatement(
      'test.find',
      'select :limit from t where a = :accountId and p = :projectId and b <> :accountId',
    );
    expect(statement.name).toBe('test.find');
    expect(statement.text).toBe('select $2 from t where a = $3 and p = $1 and b <> $3');
    const values = { accountId: 'a', projectId: 'p', limit: 5 };
    expect(statement.values(values)).toEqual(['p', 5, 'a']);
    expect(statement.call(values)).toEqual([statement, ['p', 5, 'a']]);
  });

  it('has names that begin with another name', () => {
    expect(textOf(':id, :idOfOther, (:id)')).toBe('$1, $2, ($1)');
  });

  it.each([
    ['casts', ':x::uuid[] || now()::text', '$1::uuid[] || now()::text'],
    ['assignments', 'f(a := :x)', 'f(a := $1)'],
    ['strings', "'a :y ''b :y' || :x", "'a :y ''b :y' || $1"],
    ['strings of a colon', "':' || :x || '::y'", "':' || $1 || '::y'"],
    ['escape strings', "E'it\\'s :y' || e'\\\\' || :x", "E'it\\'s :y' || e'\\\\' || $1"],
    [
      'strings after a name that ends in e',
      "interval':y' || date ':y' || :x",
      "interval':y' || date ':y' || $1",
    ],
    ['quoted names', '"a :y" = :x', '"a :y" = $1'],
    ['line comments', "-- it's :y\n:x -- :y", "-- it's :y\n$1 -- :y"],
    ['comments', "/* :y isn't -- */ :x /**/ /* :y\n */", "/* :y isn't -- */ $1 /**/ /* :y\n */"],
    ['dollar quotes', '$$ :y $$ || $a_1$ :y $$ :y $a_1$ || :x', '$$ :y $$ || $a_1$ :y $$ :y $a_1$ || $1'],
    ['slices by number', 'a[1:2] || :x', 'a[1:2] || $1'],
    ['JSON paths', "b @? '$.a ? (@ == 1)' and :x", "b @? '$.a ? (@ == 1)' and $1"],
  ])('leaves %s as they are', (_name, text, numbered) => {
    expect(textOf(text)).toBe(numbered);
  });

  it('accepts names as bounds of a slice', () => {
    expect(textOf('a[:x::int:4], a[2 : :x]')).toBe('a[$1::int:4], a[2 : $1]');
  });

  it('accepts $1 of a shared part as the project', () => {
    expect(textOf('select :id, $1')).toBe('select $2, $1');
  });

  it.each([
    ['a position', ':projectId, :x, $2', '$2 has no name'],
    ['nested comments', '/* /* */ */ :x', 'a comment is nested or open'],
    ['an open comment', ':x /* ', 'a comment is nested or open'],
  ])('cannot be made with %s', (_name, text, problem) => {
    expect(() => textOf(text)).toThrow(`Statement test.one: ${problem}`);
  });

  it('cannot be made with a computed name that the text does not contain', () => {
    const part: string = ':b';
    expect(() => namedStatement('test.one', `:a ${part}`, ['c'])).toThrow(
      'Statement test.one: the text does not contain :c',
    );
  });

  it('requires all values by their names', () => {
    const part: string = ':c';
    const make = () => namedStatement('test.two', `:a::text || ':' || :b_2 || ${part}`, ['c']);
    // @ts-expect-error a missing value
    expect(() => make().values({ a: 1, c: 3 })).toThrow('Statement test.two: no value for :b_2');
    // @ts-expect-error a missing value of a computed part
    expect(() => make().values({ a: 1, b_2: 2 })).toThrow('Statement test.two: no value for :c');
    expect(() =>
      // @ts-expect-error an unknown value
      make().values({ a: 1, b_2: 2, c: 3, text: 4 }),
    ).toThrow('Statement test.two: the text does not contain :text');
    expect(make().values({ a: 1, b_2: 2, c: 3 })).toEqual([1, 2, 3]);
  });
});

/** Parts of these statements are shared by positions. */
const SHARED_PARTS = ['src/domain/email-checks/email-claim-store.ts'];

it('statements with six parameters or more have names for them', () => {
  const sixth = /\$(?:[6-9]|[1-9]\d)\b/;
  const files = globSync('src/**/*.ts', { exclude: (path) => path.includes('generated') });
  const positional = files.filter((path) => sixth.test(readFileSync(path, 'utf8')));
  expect(positional.filter((path) => !path.endsWith('.test.ts')).sort()).toEqual(SHARED_PARTS);
});
