import hosts from '../data/disposable-mail-hosts.json' with { type: 'json' };

/** Counts of public statistics that resolve listed disposable domains. */
const counted = (listed: number, resolved: number) =>
  `mail host of ${listed} listed disposable domains among ${resolved} that use it (public statistics of 99,118 domains, October 2026)`;
const countedEarlier = (listed: number) =>
  `mail host of ${listed} listed disposable domains, and of no other among 76,469 resolved (public statistics, 2026)`;
const CHECKERS = 'named by two or more independent public checkers of disposable addresses';

/**
 * Hosts of disposable email services, with their public source. Such a service constantly registers new mailbox domains, and lists
 * are outdated; the host that receives the mail stays the same. Each entry covers its subdomains. From public sources, read in
 * November 2026. Hosts with legitimate customers (Cloudflare, Google, Yandex, mail2world, registrars) are omitted, even if many
 * disposable domains use them.
 */
export const DISPOSABLE_MAIL_HOSTS: ReadonlyMap<string, string> = new Map<string, string>([
  ...hosts.counted.map(({ host, listed, resolved }) => [host, counted(listed, resolved)] as const),
  ...hosts.countedEarlier.map(({ host, listed }) => [host, countedEarlier(listed)] as const),
  ...hosts.reported.map(({ host, source }) => [host, source] as const),
  ...hosts.checked.map((host) => [host, CHECKERS] as const),
]);

/** Shared mail hosts that a list of disposable domains contains. The domains of their customers are not disposable. */
export const SHARED_MAIL_HOSTS: ReadonlySet<string> = new Set(hosts.shared);
