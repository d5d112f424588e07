import { randomBytes } from 'node:crypto';
import { sha256 } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';

/** A link is valid for a day. */
export const INVITATION_LIFETIME_MS = 86_400_000;
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of a link, of 256 random bits. */
export function newInvitationSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Hash of a secret, which is stored instead of it; null for a text that is not one. */
export function invitationHash(secret: string): Buffer | null {
  return SECRET.test(secret) ? sha256(secret) : null;
}

/** Link of an invitation. The secret is in the fragment, which browsers send to no server. */
export function invitationLink(baseUrl: string, secret: string): string {
  return `${baseUrl}/console/invitation#${secret}`;
}

/** The same error for an unknown, a spent and an expired link. */
export function invitationNotFound(): AppError {
  return new AppError(
    'invitation.not_found',
    'not_found',
    'The link is unknown, was used before, or has expired: ask for another one',
  );
}

/** The email of a link belongs to a person who has entered before, by another link. */
export function signInRequired(): AppError {
  return new AppError(
    'invitation.sign_in_required',
    'conflict',
    'A person with this email has entered before: sign in as this person, then open the link again',
  );
}
