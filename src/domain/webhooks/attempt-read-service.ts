import { firstIdAt, NIL_UUID } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { WebhookAttempt } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type AttemptQuery, attemptPage, countAttempts } from './attempt-store.ts';

/** The id of an attempt contains the time at which its outcome was stored. */
const firstIdSince = (since: Date | null) => (since === null ? NIL_UUID : firstIdAt(since));

/** A page of the attempts of the project that were stored at or after a time, the newest first. */
export function listAttemptPage(
  viewer: Viewer,
  since: Date | null,
  page: KeysetPage,
  query: AttemptQuery,
): Promise<WebhookAttempt[]> {
  assertMay(viewer, 'webhook.read');
  return attemptPage(viewer.project.database, firstIdSince(since), page, query);
}

/** Number of the same attempts, up to a limit. */
export function countAttemptsOf(viewer: Viewer, since: Date | null, limit: number): Promise<number> {
  assertMay(viewer, 'webhook.read');
  return countAttempts(viewer.project.database, firstIdSince(since), limit);
}
