import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { findPairEvidence, type PairComparison, type PairKey } from './evidence-store.ts';
import type { LinkPage } from './link-page.ts';
import { findLinkPages, type LinkRow } from './link-store.ts';
import { readPersons } from './read-persons.ts';

export type { PairComparison, PairKey } from './evidence-store.ts';
export type { LinkRow } from './link-store.ts';

/** The same page of the links of several accounts, by their internal ids, in this order. */
export async function listLinks(
  viewer: Viewer,
  ids: readonly string[],
  page: LinkPage,
  limit: number,
): Promise<LinkRow[][]> {
  assertMay(viewer, 'link.list');
  const rows = await findLinkPages(viewer.project.database, ids, page, limit);
  const byParent = Map.groupBy(rows, (row) => row.parent_id);
  return ids.map((id) => byParent.get(id) ?? []);
}

/** What pairs of accounts share: one statement for all pairs, and one for the persons that are compared. */
export async function comparePairs(viewer: Viewer, pairs: readonly PairKey[]): Promise<PairComparison[]> {
  assertMay(viewer, 'link.read');
  const { project } = viewer;
  const found = await findPairEvidence(project.database, pairs, (rows) => readPersons(project, rows));
  return pairs.map(({ a, b }) => found.get(`${a} ${b}`) ?? { shared: [], compared: null });
}
