import { getPublicSuffix } from 'tldts';
import { isListed, loadDomainLists } from './domain-lists.ts';
import { GOVERNMENT_DOMAINS } from './own-domains.ts';

/** `inactive` needs somebody to have asked the domain's name servers; '' is not known. */
export type DomainType = 'personal' | 'business' | 'education' | 'government' | 'relay' | 'inactive' | '';

export type DomainClass = { type: DomainType; disposable: boolean };

/**
 * What kind of mail domain this is, first that holds: relay, disposable, government, education, personal, business.
 *
 * Relay comes before disposable because lists of disposable domains name relays. Disposable comes before the public
 * suffixes because throw-away mailboxes are sold under some of them (.edu.pl, .edu.kg), and a listed one must not pass
 * for a university. A disposable domain is personal: it is one person's mailbox, however short-lived.
 */
export function classifyDomain(domain: string): DomainClass {
  const lists = loadDomainLists();
  if (isListed(lists.relay, domain)) return { type: 'relay', disposable: false };
  if (isListed(lists.disposable, domain)) return { type: 'personal', disposable: true };
  return {
    type: institutionType(domain) ?? (isListed(lists.personal, domain) ? 'personal' : 'business'),
    disposable: false,
  };
}

const GOVERNMENT_SUFFIX =
  /(^|\.)(gov|mil|(gov|mil|gob|gouv|govt|gub|police)\.[a-z]{2}|go\.(ci|cr|id|jp|ke|kr|th|tz|ug)|gv\.a[ot]|gc\.ca)$/;
/** Open to anybody, in spite of its name; disposable-domain lists are full of it. */
const OPEN_SUFFIX = 'mil.pl';
/** The state and federal branches of .us (RFC 1480), which are not public suffixes. */
const UNITED_STATES_BRANCH = /(^|\.)(state\.[a-z]{2}|fed)\.us$/;
const EDUCATION_SUFFIX = /(^|\.)(edu|(edu|ac|sch|k12)\.[a-z]{2}|ed\.jp|school\.(nz|za)|k12\.[a-z]{2}\.us)$/;

/**
 * Government and education by the public suffix, which a registry keeps for them. The pattern is held against the
 * suffix, not the name: where a country keeps none, anybody may own its `gov` or `ac`.
 */
function institutionType(domain: string): 'government' | 'education' | null {
  const suffix = getPublicSuffix(domain, { extractHostname: false, validateHostname: false }) ?? '';
  if (GOVERNMENT_SUFFIX.test(suffix) && suffix !== OPEN_SUFFIX) return 'government';
  if (EDUCATION_SUFFIX.test(suffix)) return 'education';
  const isGovernment = isListed(GOVERNMENT_DOMAINS, domain) || UNITED_STATES_BRANCH.test(domain);
  return isGovernment ? 'government' : null;
}
