import type { SessionFacts } from '../evidence/evidence.ts';

/**
 * The system of the telephone that an app ran on, null when no app reported: a page cannot look for what an app finds.
 * An app that does not say what it is, is known by who vouched for it, or by its user agent.
 */
export function telephoneSystem({ source, mobile, ua, checks }: SessionFacts): 'android' | 'ios' | null {
  if (source !== 'web') return source;
  if (!mobile) return checks?.userAgentData?.model && /^android/i.test(ua.os) ? 'android' : null;
  if (mobile.integrityProvider === 'play_integrity') return 'android';
  if (mobile.integrityProvider !== '') return 'ios';
  if (/^android/i.test(ua.os)) return 'android';
  return /^(ios|ipados)/i.test(ua.os) ? 'ios' : null;
}
