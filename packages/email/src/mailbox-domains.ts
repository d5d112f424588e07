import domains from '../data/mailbox-domains.json' with { type: 'json' };

/* Domains of providers whose mailboxes have several addresses. The rules and their sources are in mailbox-rules.ts. */

/**
 * Domains of which every mailbox of Yandex has an address, the canonical one first. Documents of Yandex name ru, com, by, kz, ua,
 * ya.ru and narod.ru. The others are domains of Yandex, and only its general statement covers them.
 */
export const YANDEX_DOMAINS: readonly string[] = domains.yandex;

/** Domains of Fastmail, from copies of its list. A name can belong to another customer at each of them. */
export const FASTMAIL_DOMAINS: readonly string[] = domains.fastmail;

/** Domains for which Yahoo documents disposable addresses. Those of other countries are not documented. */
export const YAHOO_DOMAINS: readonly string[] = domains.yahoo;

/** Forwarding services that give each customer a subdomain. */
export const USER_SUBDOMAIN_DOMAINS: readonly string[] = domains.userSubdomains;
