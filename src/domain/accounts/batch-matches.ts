import {
  BRIDGE_CAP,
  CAPPED_KINDS,
  COMPARING_KINDS,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  identifierKey,
  LINK_WEIGHTS,
  LINKING_KINDS,
  type Match,
} from '@vouchgraph/linking';
/*
 * Matches between the accounts of a batch and stored accounts. Pure. The database returns the accounts of each identifier;
 * this file counts them and assigns them to the accounts of the batch.
 */

/** Blocking keys: kinds that only find accounts to compare. It does not matter which of them finds an account. */
export const BLOCK_KINDS = LINKING_KINDS.filter(
  (kind) => LINK_WEIGHTS[kind].weight === 0 && kind !== 'birth_date',
);
const BLOCK_NUMBERS: ReadonlySet<number> = new Set(BLOCK_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));
const COMPARING: ReadonlySet<number> = new Set(COMPARING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));
const COUNTED = new Map<number, number>(
  CAPPED_KINDS.map((kind) => [IDENTIFIER_KINDS[kind], LINK_WEIGHTS[kind].cap + 1]),
);

export const isBlock = (kind: number): boolean => BLOCK_NUMBERS.has(kind);

/** Maximum number of counted accounts of a kind: one more than its sharing limit. Infinity for kinds without a limit. */
export function countedHolders(kind: number): number {
  return COUNTED.get(kind) ?? Number.POSITIVE_INFINITY;
}

/** Whether an identifier of a match is over its sharing limit. */
export const isOverLimit = ({ kind, others }: Match): boolean => others >= countedHolders(kind);

/** An identifier in the group of its accounts. */
export type GroupedIdentifier = IdentifierKey & { readonly group: string; readonly key: string };

export const groupedKey = (group: string, { kind, hash }: IdentifierKey) =>
  `${identifierKey(kind, hash)} ${group}`;

export type Holder = {
  readonly accountId: string;
  /** Null for a blocking key, whose times are not used. */
  readonly seen: { readonly firstSeen: Date; readonly lastSeen: Date; readonly uses: number } | null;
};

/** Stored accounts that share identifiers with an account, and the subset that it is compared with. */
export type AccountMatches = { readonly matches: Match[]; readonly compared: ReadonlySet<string> };

/**
 * The matches of an account. An identifier over its sharing limit has one match with the number of its accounts. A blocking key
 * has one match for its number, and each account one further match by its rarest key.
 */
export function matchesOf(
  identifiers: readonly GroupedIdentifier[],
  holders: ReadonlyMap<string, readonly Holder[]>,
  now: Date,
): AccountMatches {
  const matches: Match[] = [];
  const compared = new Set<string>();
  const byBlock = new Map<string, Match>();
  const ofBlock = { uses: 1, firstSeen: now, lastSeen: now };
  for (const { kind, hash, key } of identifiers) {
    const found = holders.get(key);
    if (!found) continue;
    const others = found.length;
    const isOver = others >= countedHolders(kind);
    const isCompared = !isOver && others < BRIDGE_CAP && COMPARING.has(kind);
    for (const { accountId, seen } of isOver || isBlock(kind) ? found.slice(0, 1) : found)
      matches.push({ kind, hash, accountId, others, ...(seen ?? ofBlock) });
    if (!isCompared) continue;
    for (const { accountId } of found) {
      compared.add(accountId);
      const best = isBlock(kind) ? byBlock.get(accountId) : undefined;
      if (isBlock(kind) && (!best || best.others > others))
        byBlock.set(accountId, { kind, hash, accountId, others, ...ofBlock });
    }
  }
  return { matches: [...matches, ...byBlock.values()], compared };
}
