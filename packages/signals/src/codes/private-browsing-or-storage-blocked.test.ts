import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { privateBrowsingOrStorageBlocked } from './private-browsing-or-storage-blocked.ts';

const GIB = 2 ** 30;
const evaluate = (raw: Record<string, unknown>, userAgent: string = USER_AGENTS.chromeWindows) =>
  privateBrowsingOrStorageBlocked.evaluate(factsWith({ userAgent, checks: checksWith(raw) }));

test.each([
  [{ cookies: false }, 'no cookies'],
  [{ local_storage: false }, 'no local storage'],
  [{ indexed_db: false }, 'no IndexedDB'],
  [{ storage_quota_bytes: 5 * GIB, heap_limit_bytes: 4 * GIB }, 'storage quota of a private window'],
  [{ storage_quota_bytes: 0.3 * GIB }, 'storage quota of a private window'],
])('%j is a plain fact with a low weight', (raw, observed) => {
  expect(evaluate(raw)).toMatchObject({ factual: true, observed, contributions: { deviceRisk: 0.1 } });
});

test('an ordinary window is not private, nor are the quotas of other browsers', () => {
  expect(
    evaluate({
      cookies: true,
      local_storage: true,
      indexed_db: true,
      storage_quota_bytes: 10 * GIB,
      heap_limit_bytes: 4 * GIB,
    }),
  ).toBeNull();
  expect(evaluate({ storage_quota_bytes: GIB / 2 }, USER_AGENTS.safariMac)).toBeNull();
  expect(evaluate({ storage_quota_bytes: GIB / 2 }, USER_AGENTS.firefoxWindows)).toBeNull();
});

test('features that were not probed produce no evidence', () => {
  expect(evaluate({})).toBeNull();
  expect(evaluate({ storage_quota_bytes: 0 })).toBeNull();
  expect(privateBrowsingOrStorageBlocked.evaluate(factsWith())).toBeNull();
});
