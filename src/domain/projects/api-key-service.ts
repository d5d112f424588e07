import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from './access-service.ts';
import { countKeys, findKeys, type KeyQuery } from './api-key-store.ts';
import { assertMay } from './assert-may.ts';

/** A page of the keys of the project, the newest first. */
export function listApiKeys(viewer: Viewer, page: KeysetPage, query: KeyQuery): ReturnType<typeof findKeys> {
  assertMay(viewer, 'api_key.read');
  return findKeys(viewer.project.database, page, query);
}

/** Number of keys of the project, counted up to a limit. */
export function countApiKeys(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'api_key.read');
  return countKeys(viewer.project.database, limit);
}
