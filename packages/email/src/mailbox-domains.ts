/* Domains of providers whose mailboxes have several addresses. The rules and their sources are in mailbox-rules.ts. */

const under = (name: string, suffixes: string): string[] =>
  suffixes.split(' ').map((suffix) => `${name}.${suffix}`);

/**
 * Domains of which every mailbox of Yandex has an address, the canonical one first. Documents of Yandex name ru, com, by, kz, ua,
 * ya.ru and narod.ru. The others are domains of Yandex, and only its general statement covers them.
 */
export const YANDEX_DOMAINS: readonly string[] = [
  ...['yandex.ru', 'ya.ru', 'narod.ru'],
  ...under('yandex', 'com az by co.il com.am com.ge com.tr ee fr kg kz lt lv md tj tm ua uz'),
];

/** Domains of Fastmail, from copies of its list. A name can belong to another customer at each of them. */
export const FASTMAIL_DOMAINS: readonly string[] = [
  ...under('fastmail', 'com fm cn co.uk com.au de es fr im in jp mx net nl org se to tw uk us'),
  ...[
    '123mail.org',
    'airpost.net',
    'eml.cc',
    'fastmailbox.net',
    'fmail.co.uk',
    'imap.cc',
    'imapmail.org',
    'mailbolt.com',
  ],
  ...[
    'mailcan.com',
    'mailhaven.com',
    'ml1.net',
    'mm.st',
    'myfastmail.com',
    'ownmail.net',
    'sent.com',
    'warpmail.net',
  ],
];

/** Domains for which Yahoo documents disposable addresses. Those of other countries are not documented. */
export const YAHOO_DOMAINS: readonly string[] = ['yahoo.com'];

/** Forwarding services that give each customer a subdomain. */
export const USER_SUBDOMAIN_DOMAINS: readonly string[] = ['33mail.com', 'anonaddy.com', 'anonaddy.me'];
