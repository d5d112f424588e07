/** Mail host of a disposable email service, with its public source. */
type KnownHost = readonly [host: string, source: string];

/** Counts of public statistics that resolve listed disposable domains. */
const COUNTED = (domains: number, resolved: number) =>
  `mail host of ${domains} listed disposable domains among ${resolved} that use it (public statistics of 99,118 domains, October 2026)`;
const COUNTED_EARLIER = (domains: number) =>
  `mail host of ${domains} listed disposable domains, and of no other among 76,469 resolved (public statistics, 2026)`;
const CHECKERS = 'named by two or more independent public checkers of disposable addresses';

/**
 * Hosts of disposable email services. Such a service constantly registers new mailbox domains, and lists are outdated; the host
 * that receives the mail stays the same. Each entry covers its subdomains. From public sources, read in November 2026.
 * Hosts with legitimate customers (Cloudflare, Google, Yandex, mail2world, registrars) are omitted, even if many disposable
 * domains use them.
 */
const KNOWN_HOSTS: readonly KnownHost[] = [
  ['wabblywabble.com', COUNTED(1932, 1934)],
  ['wallywatts.com', COUNTED(1932, 1934)],
  ['generator.email', COUNTED(1497, 1538)],
  ['unstablemail.com', COUNTED(1295, 1295)],
  ['beavis99.com', COUNTED(1224, 1224)],
  ['beavis99.net', COUNTED(1223, 1223)],
  ['emailfake.com', COUNTED(720, 730)],
  ['email.chatgpt.org.uk', COUNTED(626, 626)],
  ['mx.emlhub.com', COUNTED(460, 460)],
  ['smtp.yopmail.com', COUNTED(442, 448)],
  ['email.gravityengine.cc', COUNTED(390, 391)],
  ['tinyhost.shop', COUNTED(390, 390)],
  ['cleantempmail.com', COUNTED(377, 378)],
  ['mx.spymail.one', COUNTED(369, 369)],
  ['mx.emltmp.com', COUNTED_EARLIER(349)],
  ['mx.emlpro.com', COUNTED_EARLIER(326)],
  ['mx.dropmail.me', COUNTED_EARLIER(302)],
  ['mx.freeml.net', COUNTED_EARLIER(294)],
  ['m1bp.com', COUNTED_EARLIER(220)],
  ['mb5p.com', COUNTED_EARLIER(220)],
  ['mx.yomail.info', COUNTED_EARLIER(219)],
  ['in.mail.tm', 'https://github.com/disposable-email-domains/disposable-email-domains/pull/611'],
  ['mx.mail-data.net', 'https://github.com/disposable/disposable/issues/177'],
  ['hi.mail.cx', 'https://github.com/disposable-email-domains/disposable-email-domains/pull/629'],
  ['tempamail.com', 'https://github.com/disposable-email-domains/disposable-email-domains/pull/629'],
  ['mx.discard.email', 'https://github.com/disposable-email-domains/disposable-email-domains/pull/169'],
  ['mytemp.email', 'https://github.com/ivolo/disposable-email-domains/pull/58'],
  ['mail.mailinator.com', CHECKERS],
  ['mail2.mailinator.com', CHECKERS],
  ['prd-smtp.10minutemail.com', CHECKERS],
  ['email-fake.com', CHECKERS],
  ['tempm.com', CHECKERS],
  ['den.yt', CHECKERS],
  ['erinn.biz', CHECKERS],
  ['emaildbox.pro', CHECKERS],
  ['onetimemail.org', CHECKERS],
];

/** Mail hosts of disposable email services with their source. Each entry covers its subdomains. */
export const DISPOSABLE_MAIL_HOSTS: ReadonlyMap<string, string> = new Map(KNOWN_HOSTS);

/** Shared mail hosts that a list of disposable domains contains. The domains of their customers are not disposable. */
export const SHARED_MAIL_HOSTS: ReadonlySet<string> = new Set([
  'forwardemail.net',
  'improvmx.com',
  'mail2world.com',
  'yandex.net',
]);
