import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { authRequest } from './auth-request.ts';
import { createPasskey } from './passkeys.ts';
import { problemOf, RequestError } from './request-problem.ts';

/* Requests of a signed-in person about the own account. A 401 means that the session has ended. */

export type OwnSession = {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  address: string | null;
  userAgent: string | null;
  current: boolean;
};

export type Passkey = {
  id: string;
  name: string | null;
  createdAt: string;
  deviceType: string;
  backedUp: boolean;
};

export type TwoFactorSetup = { totpURI: string; backupCodes: readonly string[] };

/** Codes of 401 answers that do not concern the session. */
const WRONG_SECRETS = new Set(['INVALID_PASSWORD', 'INVALID_CODE', 'INVALID_BACKUP_CODE']);

async function ownRequest<Answer>(path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer> {
  try {
    return await authRequest<Answer>(path, body);
  } catch (error) {
    const problem = problemOf(error);
    const hasEnded =
      problem.kind === 'rejected' && problem.status === 401 && !WRONG_SECRETS.has(problem.code);
    throw hasEnded ? new RequestError({ kind: 'signed-out' }) : error;
  }
}

/** An identity at a provider. */
export type OwnIdentity = { id: string; provider: string; name: string; joinedAt: string };
export type OwnIdentities = { hasPassword: boolean; identities: readonly OwnIdentity[] };

/** Ways to sign in besides passkeys. */
export function ownIdentities(): Promise<OwnIdentities> {
  return ownRequest('identities');
}

/** Address of the provider at which the person confirms an identity to join. */
export async function joinUrl(provider: string): Promise<string> {
  const { url } = await ownRequest<{ url: string }>('link-social', {
    provider,
    callbackURL: '/console/account',
    errorCallbackURL: '/console/account',
  });
  return url;
}

export async function removeIdentity(id: string): Promise<void> {
  await ownRequest('remove-identity', { id });
}

export async function ownSessions(): Promise<readonly OwnSession[]> {
  return (await ownRequest<{ sessions: OwnSession[] }>('sessions')).sessions;
}

export async function endSession(id: string): Promise<void> {
  await ownRequest('end-session', { id });
}

/** Number of sessions that ended. */
export async function endOtherSessions(): Promise<number> {
  return (await ownRequest<{ ended: number }>('end-other-sessions', {})).ended;
}

/** Changes the password and ends the other sessions. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await ownRequest('change-password', { currentPassword, newPassword, revokeOtherSessions: true });
}

export function ownPasskeys(): Promise<readonly Passkey[]> {
  return ownRequest('passkey/list-user-passkeys');
}

export async function addPasskey(name: string): Promise<void> {
  const options = await ownRequest<PublicKeyCredentialCreationOptionsJSON>(
    `passkey/generate-register-options?${new URLSearchParams({ name })}`,
  );
  await ownRequest('passkey/verify-registration', { response: await createPasskey(options), name });
}

export async function renamePasskey(id: string, name: string): Promise<void> {
  await ownRequest('passkey/update-passkey', { id, name });
}

export async function deletePasskey(id: string): Promise<void> {
  await ownRequest('passkey/delete-passkey', { id });
}

/** Starts the set-up of the second factor, which `confirmTwoFactor` activates. */
export function enableTwoFactor(password: string): Promise<TwoFactorSetup> {
  return ownRequest('two-factor/enable', { password });
}

export async function confirmTwoFactor(code: string): Promise<void> {
  await ownRequest('two-factor/verify-totp', { code });
}

export async function disableTwoFactor(password: string): Promise<void> {
  await ownRequest('two-factor/disable', { password });
}

export async function renewBackupCodes(password: string): Promise<readonly string[]> {
  return (await ownRequest<{ backupCodes: string[] }>('two-factor/generate-backup-codes', { password }))
    .backupCodes;
}
