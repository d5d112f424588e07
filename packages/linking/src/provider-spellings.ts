import { canonicalMailbox, typosOf } from '@vouchgraph/email';
import { loadDomainLists } from '@vouchgraph/email/domain-lists';
import { isLargeProvider, LARGE_PROVIDERS } from './large-providers.ts';

/** Shorter names (aol, gmx, web) are one typing error away from the domains of other organizations. */
const MIN_NAME_LENGTH = 5;

let providersBySpelling: ReadonlyMap<string, string> | undefined;

/**
 * Large providers by their near spellings: `gmial.com`, `yaho.com`. The providers are those of this folder, and those of the list
 * of well-known providers with the same brand in other countries. A spelling that is near two providers, or that is a well-known
 * provider itself, belongs to none.
 */
function spellings(): ReadonlyMap<string, string> {
  if (providersBySpelling) return providersBySpelling;
  const { wellKnown } = loadDomainLists();
  const providers = new Set([...LARGE_PROVIDERS, ...[...wellKnown].filter(isLargeProvider)]);
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const provider of providers) {
    if (provider.indexOf('.') < MIN_NAME_LENGTH) continue;
    for (const spelling of new Set(typosOf(provider))) {
      if (wellKnown.has(spelling) || LARGE_PROVIDERS.has(spelling)) continue;
      if (found.has(spelling)) ambiguous.add(spelling);
      else found.set(spelling, provider);
    }
  }
  for (const spelling of ambiguous) found.delete(spelling);
  providersBySpelling = found;
  return found;
}

/** A mailbox with the near spelling of a large provider corrected. */
export type CorrectedMailbox = {
  readonly local: string;
  readonly domain: string;
  /** Domain as it is written. */
  readonly writtenDomain: string;
};

/** Parts of a canonical email; null without an `@`. */
export function correctedMailbox(canonical: string): CorrectedMailbox | null {
  const at = canonical.lastIndexOf('@');
  if (at < 0) return null;
  const [local, writtenDomain] = [canonical.slice(0, at), canonical.slice(at + 1)];
  const provider = spellings().get(writtenDomain);
  if (provider === undefined) return { local, domain: writtenDomain, writtenDomain };
  const mailbox = canonicalMailbox(local, provider);
  return { local: mailbox.local, domain: mailbox.domain, writtenDomain };
}
