import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { AuthenticateAccount } from './account-input.ts';
import { type ChangeDependencies, changeAccount } from './authenticate-service.ts';
import { checkLists } from './plan-lists.ts';

/** Stores an account as it comes from another system, new or known, without a session; its links follow. */
export async function importAccount(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  { id: accountId, lists, ...changes }: AuthenticateAccount,
): Promise<void> {
  assertMay(viewer, 'account.import');
  checkLists(lists ?? []);
  const { project, actor } = viewer;
  const options = { sessionId: null, listNames: lists ?? [], imports: true };
  await changeAccount(deps, { project, actor, requestId, accountId, changes, options });
}
