import { LRUCache } from 'lru-cache';
import { parse } from 'tldts';
import { countryOfDomain } from './domain-country.ts';
import { listedAs, loadDomainLists } from './domain-lists.ts';
import { type ExplainedClass, explainDomain } from './email-classes.ts';
import { createHomographFinder, type HomographFinder, mixesScripts, shownDomain } from './homographs.ts';

/** Facts of a mail domain by its name and the bundled lists. */
export type DomainFacts = {
  readonly explained: ExplainedClass;
  /** Country of its country-code top-level domain; null without one. */
  readonly country: string | null;
  /** True for a well-known mailbox provider. */
  readonly isWellKnown: boolean;
  readonly isLookalike: boolean;
  /** Well-known domain that it resembles on a screen; null for none. */
  readonly homographOf: string | null;
  readonly mixesScripts: boolean;
};

/** Bound of the cache, for clients that send many different domains. */
const MAX_REMEMBERED = 20_000;
const remembered = new LRUCache<string, DomainFacts>({ max: MAX_REMEMBERED });
let findHomograph: HomographFinder | undefined;

/** Facts of a domain in ASCII and lower case. Cached, because few domains make up most addresses. */
export function domainFactsOf(domain: string): DomainFacts {
  const known = remembered.get(domain);
  if (known) return known;
  const facts = readDomain(domain);
  remembered.set(domain, facts);
  return facts;
}

function readDomain(domain: string): DomainFacts {
  const lists = loadDomainLists();
  findHomograph ??= createHomographFinder(lists.wellKnown);
  const { publicSuffix, domain: registrable } = parse(domain, {
    extractHostname: false,
    validateHostname: false,
  });
  return {
    explained: explainDomain(domain, publicSuffix ?? ''),
    country: countryOfDomain(domain),
    isWellKnown: listedAs(lists.wellKnown, domain) !== null,
    isLookalike: lists.lookalikes.has(domain),
    homographOf: findHomograph(registrable ?? domain),
    mixesScripts: mixesScripts(shownDomain(domain)),
  };
}
