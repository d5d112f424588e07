import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { authRequest } from './auth-request.ts';
import { assertPasskey } from './passkeys.ts';

export type Provider = { id: string; name: string };
export type SignInMethods = { passwords: boolean; passkeys: boolean; providers: readonly Provider[] };

/** Next step of a sign-in. */
export type SignInStep = 'signed-in' | 'second-factor';

export function signInMethods(): Promise<SignInMethods> {
  return authRequest('methods');
}

export async function signInWithPassword(email: string, password: string): Promise<SignInStep> {
  const answer = await authRequest<{ twoFactorRedirect?: boolean }>('sign-in/email', { email, password });
  return answer?.twoFactorRedirect === true ? 'second-factor' : 'signed-in';
}

export async function signInWithPasskey(): Promise<void> {
  const options = await authRequest<PublicKeyCredentialRequestOptionsJSON>(
    'passkey/generate-authenticate-options',
  );
  await authRequest('passkey/verify-authentication', { response: await assertPasskey(options) });
}

export async function verifyCode(code: string): Promise<void> {
  await authRequest('two-factor/verify-totp', { code });
}

export async function verifyBackupCode(code: string): Promise<void> {
  await authRequest('two-factor/verify-backup-code', { code });
}

/** Address of the provider to continue at. `back`: path to return to. */
export async function providerUrl(provider: string, back: string): Promise<string> {
  const { url } = await authRequest<{ url: string }>('sign-in/social', {
    provider,
    callbackURL: back,
    errorCallbackURL: '/console/sign-in',
  });
  return url;
}

/** Address of the provider at which a person accepts an invitation. */
export async function acceptAtProviderUrl(provider: string, secret: string): Promise<string> {
  const { url } = await authRequest<{ url: string }>('accept-invitation-at-provider', {
    provider,
    secret,
    callbackURL: '/console',
    errorCallbackURL: '/console/sign-in',
  });
  return url;
}

export async function signOut(): Promise<void> {
  await authRequest('sign-out', {});
}

export type Invitation = {
  kind: 'INVITATION' | 'RESET';
  /** Null for the first administrator, who chooses it. */
  email: string | null;
  name: string;
  /** Whether a person with the email has entered before, who signs in to accept. */
  isKnown: boolean;
  expiresAt: string;
  projects: readonly { name: string; role: string }[];
};

export function readInvitation(secret: string): Promise<Invitation> {
  return authRequest('invitation', { secret });
}

/** Accepts an invitation as the person who is signed in. */
export async function acceptAsSignedIn(secret: string): Promise<void> {
  await authRequest('accept-invitation', { secret });
}

/** What a person enters. The email counts only where the invitation has none. */
export type Entered = { email: string; name: string; password: string };

export async function acceptInvitation(secret: string, entered: Entered): Promise<void> {
  await authRequest('accept-invitation', { secret, ...entered });
}
