import { chromiumMajor } from '../device/claimed-engine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS, PRIVATE_QUOTA } from '../weights.ts';

export const privateBrowsingOrStorageBlocked = {
  code: 'private_browsing_or_storage_blocked',
  family: 'device',
  describes:
    'A browser that keeps nothing comes as a new one each time; that is its user’s right, and useful to farms.',
  needs: 'storage, cookies and the storage quota',
  evaluate(facts) {
    const found = signsOf(facts);
    if (found.length === 0) return null;
    return {
      ...deviceEvidence({
        code: 'private_browsing_or_storage_blocked',
        group: 'environment',
        weight: DEVICE_WEIGHTS.privateBrowsing,
        confidence: 1,
        observed: found.join(', '),
      }),
      factual: true,
    };
  },
} satisfies SignalCode;

function signsOf(facts: SessionFacts): string[] {
  const { checks } = facts;
  if (!checks) return [];
  const found: [what: string, holds: boolean][] = [
    ['cookies are blocked', checks.cookies === false],
    ['local storage is blocked', checks.localStorage === false],
    ['IndexedDB is blocked', checks.indexedDb === false],
    ['a storage quota of private windows', hasPrivateQuota(facts)],
  ];
  return found.filter(([, holds]) => holds).map(([what]) => what);
}

/**
 * Chromium gives an ordinary window up to 60 % of the disk and a private one a share of memory: about that of the
 * JavaScript heap, or less. Where the heap is not told, only a quota that no disk of today has counts.
 */
function hasPrivateQuota({ checks, userAgent }: SessionFacts): boolean {
  const quota = checks?.storageQuotaBytes ?? null;
  if (quota === null || quota <= 0 || chromiumMajor(userAgent) === null) return false;
  const heap = checks?.heapLimitBytes ?? null;
  return quota < (heap === null ? PRIVATE_QUOTA.bytes : heap * PRIVATE_QUOTA.heaps);
}
