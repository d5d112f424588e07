import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { findPairEvidence, type PairComparison, type PairKey } from './evidence-store.ts';
import type { LinkFilter, LinkPage } from './link-page.ts';
import { countLinks as countStoredLinks, findLinkPages, findLinks, type LinkRow } from './link-store.ts';
import { readPersons } from './read-persons.ts';

export type { PairComparison, PairKey } from './evidence-store.ts';
export type { LinkRow } from './link-store.ts';

/** One page of links per account, in the order of `ids` (internal ids). */
export async function listLinks(
  viewer: Viewer,
  ids: readonly string[],
  page: LinkPage,
): Promise<LinkRow[][]> {
  assertMay(viewer, 'link.list');
  const rows = await findLinkPages(viewer.project.database, ids, page);
  const byParent = Map.groupBy(rows, (row) => row.parent_id);
  return ids.map((id) => byParent.get(id) ?? []);
}

/** The link of each pair of accounts, in the order of `pairs`; null for a pair without a link. */
export async function readLinks(viewer: Viewer, pairs: readonly PairKey[]): Promise<(LinkRow | null)[]> {
  assertMay(viewer, 'link.list');
  const rows = await findLinks(viewer.project.database, pairs);
  const byPair = new Map(rows.map((row) => [`${row.parent_id} ${row.linked_account_id}`, row]));
  return pairs.map(({ a, b }) => byPair.get(`${a} ${b}`) ?? null);
}

/** Number of links per account, in the order of `ids` (internal ids), counted up to a limit. */
export async function countLinks(
  viewer: Viewer,
  ids: readonly string[],
  filter: LinkFilter,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'link.list');
  return countStoredLinks(viewer.project.database, ids, filter, limit);
}

/** Evidence of pairs of accounts. Uses one statement for all pairs, and one for the compared persons. */
export async function comparePairs(viewer: Viewer, pairs: readonly PairKey[]): Promise<PairComparison[]> {
  assertMay(viewer, 'link.read');
  const { project } = viewer;
  const found = await findPairEvidence(project.database, pairs, (rows) => readPersons(project, rows));
  return pairs.map(({ a, b }) => found.get(`${a} ${b}`) ?? { shared: [], compared: null });
}
