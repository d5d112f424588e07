import { expect, test } from 'vitest';
import { bytesOf } from '../../../../test/support/bytes-of.ts';
import { ValueReader } from './ip-database-values.ts';

function readHex(hex: string): unknown {
  const file = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return new ValueReader(bytesOf(file), 0).valueAt(0);
}

/* The bytes are assembled manually from the MaxMind DB file format specification 2.0. */
test.each([
  ['40', ''],
  ['42 4652', 'FR'],
  ['44 c39cc3b1', 'Üñ'],
  ['68 4043333333333333', 38.4],
  ['04 08 4215b021', 37.422000885009766],
  ['a0', 0],
  ['a2 0102', 258],
  ['c3 010203', 66_051],
  ['c4 ffffffff', 4_294_967_295],
  ['04 01 fffffffe', -2],
  ['02 01 0102', 258],
  ['00 07', false],
  ['01 07', true],
  ['02 04 424652 a105', ['FR', 5]],
  ['e0', {}],
  ['e2 4161 a101 4162 e1 4163 4164', { a: 1, b: { c: 'd' } }],
])('%s is %j', (hex, value) => {
  expect(readHex(hex)).toEqual(value);
});

test.each([
  [29, '5d00'],
  [284, '5dff'],
  [285, '5e0000'],
  [65_820, '5effff'],
  [65_821, '5f000000'],
])('a text of %i bytes has its length after its type', (length, head) => {
  const text = 'x'.repeat(length);
  expect(readHex(head + Buffer.from(text).toString('hex'))).toBe(text);
});

test.each([
  ['one byte', 0, '20 00', 0],
  ['two bytes', 2048, '28 0000', 0],
  ['three bytes', 526_336, '30 000000', 0],
  ['four bytes', 0, '38 00000005', 5],
])('a pointer of %s leads to its value', (_, base, pointer, target) => {
  const bytes = Buffer.from(pointer.replaceAll(' ', ''), 'hex');
  const file = Buffer.alloc(base + target + 16);
  file.write('424652', base + target, 'hex');
  bytes.copy(file, file.length - bytes.length);
  expect(new ValueReader(bytesOf(file), 0).valueAt(file.length - bytes.length)).toBe('FR');
});

test('pointers count from the start of the data, and reading continues after them', () => {
  // Two leading zeros; a key at 2, its map at 4 with a value that is a pointer and one that is not.
  const file = Buffer.from('00004161e22000200041624163', 'hex');
  expect(new ValueReader(bytesOf(file), 2).valueAt(4)).toEqual({ a: 'a', b: 'c' });
});

test('a 128-bit number is skipped without losing the next value', () => {
  expect(readHex('e2 4161 0203 0102 4162 4163')).toEqual({ a: null, b: 'c' });
});

test('a truncated value is rejected', () => {
  expect(() => readHex('c4 ff')).toThrow(RangeError);
  expect(() => readHex('e1')).toThrow(RangeError);
});

test('a map with a key that is not text is rejected', () => {
  // The key is a map with its own key `toString`: such an object converts to no text.
  const key = 'e1 48 746f537472696e67 a0';
  expect(() => readHex(`e1 ${key} a0`)).toThrow(RangeError);
  // The same key through a pointer.
  expect(() => readHex(`e1 2004 a0 ${key}`)).toThrow(RangeError);
  expect(() => readHex('e1 a101 a0')).toThrow(RangeError);
});
