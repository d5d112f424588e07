import { attempt } from '../attempt.ts';
import type { Facts } from '../facts.ts';
import { canUseDatabase } from '../token-stores.ts';

const PROBE = 'vouchgraph_probe';

/** Storage available to the page. Private windows and strict settings allow less. */
export function storageFacts(): Facts {
  return {
    checks: {
      cookies: attempt(canSetCookie, false),
      local_storage: attempt(canUseLocalStorage, false),
      service_worker: 'serviceWorker' in navigator,
    },
  };
}

export async function databaseFacts(): Promise<Facts> {
  return { checks: { indexed_db: await canUseDatabase() } };
}

export async function quotaFacts(): Promise<Facts> {
  const { quota } = await navigator.storage.estimate();
  return { checks: { storage_quota_bytes: quota } };
}

/** navigator.cookieEnabled ignores settings per site, so a cookie is set and removed. */
function canSetCookie(): boolean {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${PROBE}=1; SameSite=Strict; Max-Age=60`;
  const isSet = document.cookie.includes(`${PROBE}=1`);
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `${PROBE}=; SameSite=Strict; Max-Age=0`;
  return isSet;
}

function canUseLocalStorage(): boolean {
  localStorage.setItem(PROBE, '1');
  localStorage.removeItem(PROBE);
  return true;
}
