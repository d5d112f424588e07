import type { Match } from '../../linking/plan-links.ts';
import type { ReadPerson } from '../../linking/read-persons.ts';
import { countedHolders, type GroupedIdentifier } from './batch-matches.ts';

export type BatchMatches = { readonly matches: Match[]; readonly persons: ReadPerson[] };

export type BatchHolders = {
  /** Adds an account that the batch stores, with its blocks. */
  add(blocks: readonly GroupedIdentifier[], person: ReadPerson): void;
  /**
   * Accounts of the batch that share a block with an account, each by one of them. `countStored` is the number of stored
   * accounts with a block. Null when the accounts of the batch take a block beyond its cap: links among its stored holders may
   * then change.
   */
  matchesOf(
    blocks: readonly GroupedIdentifier[],
    countStored: (block: GroupedIdentifier) => number,
    now: Date,
  ): BatchMatches | null;
};

/** Holders of blocks within a batch: a statement that reads the stored ones before the batch is written does not see them. */
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
