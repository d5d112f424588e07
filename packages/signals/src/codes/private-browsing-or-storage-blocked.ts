import type { Finding } from '../automation/finding.ts';
import type { Checks } from '../device/checks.ts';
import { claimedEngine } from '../device/claimed-engine.ts';
import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.1 } as const;

/**
 * Signs of a private window or of blocked storage. Before version 138 Chromium gave private windows a share of the
 * memory, which is less than twice what one page may take of it (github.com/Joe12387/detectIncognito).
 */
const PRIVATE_BROWSING = {
  /** Where the memory is unknown: a smaller quota than any current disk allows. */
  quotaBytes: 2 ** 30,
  heapFactor: 2,
} as const;

export const privateBrowsingOrStorageBlocked = {
  code: 'private_browsing_or_storage_blocked',
  family: 'device',
  describes: 'Private window, or blocked cookies, local storage or IndexedDB.',
  needs: 'cookies; local storage; IndexedDB; storage quota (bytes)',
  limits: 'Fraud: private windows are common, so the contribution is at most 0.1.',
  weights: WEIGHTS,
  evaluate(facts) {
    if (!facts.checks) return null;
    const found = deviceEvidence(
      {
        code: 'private_browsing_or_storage_blocked',
        group: 'environment',
        weights: WEIGHTS,
      },
      [...blockedFindings(facts.checks), ...quotaFindings(facts.checks, facts.userAgent)],
    );
    return found && { ...found, factual: true };
  },
} satisfies SignalCode;

function blockedFindings({ cookies, localStorage, indexedDb }: Checks): Finding[] {
  const stores = { cookies, 'local storage': localStorage, IndexedDB: indexedDb };
  return Object.entries(stores)
    .filter(([, exists]) => exists === false)
    .map(([name]) => pageFinding(name, 1, `no ${name}`));
}

/**
 * Chromium gives an ordinary window up to 60 % of the disk. Other browsers give what they like; their private windows
 * look as all windows do.
 */
function quotaFindings({ storageQuotaBytes, heapLimitBytes }: Checks, userAgent: string): Finding[] {
  if (storageQuotaBytes === null || storageQuotaBytes <= 0 || claimedEngine(userAgent) !== 'Blink') return [];
  const { quotaBytes, heapFactor } = PRIVATE_BROWSING;
  const least = heapLimitBytes === null ? quotaBytes : heapLimitBytes * heapFactor;
  return storageQuotaBytes < least ? [pageFinding('quota', 1, 'storage quota of a private window')] : [];
}
