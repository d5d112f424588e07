import DataLoader from 'dataloader';
import type { KeysetPage } from '../platform/keyset.ts';

/** The loader of a question, created when it is first asked. */
export function kept<Value>(
  loaders: Map<string, DataLoader<string, Value>>,
  question: string,
  load: (ids: readonly string[]) => Promise<Value[]>,
): DataLoader<string, Value> {
  const known = loaders.get(question);
  if (known) return known;
  // A refusal that is thrown at once is a rejection too.
  const loader = new DataLoader<string, Value>(async (ids) => load(ids));
  loaders.set(question, loader);
  return loader;
}

/** What distinguishes pages in the key of a loader: what cursors are bound to differs for each parent. */
export const keysetKey = ({ after, before, isBackward, limit }: KeysetPage) => [
  after,
  before,
  isBackward,
  limit,
];

/** Loaders of pages: of one page of several parents at once. */
export function pageLoaders<Page extends object, Row>(
  load: (parents: readonly string[], page: Page) => Promise<Row[][]>,
): (page: Page) => DataLoader<string, Row[]> {
  const loaders = new Map<string, DataLoader<string, Row[]>>();
  return (page) => kept(loaders, JSON.stringify(page), (parents) => load(parents, page));
}
