import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { describe, expect, it } from 'vitest';
import { createBatchHolders } from './batch-holders.ts';
import { countedHolders, type GroupedIdentifier, groupedKey } from './grouped-identifiers.ts';

const now = new Date('2026-01-02T03:04:05Z');

function identifier(value: string): GroupedIdentifier {
  const one = { kind: IDENTIFIER_KINDS.email_block, hash: Buffer.from(value) };
  return { ...one, group: '', key: groupedKey('', one) };
}

const [block, rareBlock] = [identifier('b'), identifier('r')];

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
