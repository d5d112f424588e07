import { newId } from '../../platform/ids.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type ChangeDependencies, changeAccount } from './authenticate-service.ts';
import type { ChangeOptions } from './change-request.ts';
import { ignoreMissingAccount } from './errors.ts';

/** Recomputes the links of an account. False when it does not exist. */
export function relinkAccount(deps: ChangeDependencies, viewer: Viewer, accountId: string): Promise<boolean> {
  assertMay(viewer, 'account.rebuild');
  return relinkWith(deps, viewer, accountId, {});
}

/**
 * Rewrites the match keys of an account to the current version, and recomputes its links. `settle` drops earlier keys, `add`
 * keeps them. False when the account does not exist.
 */
export function rekeyAccount(
  deps: ChangeDependencies,
  viewer: Viewer,
  accountId: string,
  rekeys: 'add' | 'settle',
): Promise<boolean> {
  assertMay(viewer, 'account.rebuild');
  return relinkWith(deps, viewer, accountId, { rekeys });
}

async function relinkWith(
  deps: ChangeDependencies,
  { project, actor }: Viewer,
  accountId: string,
  how: Pick<ChangeOptions, 'rekeys'>,
): Promise<boolean> {
  const options = { sessionId: null, listNames: [], relinks: true, ...how };
  const request = { project, actor, requestId: newId(), accountId, changes: {}, options };
  return (await changeAccount(deps, request).catch(ignoreMissingAccount)) !== null;
}
