// cspell:ignore bloсk аllow ｂｌｏｃｋ keycap

import { readListName } from '@vouchgraph/decisions';
import { describe, expect, it, test } from 'vitest';
import { addAccountsShape, createListShape, moveAccountsShape } from './list-input.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `account-${index}`);
const move = (changes: Record<string, unknown>) =>
  moveAccountsShape.safeParse({ sourceList: 'a', targetList: 'b', accountIds: ids(1), ...changes }).success;

describe('the name of a list', () => {
  it.each([
    'vip',
    'a b',
    'x'.repeat(128),
    'Überprüfung',
    '...',
    '%2F',
    '用户',
    'блокировка',
    '👍',
    // An emoji in its colored form, a family joined from three, a flag, a keycap and a tone of skin.
    ...['\u2764\ufe0f', '👨\u200d👩\u200d👧', '❤\ufe0f\u200d🔥', '🇫🇷', '1\ufe0f\u20e3', '👍🏽', '👁\ufe0f'],
    'a - b',
    'main',
    'blocked',
    'main account 2',
  ])('may be %j', (name) => {
    expect(readListName(name)).toBe(name);
  });

  it.each([
    ...['', '.', '..', 'a/b', '/', 'x'.repeat(129), 'a\nb', 'a\u0000', '\u007f', '\u0085'],
    // Blanks at an end, or others than the space.
    ...[' ', ' vip', 'vip ', '\u00a0vip', 'vip\u3000', 'a\u00a0b', 'a\u2003b', 'a\u2028b', '\u2800'],
    // Without a visible form: joiners, bidi controls, soft hyphen, fillers, variation selectors, tags.
    ...[
      'vip\u200b',
      'v\u200dip',
      '\u202evip',
      '\u2066vip\u2069',
      'vi\u00adp',
      '\ufeffvip',
      '\u3164',
      ...[
        'v\ufe0f',
        '\ufe0f',
        'vip\u200d',
        '👨\u200d',
        '\u200d👨',
        '👍\ufe0f\ufe0f',
        '1\ufe0f',
        '🏴\u{e0067}\u{e007f}',
      ],
    ],
    // Private use, unassigned, lone surrogates, and a mark that combines with the text before the name.
    ...['\ue000', '\u{10fffd}', '\u0378', '\u{e0041}', '\ud800', '\u0301vip'],
    // Names that look like those of standard lists.
    ...['Block', 'BLOCK', 'Allow', 'MAIN_ACCOUNT', 'ｂｌｏｃｋ', 'bloсk', 'аllow', 'ALLOW', 'bloc\u212a'],
    ...['Main Account', 'main-account', 'mainaccount', 'main.account', 'b l o c k', 'block_', '-allow'],
  ])('may not be %j', (name) => {
    expect(readListName(name)).toBeNull();
  });
});

test('composed and decomposed forms of a name are one name, whose length is that of the composed form', () => {
  expect(readListName('U\u0308ber')).toBe('Über');
  expect(readListName('e\u0301'.repeat(128))).toBe('é'.repeat(128));
  expect(createListShape.parse({ name: 'U\u0308ber' }).name).toBe('Über');
  // An emoji that has its colored form without a selector.
  expect(readListName('vip \u2b50\ufe0f')).toBe('vip \u2b50');
});

test.each(['block', 'allow', 'main_account'])(
  'a name like %s is rejected with the name of the list',
  (name) => {
    const { error } = createListShape.safeParse({ name: name.toUpperCase() });
    expect(error!.issues[0]!.message).toBe(
      `must not resemble the name of a standard list. Did you mean "${name}"?`,
    );
  },
);

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
