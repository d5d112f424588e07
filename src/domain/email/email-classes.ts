import { getPublicSuffix } from 'tldts';
import { isListed, loadDomainLists } from './domain-lists.ts';
import type { EducationDomains } from './education-domains.ts';
import { GOVERNMENT_DOMAINS } from './own-domains.ts';

/** `inactive` needs an answer of name servers, or an address without a domain that can be read; '' is no address. */
export type DomainType = 'personal' | 'business' | 'education' | 'government' | 'relay' | 'inactive' | '';

export type DomainClass = {
  type: DomainType;
  disposable: boolean;
  /** An institution that decides who gets a mailbox, and is known to. */
  vouches: boolean;
};

/**
 * What kind of mail domain this is, first that holds: relay, disposable, government, education, personal, business.
 *
 * Relay comes before disposable because lists of disposable domains name relays. Disposable comes before the public
 * suffixes because throw-away mailboxes are sold under some of them (.edu.pl, .edu.kg), and a listed one must not pass
 * for a university. A disposable domain is personal: it is one person's mailbox, however short-lived.
 */
export function classifyDomain(domain: string): DomainClass {
  const lists = loadDomainLists();
  if (isListed(lists.relay, domain)) return { type: 'relay', disposable: false, vouches: false };
  if (isListed(lists.disposable, domain)) return { type: 'personal', disposable: true, vouches: false };
  const suffix = getPublicSuffix(domain, { extractHostname: false, validateHostname: false }) ?? '';
  if (isGovernment(domain, suffix)) return { type: 'government', disposable: false, vouches: true };
  return (
    educationClass(domain, suffix, lists.education) ?? {
      type: isListed(lists.personal, domain) ? 'personal' : 'business',
      disposable: false,
      vouches: false,
    }
  );
}

const GOVERNMENT_SUFFIX =
  /(^|\.)(gov|mil|(gov|mil|gob|gouv|govt|gub|police)\.[a-z]{2}|go\.(ci|cr|id|jp|ke|kr|th|tz|ug)|gv\.a[ot]|gc\.ca)$/;
/** Open to anybody, in spite of its name; disposable-domain lists are full of it. */
const OPEN_GOVERNMENT_SUFFIX = 'mil.pl';
/** The state and federal branches of .us (RFC 1480), which are not public suffixes. */
const UNITED_STATES_BRANCH = /(^|\.)(state\.[a-z]{2}|fed)\.us$/;

/**
 * By the public suffix, which a registry keeps for governments. The pattern is held against the suffix, not the name:
 * where a country keeps none, anybody may own its `gov`.
 */
function isGovernment(domain: string, suffix: string): boolean {
  if (GOVERNMENT_SUFFIX.test(suffix) && suffix !== OPEN_GOVERNMENT_SUFFIX) return true;
  return isListed(GOVERNMENT_DOMAINS, domain) || UNITED_STATES_BRANCH.test(domain);
}

const EDUCATION_SUFFIX = /(^|\.)(edu|(edu|ac|sch|k12)\.[a-z]{2}|ed\.jp|school\.(nz|za)|k12\.[a-z]{2}\.us)$/;
/**
 * Meant for education, and given to whoever asks: .nz (https://www.e.govt.nz/policy/moderation/faqs.html names eight
 * open second levels), .pl (NASK asks for no proof), .kg (https://github.com/JetBrains/swot/pull/27082).
 */
const OPEN_EDUCATION_SUFFIXES: ReadonlySet<string> = new Set(['ac.nz', 'school.nz', 'edu.pl', 'edu.kg']);

/**
 * By the public suffix or the list of schools. It vouches for its mailboxes unless the suffix is open to anybody and
 * the school not listed, or the list doubts it: mailboxes of alumni, and of schools where outsiders got them.
 */
function educationClass(domain: string, suffix: string, education: EducationDomains): DomainClass | null {
  const bySuffix = EDUCATION_SUFFIX.test(suffix) || education.suffixes.has(suffix);
  const listed = isListed(education.domains, domain);
  if (!bySuffix && !listed) return null;
  const checked = listed || !OPEN_EDUCATION_SUFFIXES.has(suffix);
  return {
    type: 'education',
    disposable: false,
    vouches: checked && !isListed(education.doubted, domain),
  };
}
