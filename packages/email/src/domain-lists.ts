import { createRequire } from 'node:module';
import { getPublicSuffix } from 'tldts';
import { EDUCATION_FILE, type EducationDomains, readEducationDomains } from './education-domains.ts';
import { lookalikesOf } from './lookalike-domains.ts';
import { NEVER_DISPOSABLE, PERSONAL_DOMAINS, RELAY_DOMAINS } from './own-domains.ts';

/** Domains in lower case. A list covers the subdomains of what it names. */
export type DomainLists = {
  relay: ReadonlySet<string>;
  disposable: ReadonlySet<string>;
  /** Unchanged source lists of `disposable`. Only entries of `disposable` count. */
  disposableLists: readonly { readonly name: string; readonly domains: ReadonlySet<string> }[];
  /** Well-known providers. */
  wellKnown: ReadonlySet<string>;
  personal: ReadonlySet<string>;
  /** Domains one typing error away from a large provider. Exact domains: subdomains are not covered. */
  lookalikes: ReadonlySet<string>;
  education: EducationDomains;
};

let loaded: DomainLists | undefined;

/**
 * Lists of mail domains, loaded on first use, so that commands and tests that do not need them do not load them. A server
 * calls this at start, so that the first request is not slow.
 */
export function loadDomainLists(): DomainLists {
  loaded ??= readDomainLists();
  return loaded;
}

/** Whether the list names the domain or one above it. */
export function isListed(list: ReadonlySet<string>, domain: string): boolean {
  return listedAs(list, domain) !== null;
}

/** The entry of the list that covers the domain: the domain or one above it, the longest that is listed. */
export function listedAs(list: Pick<ReadonlySet<string>, 'has'>, domain: string): string | null {
  let rest = domain;
  for (;;) {
    if (list.has(rest)) return rest;
    const dot = rest.indexOf('.');
    if (dot < 0) return null;
    rest = rest.slice(dot + 1);
  }
}

/** Names of the lists that contain the domain or a parent domain as disposable, most reliable first. */
export function disposableSources(
  { disposable, disposableLists }: Pick<DomainLists, 'disposable' | 'disposableLists'>,
  domain: string,
): string[] {
  const entries = parentsOf(domain).filter((parent) => disposable.has(parent));
  return disposableLists
    .filter(({ domains }) => entries.some((entry) => domains.has(entry)))
    .map(({ name }) => name);
}

function parentsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_label, index) => labels.slice(index).join('.'));
}

function readDomainLists(): DomainLists {
  const require = createRequire(import.meta.url);
  const certain: string[] = require('disposable-email-domains-js').disposableEmailBlocklist();
  const likely: Set<string> = require('mailchecker').blacklist();
  const wellKnown = new Set<string>(require('email-providers/common.json'));
  const providers: string[] = require('email-providers/all.json');
  const free: string[] = require('free-email-domains');
  return {
    relay: new Set(RELAY_DOMAINS),
    disposable: disposableDomains(certain, likely, wellKnown),
    disposableLists: [
      { name: 'disposable-email-domains-js', domains: new Set(certain) },
      { name: 'mailchecker', domains: likely },
    ],
    wellKnown,
    personal: withoutSuffixes([...wellKnown, ...providers, ...free, ...PERSONAL_DOMAINS]),
    lookalikes: lookalikesOf(wellKnown),
    education: readEducationDomains(EDUCATION_FILE),
  };
}

/**
 * The first list is almost always right and takes precedence over all except our own corrections (it contains
 * mailinator.com, which is also among the well-known providers). The second is six times as long and contains real
 * providers, so the well-known ones are removed from it.
 */
function disposableDomains(certain: string[], likely: Set<string>, wellKnown: Set<string>): Set<string> {
  const accepted = [...likely].filter((domain) => !wellKnown.has(domain));
  const domains = withoutSuffixes([...certain, ...accepted]);
  for (const domain of NEVER_DISPOSABLE) domains.delete(domain);
  return domains;
}

/**
 * Lists also contain suffixes with open registration (pp.ua, dynu.net). Since an entry covers its subdomains, it would
 * match all domains there.
 */
function withoutSuffixes(domains: string[]): Set<string> {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return new Set(domains.filter((domain) => getPublicSuffix(domain, options) !== domain));
}
