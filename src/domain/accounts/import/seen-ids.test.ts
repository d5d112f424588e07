import { expect, test } from 'vitest';
import { createSeenIds } from './seen-ids.ts';

test('a set of seen ids contains each added id and none of 300,000 others', () => {
  const seen = createSeenIds();
  let known = 0;
  for (let number = 0; number < 300_000; number += 1) if (seen.add(`account-${number}`)) known += 1;
  expect(known).toBe(0);
  for (let number = 0; number < 300_000; number += 1) if (seen.add(`account-${number}`)) known += 1;
  expect(known).toBe(300_000);
});
