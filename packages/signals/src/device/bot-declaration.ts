import { isbot, list } from 'isbot';

/** Declaration of a user agent that the client is a program. */
export type BotDeclaration = {
  /** plain: the client declares itself a program. hint: only the name of a device or product contains a bot word. */
  strength: 'plain' | 'hint';
  /** Bot word as the user agent spells it; '' when the form of the string alone is that of a program. */
  word: string;
};

/**
 * Reads whether a user agent declares a program; null when it does not.
 *
 * The list of bot words ignores where a word stands. It therefore also matches phones called Discovery or Spider,
 * televisions with Google TV, and browsers of companies that run a crawler too. A complete string of a browser, or of
 * an app on a named device, declares a program only by a contact, by a product that is called a bot, or by the name of
 * a tool outside the names of devices.
 */
export function readBotDeclaration(text: string): BotDeclaration | null {
  if (!isbot(text)) return null;
  const userAgent = text.slice(0, MAX_READ_CHARACTERS);
  const parts = splitUserAgent(userAgent);
  if (!parts.isBrowser && !NAMED_DEVICE.test(userAgent)) {
    return { strength: 'plain', word: firstMatch(userAgent, WORD_PATTERNS) };
  }
  const declared = parts.isBrowser ? declaredByBrowser(userAgent, parts) : declaredByApp(userAgent);
  if (declared) return { strength: 'plain', word: declared };
  const word = firstMatch(userAgent, WORD_PATTERNS);
  return parts.isBrowser && word === '' ? null : { strength: 'hint', word };
}

/** Strings of browsers are a quarter as long; a client may send any length. */
const MAX_READ_CHARACTERS = 2048;

type Parts = ReturnType<typeof splitUserAgent>;

function declaredByBrowser(userAgent: string, { platform, products }: Parts): string {
  return (
    declaredAnywhere(userAgent) || toolIn(products) || (NAMED_DEVICE.test(platform) ? '' : toolIn(platform))
  );
}

/** Apps name themselves by any word, so that only words for a crawler declare one. */
function declaredByApp(userAgent: string): string {
  return declaredAnywhere(userAgent) || (CRAWLER_NAME.exec(userAgent)?.[0] ?? '');
}

/** A contact, or a product that is called a bot, declares a program wherever it stands. */
function declaredAnywhere(userAgent: string): string {
  const contact = CONTACT.exec(userAgent)?.[0];
  if (contact) return firstMatch(userAgent, WORD_PATTERNS) || contact;
  return DECLARED_PRODUCT.exec(userAgent)?.[0] ?? '';
}

/** Patterns with a word in them; the others match punctuation, which proves nothing about a complete string. */
const hasWord = (pattern: string) =>
  /[a-z]{3,}/i.test(pattern.replaceAll(/\\.|\[[^\]]*\]|\(\?<?[!=:][^)]*\)/g, '~'));

const WORD_PATTERNS = list.filter(hasWord).map((pattern) => new RegExp(pattern, 'i'));

function firstMatch(text: string, patterns: readonly RegExp[]): string {
  for (const pattern of patterns) {
    const match = pattern.exec(text)?.[0].trim();
    if (match) return match;
  }
  return '';
}

/** Names of browsers, apps and systems that people use, and of device makers, that contain a bot word. */
const ORDINARY_NAMES = new RegExp(
  [
    'google ?(?:earth|lens|wv|play|plus|maps|tv|mobile)',
    // In lists such as `FBMF/Google` an app names the maker of the device.
    '(?<=[/:])google\\w{0,32}',
    '\\bcom\\.google[\\w.]{0,64}',
    '\\w{0,32}(?:sogou|download)\\w{0,32}',
    '\\w{0,32}(?:news|https?\\b)',
    'catch(?:er)?|tools|torrent|java|chromeframe|proxy(?:fox|less)?\\b',
    'windows server|alphaserver',
    // Of an application id, as `air.com.example`.
    '(?<=\\.)com\\.',
  ].join('|'),
  'gi',
);

/** The word by which a text names a tool or a crawler; '' when it names none. */
function toolIn(text: string): string {
  return firstMatch(text.replaceAll(ORDINARY_NAMES, '~'), WORD_PATTERNS);
}

/** What crawlers and libraries for programs call themselves. */
const CRAWLER_NAME =
  /^(?:curl|wget|python|php|perl|ruby|go-http-client|java)\b[\w-]{0,32}|[\w-]{0,32}(?:bots?\b|crawl|spider|scrap(?:er|ing)|headless|scanner)\w{0,32}/i;

/** A page or mailbox for complaints: crawlers name one, browsers of people do not. */
const CONTACT =
  /https?:\/\/|\bwww\.|(?<=[\s;(])\+[a-z][\w-]{0,64}\.[a-z]{2,24}\b|[\w.+-]{1,64}@[\w.-]{1,128}\.[a-z]{2,24}\b/i;

/** A versioned product that is called a bot, or any product in the place where only crawlers name themselves. */
const DECLARED_PRODUCT =
  /[\w-]{0,32}(?:(?<!cu)bot(?![a-z])|crawler|spider)[\w-]{0,32}\/v?\d|(?<=\bcompatible; )(?!MSIE|Konqueror|ANTGalio)[\w-]{1,32}|\bsite24x7\b/i;

/** Systems whose user agents name the model of a device, and user agents of apps on such devices. */
const NAMED_DEVICE =
  /android|\bbuild\/|iphone|ipad|ipod|\bios\b|tvos|apple ?tv|darwin\/|watch ?os|windows phone|iemobile|tizen|web ?os|web0s|smart-?tv|google ?tv|hbbtv|nettv|ce-html|opera tv|roku|vidaa|bada\b|blackberry|symbian|series ?60|midp|brew\/|maui|\bwap|kaios|playstation|nintendo|xbox|fb4a|fbios|ucbrowser|nokia|sonyericsson/i;

const ENGINE = /AppleWebKit\/|Gecko\/|Presto\/|Trident\/|KHTML|NetFront\/|Goanna\/|Servo\//i;

/** Televisions name their platform in front of the rest. */
const OPENING =
  /^(?:(?:Opera|Zeasn)\/[\d.]{1,16} NETTV\/[\d.]{1,16} )?(?:Mozilla|Opera)\/\d{1,3}\.\d{1,3} (?:\[[\w-]{1,16}\] )?\(/i;

/** The comment that names the system, the text after it, and whether both exist as in a user agent of a browser. */
function splitUserAgent(userAgent: string) {
  const opening = OPENING.exec(userAgent)?.[0] ?? '';
  const end = opening === '' ? 0 : closingParenthesis(userAgent, opening.length);
  const platform = userAgent.slice(opening.length, end);
  const products = userAgent.slice(end);
  const isBrowser = platform !== '' && (ENGINE.test(products) || /\bMSIE \d|Trident\//.test(platform));
  return { platform, products, isBrowser };
}

/** Models have parentheses of their own, as `Moto G (4)`. */
function closingParenthesis(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}
