import { expect, test } from 'vitest';
import { ExpressionError } from './expression-error.ts';

const explain = (marked: string) =>
  new ExpressionError('wrong', marked.replace('▲', ''), marked.indexOf('▲')).explain();

test.each([
  ['a ▲> b', 'a > b\n  ^'],
  ['▲', '\n^'],
  ['a >▲', 'a >\n   ^'],
  ['first\nsecond ▲x\nthird', 'second x\n       ^'],
  ['first\r\nsecond ▲x\r\nthird', 'second x\n       ^'],
  ['first\n▲\nthird', '\n^'],
  ['first▲\nsecond', 'first\n     ^'],
  ['\tx\t▲y', '\tx\ty\n\t \t^'],
])('%j is shown with a caret below', (marked, shown) => {
  expect(explain(marked)).toBe(shown);
});

test('an error in a long line shows the text around the error', () => {
  const [line = '', caret = ''] = explain(`${'a'.repeat(500)}▲${'b'.repeat(500)}`).split('\n');
  expect(line).toBe(`…${'a'.repeat(60)}${'b'.repeat(60)}…`);
  expect(line[caret.indexOf('^')]).toBe('b');
  expect(line[caret.indexOf('^') - 1]).toBe('a');
});

test('lines and columns start at 1', () => {
  expect(new ExpressionError('wrong', 'a\nbc', 0)).toMatchObject({ line: 1, column: 1 });
  expect(new ExpressionError('wrong', 'a\nbc', 1)).toMatchObject({ line: 1, column: 2 });
  expect(new ExpressionError('wrong', 'a\nbc', 2)).toMatchObject({ line: 2, column: 1 });
  expect(new ExpressionError('wrong', 'a\nbc', 4)).toMatchObject({ line: 2, column: 3 });
});
