import { expect, it } from 'vitest';
import { maskOtherAccounts } from './mask-other-accounts.ts';

const masked = (value: unknown) => maskOtherAccounts(value, 'me', (id) => `pseudonym of ${id}`);

it('replaces ids of other accounts at every depth, and keeps the own id', () => {
  expect(
    masked({
      account_id: 'me',
      linked_account_id: 'you',
      account_ids: ['me', 'you'],
      matches: [{ account_id: 'they', match_types: ['face'] }, { accountId: 'me' }],
      inner: { otherAccountId: 'you', accountIds: ['them'] },
    }),
  ).toEqual({
    account_id: 'me',
    linked_account_id: 'pseudonym of you',
    account_ids: ['me', 'pseudonym of you'],
    matches: [{ account_id: 'pseudonym of they', match_types: ['face'] }, { accountId: 'me' }],
    inner: { otherAccountId: 'pseudonym of you', accountIds: ['pseudonym of them'] },
  });
});

it('keeps other values, with dates and bytes as text', () => {
  const at = new Date(0);
  expect(
    masked({ at, hash: Buffer.from([1, 255]), accounts: 3, none: null, id: 'you', account: { id: 1 } }),
  ).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    hash: '01ff',
    accounts: 3,
    none: null,
    id: 'you',
    account: { id: 1 },
  });
  expect(masked({ account_id: null, accountIds: null })).toEqual({ account_id: null, accountIds: null });
});
