import { expect, it } from 'vitest';
import { parseByteRange } from './byte-range.ts';

it.each([
  ['', 10, 'all'],
  ['bytes=0-', 10, { start: 0, end: 10 }],
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=3-5', 10, { start: 3, end: 6 }],
  ['Bytes=3-5', 10, { start: 3, end: 6 }],
  ['bytes=9-99999999999999999999', 10, { start: 9, end: 10 }],
  ['bytes=10-', 10, 'none'],
  ['bytes=10-12', 10, 'none'],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=-0', 10, 'none'],
  ['bytes=0-', 0, 'none'],
  ['bytes=-1', 0, 'none'],
  ['bytes=5-3', 10, 'all'],
  ['bytes=-', 10, 'all'],
  ['bytes=0-1,3-4', 10, 'all'],
  ['bytes=a-b', 10, 'all'],
  ['items=0-1', 10, 'all'],
] as const)('%s of %i bytes', (header, size, expected) => {
  expect(parseByteRange(header, size)).toEqual(expected);
});
