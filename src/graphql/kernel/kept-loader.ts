import type { KeysetPage } from '@vouchgraph/platform/keyset';
import DataLoader from 'dataloader';

/** `cache: false` reads the objects of one level together, and reads them again for the next mutation of a document. */
type LoaderOptions = { readonly cache?: boolean };

/** Loader of a query, created on its first use. */
export function kept<Value>(
  loaders: Map<string, DataLoader<string, Value>>,
  question: string,
  load: (ids: readonly string[]) => Promise<Value[]>,
  options: LoaderOptions = {},
): DataLoader<string, Value> {
  const known = loaders.get(question);
  if (known) return known;
  // A synchronously thrown error becomes a rejection too.
  const loader = new DataLoader<string, Value>(async (ids) => load(ids), options);
  loaders.set(question, loader);
  return loader;
}

/** The rows that a page reads, whatever its parent: what cursors are bound to differs for each parent. */
export const keysetKey = ({ after, before, isBackward, limit }: KeysetPage): string =>
  JSON.stringify([after, before, isBackward, limit]);

/** Key of a load, without the scope of cursors, which differs for each parent. */
function loadKey(asked: object): string {
  return JSON.stringify(asked, (name, value: unknown) => (name === 'scope' ? undefined : value));
}

/** Loaders of pages: each loads one page of several parents together. */
export function pageLoaders<Page extends object, Value>(
  load: (parents: readonly string[], page: Page) => Promise<Value[]>,
  options: LoaderOptions = {},
): (page: Page) => DataLoader<string, Value> {
  const loaders = new Map<string, DataLoader<string, Value>>();
  return (page) => kept(loaders, loadKey(page), (parents) => load(parents, page), options);
}
