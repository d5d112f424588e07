import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EXACT, exactDocuments } from './exact-documents-for-tests.ts';
import { exactJson, isBeyondNumeric, isContainer, numberOf, parseExactJson } from './exact-json.ts';
import { parseJson } from './json.ts';
import { jsonDepth } from './text.ts';

const isObject = (value: unknown): value is object => isContainer(value);

describe('exact JSON', () => {
  it('is written as it was read', () => {
    fc.assert(
      fc.property(exactDocuments, (text) => {
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
        expect(JSON.stringify(exactJson(parseJson(text, 64) as object))).toBe(text);
        expect(jsonDepth(parseExactJson(text), 20)).toBe(jsonDepth(JSON.parse(text), 20));
      }),
    );
  });

  it('of any value is that of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(parseExactJson(text))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('changes no prototype', () => {
    const value = exactJson(parseJson(EXACT, 64) as Record<string, unknown>);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('of a parsed body leaves numbers of other readers as JavaScript has them', () => {
    const body = parseJson('{"a":1.0,"b":[9007199254740993,2.50],"c":{"d":-0}}', 64) as Record<
      string,
      unknown
    >;
    expect(body).toEqual({ a: 1, b: [9007199254740992, 2.5], c: { d: -0 } });
    expect(exactJson(body.b as object)).toEqual([JSON.rawJSON('9007199254740993'), JSON.rawJSON('2.50')]);
  });

  it('is the same object where JavaScript keeps all numbers', () => {
    const body = parseJson('{"a":{"b":[1,2.5,"1.0"]},"c":1.0}', 64) as { a: object };
    expect(exactJson(body.a)).toBe(body.a);
  });

  it('refuses text that is not JSON', () => {
    for (const text of ['', '{', '{"a":01.0}', '[1.0,]', '1.'])
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

test('a number with its text is no container, and computes as the nearest number', () => {
  const raw = JSON.rawJSON('9007199254740993');
  expect(isObject(raw)).toBe(false);
  expect(numberOf(raw)).toBe(9007199254740992);
  expect(numberOf(JSON.rawJSON('1e400'))).toBe(Number.POSITIVE_INFINITY);
});

/** As PostgreSQL 15 to 18 accept them as jsonb. */
test.each([
  ['1e131071', false],
  ['1e131072', true],
  ['9e131071', false],
  ['0.1e131072', false],
  ['0.1e131073', true],
  ['1e-16383', false],
  ['1e-16384', true],
  ['10e-16384', true],
  ['1.0e-16383', true],
  ['0e200000', false],
  ['0e-16384', true],
  ['0.000e-16381', true],
  ['0e9999999999', true],
  ['-1e9999999999', true],
  ['1e-9999999999', true],
  ['1', false],
])('whether %s is beyond the numbers of PostgreSQL: %s', (text, expected) => {
  expect(isBeyondNumeric(text)).toBe(expected);
});
