import { MAIL_COM_DOMAINS } from '@vouchgraph/email/internals/mail-com-domains';

/** A domain that a list of disposable domains contains by mistake, with the reason. */
export type DisposableException = { readonly domain: string; readonly reason: string };

const SUFFIX = 'a public suffix: anybody registers below it, and a list entry would condemn everybody there';

/** Corrections of disposable-email-domains-js, the otherwise trusted list. */
export const TIER_1_CORRECTIONS: readonly DisposableException[] = [
  { domain: '21cn.com', reason: 'mailboxes of China Telecom, since 1999' },
  { domain: 'sify.com', reason: 'mailboxes of an Indian internet provider, since 1998' },
  { domain: 'opayq.com', reason: 'relay of Abine Blur: it forwards to one lasting mailbox' },
  { domain: 'dns.army', reason: SUFFIX },
  { domain: 'dns.navy', reason: SUFFIX },
  { domain: 'v6.army', reason: SUFFIX },
  { domain: 'v6.navy', reason: SUFFIX },
  { domain: 'v6.rocks', reason: SUFFIX },
];

const RELAYS = [
  { domain: '33mail.com', reason: 'relay: it forwards to one lasting mailbox' },
  { domain: 'opayq.com', reason: 'relay of Abine Blur: it forwards to one lasting mailbox' },
];

const PROVIDERS = [
  { domain: 'hush.ai', reason: 'domain of Hushmail, a paid provider since 1999' },
  { domain: 'hush.com', reason: 'domain of Hushmail, a paid provider since 1999' },
  { domain: 'sdf.org', reason: 'public-access Unix system, since 1987' },
];

const SUFFIXES = `3utilities.com cloudns.asia cloudns.cc cloudns.cx ddns.net ddnsfree.com dns-cloud.net dnsabr.com
  dynu.net f5.si gleeze.com hopto.org kozow.com msk.ru pp.ua sytes.net za.com`;

/** Mailboxes under mail.com's own domains last as long as any other. */
const OF_MAIL_COM = `alumni.com birdlover.com blader.com collector.org consultant.com contractor.net cutey.com
  discofan.com dutchmail.com fastservice.com mexicomail.com myself.com optician.com pacific-ocean.com photographer.net
  presidency.com priest.com protestant.com qualityservice.com salesperson.net snakebite.com techie.com uymail.com`;

/** Domains that both mailchecker and @dahoom/disposable-email list, and that are not disposable. */
export const AGREEMENT_EXCEPTIONS: readonly DisposableException[] = [
  ...RELAYS,
  ...PROVIDERS,
  ...SUFFIXES.split(/\s+/).map((domain) => ({ domain, reason: SUFFIX })),
  ...OF_MAIL_COM.split(/\s+/).map((domain) => ({
    domain,
    reason: `mailboxes that mail.com gives to everybody (one of ${MAIL_COM_DOMAINS.length} domains)`,
  })),
];
