import {
  CAPPED_KINDS,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  identifierKey,
  LINK_WEIGHTS,
  type Match,
} from '@vouchgraph/linking';

/** An identifier in the group of its accounts. */
export type GroupedIdentifier = IdentifierKey & { readonly group: string; readonly key: string };

export const groupedKey = (group: string, { kind, hash }: IdentifierKey) =>
  `${identifierKey(kind, hash)} ${group}`;

const COUNTED = new Map<number, number>(
  CAPPED_KINDS.map((kind) => [IDENTIFIER_KINDS[kind], LINK_WEIGHTS[kind].cap + 1]),
);

/** Maximum number of counted accounts of a kind: one more than its sharing limit. Infinity for kinds without a limit. */
export function countedHolders(kind: number): number {
  return COUNTED.get(kind) ?? Number.POSITIVE_INFINITY;
}

/** Whether an identifier of a match is over its sharing limit. */
export const isOverLimit = ({ kind, others }: Match): boolean => others >= countedHolders(kind);
