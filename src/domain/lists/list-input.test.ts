import { describe, expect, it } from 'vitest';
import { addAccountsShape, createListShape, isListName, moveAccountsShape } from './list-input.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `account-${index}`);
const move = (changes: Record<string, unknown>) =>
  moveAccountsShape.safeParse({ sourceList: 'a', targetList: 'b', accountIds: ids(1), ...changes }).success;

describe('the name of a list', () => {
  it.each(['vip', 'a b', 'x'.repeat(128), 'Überprüfung', '...', '%2F', ' '])('may be %j', (name) => {
    expect(isListName(name)).toBe(true);
  });

  it.each(['', '.', '..', 'a/b', '/', 'x'.repeat(129), 'a\nb', 'a\u0000', '\u007f', '\u0085'])(
    'may not be %j',
    (name) => {
      expect(isListName(name)).toBe(false);
    },
  );
});

describe('the fields of a list', () => {
  it('are optional', () => {
    expect(createListShape.safeParse({ name: 'vip', description: null }).success).toBe(true);
  });

  it.each([
    ['a description of 1,025 characters', { description: 'd'.repeat(1025) }],
    ['an unknown effect', { effect: 'fake' }],
  ])('are rejected: %s', (_what, changes) => {
    expect(createListShape.safeParse({ name: 'vip', ...changes }).success).toBe(false);
  });
});

describe('accounts to move or add', () => {
  it('are between 1 and 1,000', () => {
    expect([0, 1, 1000, 1001].map((count) => move({ accountIds: ids(count) }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('must have another list as target', () => {
    expect(move({ targetList: 'a' })).toBe(false);
  });

  it.each([
    ['an empty id', { accountIds: [''] }],
    ['an id of 257 characters', { accountIds: ['x'.repeat(257)] }],
    ['a reason of 1,025 characters', { reason: 'r'.repeat(1025) }],
    ['a list with a slash', { list: 'a/b' }],
  ])('are rejected: %s', (_what, changes) => {
    expect(addAccountsShape.safeParse({ list: 'a', accountIds: ids(1), ...changes }).success).toBe(false);
  });
});
