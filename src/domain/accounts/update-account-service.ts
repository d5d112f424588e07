import { type AccountChanges, rejectFutureBirth } from '@vouchgraph/decisions';
import { callerOf } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type ChangeDependencies, changeAccount } from './change-queue-service.ts';
import type { ChangedAccount } from './change-request.ts';

/** Changes fields of a known account, and recomputes its links. */
export function updateAccount(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  accountId: string,
  changes: AccountChanges,
): Promise<ChangedAccount> {
  assertMay(viewer, 'account.update');
  rejectFutureBirth(changes, deps.clock.now(), ['dateOfBirth']);
  const options = { sessionId: null, listNames: [] };
  return changeAccount(deps, { ...callerOf(viewer), requestId, accountId, changes, options });
}
