import { type AuthenticateAccount, rejectFutureBirth } from '@vouchgraph/decisions';
import { isUuid } from '@vouchgraph/platform/ids';
import { callerOf } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { sessionNotFound } from '../sessions/errors.ts';
import type { Session } from '../sessions/session.ts';
import { type ChangeDependencies, changeAccount, SessionHasCheck } from './change-queue-service.ts';
import type { ChangedAccount } from './change-request.ts';
import { checkLists } from './plan-lists.ts';

export type AuthenticatedSession = ChangedAccount & {
  session: Session;
  decided: NonNullable<ChangedAccount['decided']>;
};

/** Binds a session to a new or known account, links it and scores it. A repeated pair counts once. */
export async function authenticate(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  input: AuthenticateAccount,
  sessionId: string,
): Promise<AuthenticatedSession> {
  assertMay(viewer, 'session.authenticate');
  checkLists(input.lists ?? []);
  rejectFutureBirth(input, deps.clock.now(), ['account', 'dateOfBirth']);
  if (!isUuid(sessionId)) throw sessionNotFound();
  const { project } = viewer;
  const options = { sessionId, listNames: input.lists ?? [] };
  const request = { ...callerOf(viewer), requestId, accountId: input.id, changes: input, options };
  const changed = await changeAccount(deps, request).catch((error: unknown) => {
    if (!(error instanceof SessionHasCheck)) throw error;
    const of = { sessionId, accountId: input.id, group: input.group ?? null, now: deps.clock.now() };
    return changeAccount(deps, { ...request, binding: deps.bindSessionOfCheck(project, of) });
  });
  return authenticated(changed);
}

/** The result of a change with a session. */
export function authenticated(changed: ChangedAccount & { session: Session | null }): AuthenticatedSession {
  return { ...changed, session: changed.session!, decided: changed.decided! };
}
