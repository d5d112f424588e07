import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from './access-service.ts';
import { countKeys, findKeys, findKeysById, type ShownKey } from './api-key-store.ts';
import { assertMay } from './assert-may.ts';

export type { ShownKey } from './api-key-store.ts';

/** A page of the keys of the project, the newest first. */
export function listApiKeys(viewer: Viewer, page: KeysetPage): Promise<ShownKey[]> {
  assertMay(viewer, 'api_key.read');
  return findKeys(viewer.project.database, page);
}

/** Number of keys of the project, counted up to a limit. */
export function countApiKeys(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'api_key.read');
  return countKeys(viewer.project.database, limit);
}

/** Keys by their ids, in this order; null for unknown ones. */
export async function readApiKeys(viewer: Viewer, keyIds: readonly string[]): Promise<(ShownKey | null)[]> {
  assertMay(viewer, 'api_key.read');
  const rows = await findKeysById(viewer.project.database, keyIds);
  const byId = new Map(rows.map((row) => [row.key_id, row]));
  return keyIds.map((id) => byId.get(id) ?? null);
}
