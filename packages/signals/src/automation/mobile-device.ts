import type { SessionFacts } from '../evidence/evidence.ts';

/** True for an app on a phone, and for a browser whose user agent names a phone or tablet. */
export function isMobileDevice({ source, ua }: Pick<SessionFacts, 'source' | 'ua'>): boolean {
  return source !== 'web' || ua.deviceCategory === 'mobile' || ua.deviceCategory === 'tablet';
}
