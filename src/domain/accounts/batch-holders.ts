import type { Match } from '@vouchgraph/linking';
import type { ReadPerson } from '../linking/read-persons.ts';
import { countedHolders, type GroupedIdentifier } from './grouped-identifiers.ts';

export type BatchMatches = { readonly matches: Match[]; readonly persons: ReadPerson[] };

export type BatchHolders = {
  /** Adds an account of the batch with its blocking keys. */
  add(blocks: readonly GroupedIdentifier[], person: ReadPerson): void;
  /**
   * Accounts of the batch that share a blocking key with an account, each once. `countStored`: number of stored accounts with a
   * key. Null when the batch exceeds the sharing limit of a key, because links between its stored accounts can then change.
   */
  matchesOf(
    blocks: readonly GroupedIdentifier[],
    countStored: (block: GroupedIdentifier) => number,
    now: Date,
  ): BatchMatches | null;
};

/** Accounts by blocking key within a batch, which the read of stored accounts does not see. */
export function createBatchHolders(): BatchHolders {
  const byBlock = new Map<string, ReadPerson[]>();
  return {
    add(blocks, person) {
      for (const { key } of blocks) {
        const holders = byBlock.get(key);
        if (holders) holders.push(person);
        else byBlock.set(key, [person]);
      }
    },
    matchesOf(blocks, countStored, now) {
      const found = new Map<ReadPerson, Match>();
      for (const block of blocks) {
        const { kind, hash, key } = block;
        const holders = byBlock.get(key);
        const stored = holders ? countStored(block) : 0;
        if (!holders || stored >= countedHolders(kind)) continue;
        const others = stored + holders.length;
        if (others + 1 >= countedHolders(kind)) return null;
        const of = { kind, hash, others, uses: 1, firstSeen: now, lastSeen: now };
        for (const person of holders) found.set(person, { ...of, accountId: person.id });
      }
      return { matches: [...found.values()], persons: [...found.keys()] };
    },
  };
}
