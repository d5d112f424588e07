import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { describe, expect, it } from 'vitest';
import { createBatchHolders } from './batch-holders.ts';
import {
  countedHolders,
  type GroupedIdentifier,
  groupedKey,
  type Holder,
  matchesOf,
} from './batch-matches.ts';

const now = new Date('2026-01-02T03:04:05Z');
const seen = new Date('2026-01-01T00:00:00Z');

function identifier(kind: keyof typeof IDENTIFIER_KINDS, value: string): GroupedIdentifier {
  const one = { kind: IDENTIFIER_KINDS[kind], hash: Buffer.from(value) };
  return { ...one, group: '', key: groupedKey('', one) };
}

const [email, name] = [identifier('email', 'e'), identifier('name', 'n')];
const [block, rareBlock] = [identifier('email_block', 'b'), identifier('email_block', 'r')];
const own = [email, name, block, rareBlock];
const holders = (count: number, times: Holder['seen'] = null): Holder[] =>
  Array.from({ length: count }, (_, index) => ({ accountId: `account-${index}`, seen: times }));

describe('matches of an account of a batch', () => {
  it('contain every account with a linking identifier, and compare the account with them', () => {
    const times = { firstSeen: seen, lastSeen: seen, uses: 3 };
    const { matches, compared } = matchesOf(own, new Map([[email.key, holders(2, times)]]), now);
    const of = { kind: email.kind, hash: email.hash, others: 2, ...times };
    expect(matches).toEqual(['account-0', 'account-1'].map((accountId) => ({ ...of, accountId })));
    expect([...compared]).toEqual(['account-0', 'account-1']);
  });

  it('contain one account of an identifier over its sharing limit, without a comparison', () => {
    const times = { firstSeen: seen, lastSeen: seen, uses: 1 };
    const { matches, compared } = matchesOf(own, new Map([[name.key, holders(51, times)]]), now);
    expect(matches).toMatchObject([{ accountId: 'account-0', others: 51 }]);
    expect(compared.size).toBe(0);
  });

  it('contain each account once by its rarest blocking key', () => {
    const stored = new Map([
      [block.key, holders(3)],
      [rareBlock.key, holders(2)],
    ]);
    const { matches, compared } = matchesOf(own, stored, now);
    const counts = matches.slice(2).map(({ accountId, others }) => [accountId, others]);
    expect(counts).toEqual([
      ['account-0', 2],
      ['account-1', 2],
      ['account-2', 3],
    ]);
    expect(compared.size).toBe(3);
  });
});

describe('accounts by blocking key within a batch', () => {
  const person = (id: string) => ({ id, person: null });

  it('are found by later accounts', () => {
    const batch = createBatchHolders();
    expect(batch.matchesOf([block], () => 3, now)).toEqual({ matches: [], persons: [] });
    batch.add([block], person('first'));
    batch.add([rareBlock], person('second'));
    expect(batch.matchesOf([block], () => 3, now)).toMatchObject({
      matches: [{ accountId: 'first', others: 4 }],
      persons: [{ id: 'first' }],
    });
  });

  it('depend on each other when the batch exceeds the sharing limit of a key, not when it was already exceeded', () => {
    const batch = createBatchHolders();
    batch.add([block], person('first'));
    const counted = countedHolders(block.kind);
    expect(batch.matchesOf([block], () => counted - 3, now)).not.toBeNull();
    expect(batch.matchesOf([block], () => counted - 2, now)).toBeNull();
    expect(batch.matchesOf([block], () => counted, now)).toEqual({ matches: [], persons: [] });
  });
});
