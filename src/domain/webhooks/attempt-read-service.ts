import { firstIdAt, NIL_UUID } from '../../platform/ids.ts';
import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type AttemptRow, attemptPage, countAttempts, findAttempts } from './attempt-store.ts';

export type { AttemptRow } from './attempt-store.ts';

/** The newest attempts of deliveries, in the order of the deliveries' ids. */
export async function listAttempts(
  viewer: Viewer,
  deliveryIds: readonly string[],
  limit: number,
): Promise<AttemptRow[][]> {
  assertMay(viewer, 'webhook.read');
  const byDelivery = await findAttempts(viewer.project.database, deliveryIds, limit);
  return deliveryIds.map((id) => byDelivery.get(id) ?? []);
}

/** The id of an attempt contains the time at which its outcome was stored. */
const firstIdSince = (since: Date | null) => (since === null ? NIL_UUID : firstIdAt(since));

/** A page of the attempts of the project that were stored at or after a time, the newest first. */
export function listAttemptPage(viewer: Viewer, since: Date | null, page: KeysetPage): Promise<AttemptRow[]> {
  assertMay(viewer, 'webhook.read');
  return attemptPage(viewer.project.database, firstIdSince(since), page);
}

/** Number of the same attempts, up to a limit. */
export function countAttemptsOf(viewer: Viewer, since: Date | null, limit: number): Promise<number> {
  assertMay(viewer, 'webhook.read');
  return countAttempts(viewer.project.database, firstIdSince(since), limit);
}
