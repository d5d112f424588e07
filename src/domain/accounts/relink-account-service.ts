import { newId } from '../../platform/ids.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type ChangeDependencies, changeAccount } from './authenticate-service.ts';
import type { ChangeOptions } from './change-request.ts';
import { ignoreMissingAccount } from './errors.ts';

/** Makes the links of a known account anew from what it and others hold. False when there is no such account. */
export function relinkAccount(deps: ChangeDependencies, viewer: Viewer, accountId: string): Promise<boolean> {
  assertMay(viewer, 'account.rebuild');
  return relinkWith(deps, viewer, accountId, {});
}

/**
 * Makes the identifiers of an account's fields anew by the present rules, and its links with them. `settle` drops those
 * that earlier rules made, `add` keeps them. False when there is no such account.
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
