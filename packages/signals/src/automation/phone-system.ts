import type { SessionFacts } from '../evidence/evidence.ts';

/**
 * System of the phone that an app ran on; null when no app sent the facts, since a page cannot read them. An app that
 * is not named as the source is identified by the service that attested it, by its client hints or by its user agent.
 */
export function phoneSystem({ source, mobile, ua, checks }: SessionFacts): 'android' | 'ios' | null {
  if (source !== 'web') return source;
  if (!mobile) return checks?.userAgentData?.model && /^android/i.test(ua.os) ? 'android' : null;
  if (mobile.integrityProvider === 'play_integrity') return 'android';
  if (mobile.integrityProvider !== '') return 'ios';
  if (/^android/i.test(ua.os)) return 'android';
  return /^(ios|ipados)/i.test(ua.os) ? 'ios' : null;
}
