import { domainToUnicode } from 'node:url';
import { remove as foldConfusables } from 'confusables';
import imitatedDomains from '../data/imitated-domains.json' with { type: 'json' };

/** Scripts with letters that look like Latin ones. */
const CONFUSABLE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];
const NON_ASCII = /\P{ASCII}/u;
const WORD = /[\p{L}\p{M}]+/gu;

/** True if a word mixes two scripts whose letters look alike, such as Latin and Cyrillic. */
export function mixesScripts(text: string): boolean {
  if (!NON_ASCII.test(text)) return false;
  return (text.match(WORD) ?? []).some(
    (word) => CONFUSABLE_SCRIPTS.filter((script) => script.test(word)).length > 1,
  );
}

/** Domain in Unicode, as mail programs display it. */
export function shownDomain(domain: string): string {
  return domain.includes('xn--') ? domainToUnicode(domain) : domain;
}

/** Returns the well-known domain that a domain resembles on a screen; null for none. */
export type HomographFinder = (registrableDomain: string) => string | null;

/**
 * Indexes well-known domains, and brands that phishing mail often imitates, by their skeleton. ASCII domains imitate with digits and pairs of letters (`g00gle.com`,
 * `rnicrosoft.com`), international ones with look-alike letters. A well-known domain is never a homograph.
 */
export function createHomographFinder(wellKnown: ReadonlySet<string>): HomographFinder {
  const known = new Set([...wellKnown, ...imitatedDomains]);
  const bySkeleton = new Map<string, string>();
  for (const domain of known) if (isLong(domain)) bySkeleton.set(asciiSkeleton(domain), domain);
  return (domain) => {
    if (known.has(domain)) return null;
    const shown = shownDomain(domain);
    const latin = NON_ASCII.test(shown) ? foldConfusables(shown.normalize('NFKC').toLowerCase()) : shown;
    const found = bySkeleton.get(asciiSkeleton(latin.toLowerCase())) ?? null;
    return found === null || found === domain ? null : found;
  };
}

/** Shorter names have legitimate look-alikes: `o1.com` and `ol.com`. */
const MIN_NAME_LENGTH = 5;

function isLong(domain: string): boolean {
  return domain.indexOf('.') >= MIN_NAME_LENGTH;
}

/** Folds the first label; the rest must be equal. */
function asciiSkeleton(domain: string): string {
  const dot = domain.indexOf('.');
  const name = domain
    .slice(0, dot)
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
  return name + domain.slice(dot);
}
