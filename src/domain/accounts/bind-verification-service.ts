import { callerOf } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type AuthenticatedSession, authenticated } from './authenticate-service.ts';
import { type ChangeDependencies, changeAccount, type VerificationBinding } from './change-queue-service.ts';
import { ignoreMissingAccount } from './errors.ts';

/** Binds the session of a verification to a new or known account, as `authenticate` does, with its findings. */
export async function bindVerification(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  accountId: string,
  sessionId: string,
  binding: VerificationBinding,
): Promise<AuthenticatedSession> {
  assertMay(viewer, 'account.bind_verification');
  const options = { sessionId, listNames: [] };
  const request = { ...callerOf(viewer), requestId, accountId, changes: {}, options, binding };
  return authenticated(await changeAccount(deps, request));
}

/** The same for a pair of account and session that is already bound. Does nothing if the account was erased since. */
export async function rebindVerification(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  accountId: string,
  sessionId: string,
  binding: VerificationBinding,
): Promise<void> {
  assertMay(viewer, 'account.bind_verification');
  const options = { sessionId, listNames: [], rebinds: true };
  const request = { ...callerOf(viewer), requestId, accountId, changes: {}, options, binding };
  await changeAccount(deps, request).catch(ignoreMissingAccount);
}
