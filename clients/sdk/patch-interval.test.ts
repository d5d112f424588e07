import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchIntervalMs } from './patch-interval.ts';

test('a page sends its counts at most every five seconds, and less often as it ages', () => {
  expect(patchIntervalMs(0)).toBe(5000);
  const ages = fc.nat(1_800_000);
  fc.assert(
    fc.property(ages, ages, (one, other) => {
      const [younger, older] = one < other ? [one, other] : [other, one];
      expect(patchIntervalMs(older)).toBeGreaterThanOrEqual(patchIntervalMs(younger));
    }),
  );
});

test('a page of half an hour sends about fifty requests', () => {
  let requests = 0;
  for (let ageMs = 0; ageMs < 1_800_000; ageMs += patchIntervalMs(ageMs)) requests += 1;
  expect(requests).toBeLessThan(60);
});
