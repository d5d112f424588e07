import { LAST_ID } from '../../platform/ids.ts';

/** What links are ordered by, the highest or latest first, then by the other account's id. */
export const LINK_ORDERS = {
  SCORE: { column: 'score', type: 'float8' },
  FIRST_SEEN: { column: 'first_seen', type: 'timestamptz' },
  LAST_SEEN: { column: 'last_seen', type: 'timestamptz' },
} as const;
export type LinkOrder = keyof typeof LINK_ORDERS;

/** A range of an account's links: those behind a position, and of them those that count. */
export type LinkPage = {
  order: LinkOrder;
  /** The position behind which it begins: a score, or milliseconds. */
  value: number;
  id: string;
  /** Bits of `links.kinds`, of which one at least has to be there; ANY_KIND for all. */
  kinds: number;
  minScore: number;
};

export const ANY_KIND = -1;

/** The first page of all links. */
export const FIRST_LINKS: LinkPage = {
  order: 'SCORE',
  value: Number.POSITIVE_INFINITY,
  id: LAST_ID,
  kinds: ANY_KIND,
  minScore: 0,
};
