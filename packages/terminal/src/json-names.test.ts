import { expect, it } from 'vitest';
import { snakeKeys } from './json-names.ts';

it('keys of objects are converted to snake case at every depth, and values are unchanged', () => {
  const at = new Date(0);
  expect(
    snakeKeys({
      fakeFrom: 0.8,
      matchCounts: [{ liveCount: 1, at }],
      state: 'someValue',
      ip6Address: null,
      url: '',
    }),
  ).toEqual({
    fake_from: 0.8,
    match_counts: [{ live_count: 1, at }],
    state: 'someValue',
    ip6_address: null,
    url: '',
  });
});
