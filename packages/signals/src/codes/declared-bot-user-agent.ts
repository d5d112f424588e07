import type { BotDeclaration } from '../device/bot-declaration.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const declaredBotUserAgent = {
  code: 'declared_bot_user_agent',
  family: 'device',
  describes: 'User agent of a program: a crawler, a library or a headless browser.',
  needs: 'user agent',
  limits:
    'Bad intent: search engines declare themselves too. A bot word inside the name of a device or product is only a hint (0.2).',
  evaluate({ ua, userAgent, source }) {
    if (!ua.bot || (source !== 'web' && isOwnName(userAgent, ua.bot))) return null;
    const isPlain = ua.bot.strength === 'plain';
    const weight = isPlain ? DEVICE_WEIGHTS.declaredBotUserAgent : DEVICE_WEIGHTS.botWordInName;
    const word = shownWord(ua.bot.word);
    return {
      code: 'declared_bot_user_agent',
      family: 'device',
      group: 'automation',
      contributions: weigh({ deviceRisk: weight }, 1),
      bot: weight,
      confidence: 1,
      source: 'user_agent',
      sourceAsOf: null,
      observed: isPlain ? word : `${word}, within the name of a device or product`,
      factual: isPlain,
    };
  },
} satisfies SignalCode;

/** An app that runs on a phone names itself and the library that it sends requests with. */
function isOwnName(userAgent: string, { word }: BotDeclaration): boolean {
  return word === '' || isAppLibrary(userAgent);
}

/** Libraries by which apps send requests, which do not identify the device. */
export function isAppLibrary(userAgent: string): boolean {
  return /^(okhttp|Dart|CFNetwork|axios|ktor|Cronet)\b/i.test(userAgent);
}

/** The word, unless it may be text that the client chose. */
function shownWord(word: string): string {
  return /^[A-Za-z][\w ./-]{0,31}$/.test(word) ? word : 'a program, by its user agent';
}
