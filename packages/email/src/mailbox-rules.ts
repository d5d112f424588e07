import {
  FASTMAIL_DOMAINS,
  USER_SUBDOMAIN_DOMAINS,
  YAHOO_DOMAINS,
  YANDEX_DOMAINS,
} from './mailbox-domains.ts';

type Mailbox = { local: string; domain: string; alias: boolean; isTagged: boolean; hasIgnoredDots: boolean };

/** How a provider writes one mailbox in several ways. */
type Provider = {
  /** Documents of the provider that state these rules. */
  readonly sources: readonly string[];
  /** Domains of the same mailboxes; the first one is the canonical one. */
  readonly domains?: readonly string[];
  /** Characters that the provider ignores in a local part. */
  readonly ignored?: RegExp;
  /** Characters that are equal to another one. */
  readonly equal?: readonly [written: RegExp, canonical: string];
  /** Domains where `base-word@` are disposable addresses. The owner chooses the base; it is no address. */
  readonly basedAt?: readonly string[];
  /** Domains where `word@name.domain` is delivered to `name@domain`. */
  readonly subdomainsOf?: readonly string[];
  /** Domains where all addresses at `name.domain` are delivered to one customer. */
  readonly userDomainsOf?: readonly string[];
};

/**
 * Providers with rules of their own. A comment states what no document of the provider says, or could not be confirmed. At all
 * others, also at Outlook.com, Mail.ru, GMX and the other domains of Fastmail, the same name at two domains is two mailboxes.
 */
const PROVIDERS: readonly Provider[] = [
  // That googlemail.com has the same mailboxes is reported by others.
  {
    sources: [
      'https://support.google.com/mail/answer/7436150',
      'https://support.google.com/mail/answer/10313',
    ],
    domains: ['gmail.com', 'googlemail.com'],
    ignored: /\./g,
  },
  // The documents give one account all four domains. That nobody else can have the name at another one is an assumption.
  {
    sources: ['https://proton.me/support/change-username', 'https://proton.me/support/addresses-and-aliases'],
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    ignored: /[._-]/g,
  },
  {
    sources: ['https://support.apple.com/118230'],
    domains: ['icloud.com', 'me.com', 'mac.com'],
  },
  // A user name has an address "on all Yandex domains". The documents do not list all of them: see YANDEX_DOMAINS.
  {
    sources: [
      'https://yandex.com/support/id/authorization/email.html',
      'https://yandex.com/support/domain/additional/mailbox-alias.xml',
      'https://yandex.com/support/passport/authorization/registration.html',
    ],
    domains: YANDEX_DOMAINS,
    equal: [/\./g, '-'],
  },
  {
    sources: [
      'https://www.fastmail.help/hc/en-us/articles/360060591053',
      'https://www.fastmail.com/about/ourdomains/',
    ],
    subdomainsOf: FASTMAIL_DOMAINS,
  },
  // That only one customer has a base, and that other addresses contain no hyphen, are assumptions.
  {
    sources: ['https://help.yahoo.com/kb/SLN28815.html'],
    basedAt: YAHOO_DOMAINS,
  },
  // No document of 33mail could be confirmed.
  {
    sources: ['https://addy.io/help/what-are-the-different-kinds-of-aliases/', 'https://www.33mail.com/'],
    userDomainsOf: USER_SUBDOMAIN_DOMAINS,
  },
];

function byDomain(domainsOf: (provider: Provider) => readonly string[] | undefined): Map<string, Provider> {
  return new Map(
    PROVIDERS.flatMap((provider) => (domainsOf(provider) ?? []).map((domain) => [domain, provider])),
  );
}

const OF_DOMAIN = byDomain(({ domains }) => domains);
const BASED_AT = byDomain(({ basedAt }) => basedAt);
const SUBDOMAINS_OF = byDomain(({ subdomainsOf }) => subdomainsOf);
const USER_DOMAINS_OF = byDomain(({ userDomainsOf }) => userDomainsOf);

/**
 * Dots, hyphens and underscores up to this number are normal, as in `first.last` and `first.m.last`. Names do not have three.
 */
const MAX_DOTS_IN_A_NAME = 2;

/** Local part of all addresses of a customer's own subdomain. */
const ANY = '*';

/**
 * The mailbox that an address is delivered to. Letter case is dropped, and a `+tag`. Documents of Proton and Fastmail state that
 * they ignore the tag; of Gmail, Outlook.com and Yandex it is reported by others. For every other domain it is an assumption that no
 * second mailbox has a name with a plus: mail servers can be configured otherwise, and Nokia Mail allowed a plus in names. `isTagged`
 * is true when a tag or another word of the owner was dropped, `hasIgnoredDots` when dots or hyphens were, and `alias` when the
 * address is tagged or has more of them than a name.
 */
export function canonicalMailbox(local: string, domain: string): Mailbox {
  const written = foldCase(unquoted(local));
  const dot = domain.indexOf('.');
  const parent = domain.slice(dot + 1);
  if (SUBDOMAINS_OF.has(parent)) return tagged(domain.slice(0, dot), parent);
  if (USER_DOMAINS_OF.has(parent)) return tagged(ANY, domain);
  const untagged = before(written, '+');
  const base = BASED_AT.has(domain) ? baseOf(untagged) : untagged;
  const isTagged = base !== written;
  const provider = OF_DOMAIN.get(domain);
  if (!provider) return { local: quoted(base), domain, alias: isTagged, isTagged, hasIgnoredDots: false };
  return providerMailbox(provider, base, isTagged);
}

function tagged(local: string, domain: string): Mailbox {
  return { local, domain, alias: true, isTagged: true, hasIgnoredDots: false };
}

function providerMailbox({ domains, ignored, equal }: Provider, base: string, isTagged: boolean): Mailbox {
  const plain = ignored ? base.replace(ignored, '') : base;
  const count = base.length - plain.length;
  return {
    local: quoted(equal ? plain.replace(...equal) : plain || base),
    domain: domains![0]!,
    alias: isTagged || count > MAX_DOTS_IN_A_NAME,
    isTagged,
    hasIgnoredDots: count > 0,
  };
}

function foldCase(local: string): string {
  return local.toLowerCase().normalize('NFC');
}

/** The text before the separator; the whole text if that would be empty. */
function before(text: string, separator: string): string {
  const index = text.indexOf(separator);
  return index > 0 ? text.slice(0, index) : text;
}

/** The base of a disposable address with its hyphen: a mailbox with the name of the base can belong to another person. */
function baseOf(text: string): string {
  const index = text.indexOf('-');
  return index > 0 ? text.slice(0, index + 1) : text;
}

const QUOTED = /^"(.*)"$/su;
const DOT_STRING = /^[^\s"(),:;<>@[\\\]]+$/u;

/** A local part without its quotes and escapes: `"jane"` and `jane` are one mailbox (RFC 5321, section 4.1.2). */
function unquoted(local: string): string {
  const inner = QUOTED.exec(local)?.[1];
  return inner === undefined ? local : inner.replace(/\\(.)/gsu, '$1');
}

/** A local part in the shortest form: in quotes only if it needs them. */
function quoted(text: string): string {
  const isDotString =
    DOT_STRING.test(text) && !text.startsWith('.') && !text.endsWith('.') && !text.includes('..');
  return isDotString ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
