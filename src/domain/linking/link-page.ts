import type { Direction, KeysetPage } from '@vouchgraph/platform/keyset';

/** Sort orders of links; ties are sorted by the id of the linked account. */
export const LINK_ORDERS = {
  SCORE: { column: 'score', type: 'float8' },
  FIRST_SEEN: { column: 'first_seen', type: 'timestamptz' },
  LAST_SEEN: { column: 'last_seen', type: 'timestamptz' },
} as const;
export type LinkOrder = keyof typeof LINK_ORDERS;

/** Filter of an account's links. */
export type LinkFilter = {
  /** Bits of `links.kinds`: a link has at least one of them; ANY_KIND for all links. */
  kinds: number;
  minScore: number;
};

export type LinkPage = LinkFilter & { order: LinkOrder; direction: Direction; page: KeysetPage };

export const ANY_KIND = -1;
export const ALL_LINKS: LinkFilter = { kinds: ANY_KIND, minScore: 0 };

/** The strongest links. */
export function firstLinks(limit: number): LinkPage {
  return {
    ...ALL_LINKS,
    order: 'SCORE',
    direction: 'DESC',
    page: { after: null, before: null, isBackward: false, limit },
  };
}
