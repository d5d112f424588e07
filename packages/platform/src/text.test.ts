import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasForbiddenCharacters, jsonDepth } from './text.ts';
import { findUnstorable } from './unstorable.ts';

function nested(levels: number, leaf: unknown): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test('accepts ordinary text, emoji and control characters other than NUL', () => {
  for (const text of ['', 'abc', 'Ünïcödé', '👩‍👩‍👧', '\ud83d\ude00', '\u0001\n\t'])
    expect(hasForbiddenCharacters(text)).toBe(false);
});

test('rejects NUL and lone surrogates', () => {
  for (const text of ['a\0b', '\ud800', 'x\udc00y', '\udc00\ud800', '\ude00\ud83d']) {
    expect(hasForbiddenCharacters(text)).toBe(true);
  }
});

test('every well-formed string without NUL is accepted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(hasForbiddenCharacters(text)).toBe(text.includes('\0'));
    }),
  );
});

test('returns the path of the first forbidden string in document order', () => {
  expect(findUnstorable('\0')).toMatchObject({ path: '$' });
  expect(findUnstorable({ a: 1, b: ['x', { 'c d': 'y\0' }], e: '\0' })?.path).toBe('$.b[1]["c d"]');
});

test('returns the path of a forbidden key with escaped characters', () => {
  expect(findUnstorable({ a: { 'k\0': 1 } })?.path).toBe('$.a["k\\u0000"]');
  expect(findUnstorable({ '\ud800': 1 })?.path).toBe('$["\\ud800"]');
});

test('returns null for valid JSON', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
      expect(findUnstorable(JSON.parse(text))).toBeNull();
    }),
  );
});

test('ten thousand levels do not overflow the stack', () => {
  expect(findUnstorable(nested(10_000, 'clean'))).toBeNull();
  expect(findUnstorable(nested(10_000, 'bad\0'))?.path).toMatch(/^\$(\.a\[0\]){5000}$/);
  expect(jsonDepth(nested(10_000, 1), 20_000)).toBe(10_000);
});

test('depth counts containers and stops at limit + 1', () => {
  expect(jsonDepth('text', 8)).toBe(0);
  expect(jsonDepth(null, 8)).toBe(0);
  expect(jsonDepth({}, 8)).toBe(1);
  expect(jsonDepth({ a: [], b: { c: { d: 1 } } }, 8)).toBe(3);
  expect(jsonDepth(nested(8, 1), 8)).toBe(8);
  expect(jsonDepth(nested(500, 1), 8)).toBe(9);
});
