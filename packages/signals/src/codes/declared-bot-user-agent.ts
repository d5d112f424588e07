import type { BotDeclaration } from '../device/bot-declaration.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.95, bot: 0.95 } as const;
/** A bot word within the name of a device or product, which honest ones carry too. */
const WORD_IN_NAME_WEIGHTS = { deviceRisk: 0.2, bot: 0.2 } as const;

export const declaredBotUserAgent = {
  code: 'declared_bot_user_agent',
  family: 'device',
  describes: 'User agent of a program: a crawler, a library or a headless browser.',
  needs: 'user agent',
  limits:
    'Bad intent: search engines declare themselves too. A bot word inside the name of a device or product is only a hint (0.2).',
  weights: WEIGHTS,
  evaluate({ ua, userAgent, source }) {
    if (!ua.bot || (source !== 'web' && isOwnName(userAgent, ua.bot))) return null;
    const isPlain = ua.bot.strength === 'plain';
    const weights = isPlain ? WEIGHTS : WORD_IN_NAME_WEIGHTS;
    const word = shownWord(ua.bot.word);
    return {
      code: 'declared_bot_user_agent',
      family: 'device',
      group: 'automation',
      ...weigh(weights, 1),
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
