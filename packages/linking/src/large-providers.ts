/** Providers with so many mailboxes that two people with the same name often have near emails. */
export const LARGE_PROVIDERS: ReadonlySet<string> = new Set([
  ...[
    'gmail.com',
    'googlemail.com',
    'yahoo.com',
    'hotmail.com',
    'outlook.com',
    'live.com',
    'msn.com',
    'icloud.com',
  ],
  ...[
    'me.com',
    'mac.com',
    'aol.com',
    'gmx.de',
    'gmx.net',
    'gmx.at',
    'gmx.ch',
    'gmx.com',
    'web.de',
    't-online.de',
  ],
  ...[
    'freenet.de',
    'mail.com',
    'mail.ru',
    'bk.ru',
    'list.ru',
    'inbox.ru',
    'yandex.ru',
    'yandex.com',
    'rambler.ru',
  ],
  ...[
    'ukr.net',
    'qq.com',
    '163.com',
    '126.com',
    'sina.com',
    'naver.com',
    'daum.net',
    'hanmail.net',
    'rediffmail.com',
  ],
  ...[
    'libero.it',
    'virgilio.it',
    'alice.it',
    'tin.it',
    'orange.fr',
    'wanadoo.fr',
    'free.fr',
    'laposte.net',
    'sfr.fr',
  ],
  ...[
    'uol.com.br',
    'bol.com.br',
    'terra.com.br',
    'ig.com.br',
    'wp.pl',
    'o2.pl',
    'onet.pl',
    'interia.pl',
    'seznam.cz',
  ],
  ...[
    'comcast.net',
    'verizon.net',
    'att.net',
    'sbcglobal.net',
    'cox.net',
    'btinternet.com',
    'sky.com',
    'ziggo.nl',
  ],
  ...[
    'proton.me',
    'protonmail.com',
    'tutanota.com',
    'fastmail.com',
    'zoho.com',
    'hey.com',
    'ymail.com',
    'abv.bg',
  ],
]);

/** Brands with domains in many countries. */
const LARGE_BRANDS = /^(?:yahoo|hotmail|outlook|live|gmx|yandex)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** Whether a mail domain in lower case is that of a large provider of personal mailboxes. */
export function isLargeProvider(domain: string): boolean {
  return LARGE_PROVIDERS.has(domain) || LARGE_BRANDS.test(domain);
}
