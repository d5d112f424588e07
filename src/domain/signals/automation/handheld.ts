import type { SessionFacts } from '../evidence/evidence.ts';

/** True for an app on a telephone, and for a browser that says that it is on a telephone or tablet. */
export function isHandheld({ source, ua }: Pick<SessionFacts, 'source' | 'ua'>): boolean {
  return source !== 'web' || ua.deviceCategory === 'mobile' || ua.deviceCategory === 'tablet';
}
