import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import { LRUCache } from 'lru-cache';
import { describe, expect, it } from 'vitest';
import { DomainCounts } from './domain-counts.ts';

const from = (domain: string) => [{ kind: IDENTIFIER_KINDS.email_domain, hash: Buffer.from(domain) }];
const stored = (domain: string) =>
  from(domain).map((one) => ({ ...one, firstSeen: new Date(0), lastSeen: new Date(0), uses: 1 }));
const read = (othersFromDomain: number, domain?: string) => ({
  othersFromDomain,
  mine: domain === undefined ? [] : stored(domain),
});
const uncounted = (domain?: string) => read(LIMITS.accountsFromDomain, domain);

function countsOf(domains: readonly (string | null)[]) {
  const large = new LRUCache<string, true>({ max: 10 });
  const changes = domains.map((domain) => ({ identifiers: domain === null ? [] : from(domain) }));
  return { counts: new DomainCounts('project', changes, large), large };
}

describe('the accounts of an email domain', () => {
  it('are counted for the first change of a batch that requests it', () => {
    const { counts } = countsOf(['a.example', null, 'a.example', 'b.example']);
    expect([0, 1, 2, 3].map((place) => counts.scopeOf(place))).toEqual([
      Buffer.from('a.example'),
      'own',
      'uncounted',
      Buffer.from('b.example'),
    ]);
  });

  it('do not include the account of the change, whichever account they were counted for', () => {
    const { counts } = countsOf(['a.example', 'a.example', 'a.example', null]);
    const rows = [read(7), uncounted('a.example'), uncounted('b.example'), read(4)];
    expect([0, 1, 2, 3].map((place) => counts.othersOf(place, rows))).toEqual([7, 6, 7, 4]);
    const known = [read(7, 'a.example'), uncounted(), uncounted('a.example'), read(4)];
    expect([0, 1, 2, 3].map((place) => counts.othersOf(place, known))).toEqual([7, 8, 7, 4]);
  });

  it('are not counted again at the limit', () => {
    const { counts, large } = countsOf(['a.example', 'a.example']);
    const rows = [read(LIMITS.accountsFromDomain), uncounted('a.example')];
    expect(counts.othersOf(1, rows)).toBe(LIMITS.accountsFromDomain);
    const later = new DomainCounts('project', [{ identifiers: from('a.example') }], large);
    expect(later.scopeOf(0)).toBe('uncounted');
    expect(later.othersOf(0, [uncounted()])).toBe(LIMITS.accountsFromDomain);
  });
});
