import { newId } from '@vouchgraph/platform/ids';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type ChangeDependencies, changeAccount } from './change-queue-service.ts';
import type { ChangeOptions, RecomputeStep } from './change-request.ts';
import { ignoreMissingAccount } from './errors.ts';

/** Recomputes the links of an account. False when it does not exist. */
export function relinkAccount(deps: ChangeDependencies, viewer: Viewer, accountId: string): Promise<boolean> {
  assertMay(viewer, 'account.rebuild');
  return relinkWith(deps, viewer, accountId, {});
}

/** Recomputes the match keys and links of an account. False when it does not exist. */
export function recomputeAccountKeys(
  deps: ChangeDependencies,
  viewer: Viewer,
  accountId: string,
  recomputes: RecomputeStep,
): Promise<boolean> {
  assertMay(viewer, 'account.rebuild');
  return relinkWith(deps, viewer, accountId, { recomputes });
}

async function relinkWith(
  deps: ChangeDependencies,
  { project, actor }: Viewer,
  accountId: string,
  how: Pick<ChangeOptions, 'recomputes'>,
): Promise<boolean> {
  const options = { sessionId: null, listNames: [], relinks: true, ...how };
  const request = { project, actor, requestId: newId(), accountId, changes: {}, options };
  return (await changeAccount(deps, request).catch(ignoreMissingAccount)) !== null;
}
