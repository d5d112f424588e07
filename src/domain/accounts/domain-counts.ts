import { IDENTIFIER_KINDS, type IdentifierKey } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { LRUCache } from 'lru-cache';
import type { ChangeContext, ChangeScope } from './account-change-store.ts';

type Counted = Pick<ChangeContext, 'mine' | 'othersFromDomain'>;

/** Numbers of accounts from the email domains of a batch. A domain is counted once, for the first change that requests it. */
export class DomainCounts {
  /** Hashes of the requested domains as text; null where a request has none. */
  readonly #domains: readonly (string | null)[];
  /** Place of the first change of each domain. */
  readonly #firstOf = new Map<string, number>();
  readonly #projectId: string;
  /** Domains at the maximum count, by project and hash: they are not counted. */
  readonly #large: LRUCache<string, true>;

  constructor(
    projectId: string,
    changes: readonly { readonly identifiers: readonly IdentifierKey[] }[],
    large: LRUCache<string, true>,
  ) {
    this.#projectId = projectId;
    this.#large = large;
    this.#domains = changes.map(({ identifiers }) => domainAmong(identifiers));
    for (const [place, domain] of this.#domains.entries())
      if (domain !== null && !this.#firstOf.has(domain)) this.#firstOf.set(domain, place);
  }

  /** What the read counts for a change. */
  scopeOf(place: number): ChangeScope['domain'] {
    const domain = this.#domains[place] ?? null;
    if (domain === null) return 'own';
    const isCounted = this.#firstOf.get(domain) === place && !this.#large.has(this.#keyOf(domain));
    return isCounted ? Buffer.from(domain, 'latin1') : 'uncounted';
  }

  /** Number of other accounts from the domain of a change, up to the limit. `read`: what was read for the changes. */
  othersOf(place: number, read: readonly Counted[]): number {
    const domain = this.#domains[place] ?? null;
    const own = read[place]!;
    if (domain === null) return own.othersFromDomain;
    const first = read[this.#firstOf.get(domain)!]!;
    if (first.othersFromDomain >= LIMITS.accountsFromDomain) {
      this.#large.set(this.#keyOf(domain), true);
      return LIMITS.accountsFromDomain;
    }
    return first.othersFromDomain + Number(isFrom(first, domain)) - Number(isFrom(own, domain));
  }

  #keyOf(domain: string): string {
    return `${this.#projectId}:${domain}`;
  }
}

const isFrom = ({ mine }: Counted, domain: string) => domainAmong(mine) === domain;

/** The hash of the email's domain as text. */
export function domainAmong(identifiers: readonly IdentifierKey[]): string | null {
  const domain = identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain);
  return domain ? domain.hash.toString('latin1') : null;
}
