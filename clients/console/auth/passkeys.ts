import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { RequestError } from './request-problem.ts';

/* Passkeys of the browser. Failures are RequestErrors with a code that starts with PASSKEY_. */

/** Asks the person for a passkey to sign in with. */
export function assertPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  return withPasskeyCodes(() => startAuthentication({ optionsJSON }));
}

/** Asks the person to create a passkey. */
export function createPasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  return withPasskeyCodes(() => startRegistration({ optionsJSON }));
}

export const supportsPasskeys = (): boolean => browserSupportsWebAuthn();

async function withPasskeyCodes<Result>(run: () => Promise<Result>): Promise<Result> {
  if (!supportsPasskeys()) throw passkeyError('PASSKEY_UNSUPPORTED');
  try {
    return await run();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw passkeyError(isKnown ? 'PASSKEY_EXISTS' : 'PASSKEY_CANCELED');
  }
}

function passkeyError(code: string): RequestError {
  return new RequestError({ kind: 'rejected', status: 0, code });
}
