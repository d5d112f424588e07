import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json.ts';

describe('parsing a body', () => {
  it('returns the result of JSON.parse for valid JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        if (/\\u0000|\\ud[89a-f]/i.test(text)) return;
        expect(parseJson(text, 64)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['{"a":1,"a":2}', '{"a":{"b":1,"\\u0062":2}}', '[{"x":[],"x":{}}]'])(
    'rejects a duplicate key: %s',
    (text) => {
      expect(() => parseJson(text, 64)).toThrow('Duplicate key');
    },
  );

  it('accepts the same key in two objects, and as a value', () => {
    expect(parseJson('{"a":{"a":"a"},"b":["a","a"]}', 64)).toEqual({ a: { a: 'a' }, b: ['a', 'a'] });
  });

  it('rejects 10,000 levels without a stack overflow', () => {
    expect(() => parseJson('['.repeat(10_000) + ']'.repeat(10_000), 64)).toThrow('deeper than 64');
  });

  it.each(['"\\u0000"', '{"a":"\\ud800"}', '{"\\udc00":1}'])(
    'rejects text that cannot be stored: %s',
    (text) => {
      expect(() => parseJson(text, 64)).toThrow('must not contain NUL characters or lone surrogates');
    },
  );

  it.each(['', '{', 'nul', '{"a":}'])('has no value for text that is not JSON: %j', (text) => {
    expect(parseJson(text, 64)).toBeUndefined();
  });
});
