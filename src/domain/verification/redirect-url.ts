import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { VerificationRow } from './verification-store.ts';

const PURPOSE = 'verification redirect_url';

/** Encrypts the address that a session returns to; null for none. */
export function encryptRedirect(cipher: ProjectCipher, sessionId: string, url: string): Buffer | null {
  return url === '' ? null : cipher.encryptJson(PURPOSE, sessionId, url);
}

/** The address in the clear, '' for none. */
export function decryptRedirect(
  cipher: ProjectCipher,
  { session_id, encrypted_redirect_url }: Pick<VerificationRow, 'session_id' | 'encrypted_redirect_url'>,
): string {
  if (encrypted_redirect_url === null) return '';
  return cipher.decryptJson<string>(PURPOSE, session_id, encrypted_redirect_url);
}
