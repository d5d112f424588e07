import { isbotMatch } from 'isbot';
import { type SignalCode, weigh } from '../evidence.ts';
import { DEVICE_WEIGHTS } from '../weights.ts';

export const declaredBotUserAgent = {
  code: 'declared_bot_user_agent',
  family: 'device',
  describes: 'The client says itself that it is a program: a crawler, a library or a headless browser.',
  needs: 'the user agent',
  evaluate({ ua, userAgent, source }) {
    if (!ua.declaredBot) return null;
    if (source !== 'web' && isAppLibrary(userAgent)) return null;
    return {
      code: 'declared_bot_user_agent',
      family: 'device',
      group: 'automation',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.declaredBotUserAgent }, 1),
      bot: DEVICE_WEIGHTS.declaredBotUserAgent,
      confidence: 1,
      source: 'user_agent',
      sourceAsOf: null,
      observed: namedProgram(isbotMatch(userAgent) ?? ''),
      factual: true,
    };
  },
} satisfies SignalCode;

/** What apps speak by: it says nothing of the device that they are on. */
export function isAppLibrary(userAgent: string): boolean {
  return /^(okhttp|Dart|CFNetwork|axios|ktor|Cronet)\b/i.test(userAgent);
}

/** The word by which it was known; what may be somebody's own text is not told. */
function namedProgram(match: string): string {
  return /^[A-Za-z][\w ./-]{0,31}$/.test(match) ? match : 'a program, by its user agent';
}
