import type { ProjectCipher } from '@vouchgraph/platform/crypto';

const TABLE = 'list_members';

/** Encrypts a reason; null for none. It belongs to the account, so that it can move with it from list to list. */
export function encryptReason(cipher: ProjectCipher, accountId: string, reason: string): Buffer | null {
  return reason === '' ? null : cipher.encryptJson(TABLE, accountId, reason);
}

/**
 * The reason in clear text, '' for none. `encrypted`: bytes, or base64 in rows that are read as JSON. `accountId` is assigned by
 * the client.
 */
export function decryptReason(
  cipher: ProjectCipher,
  accountId: string,
  encrypted: Uint8Array | string | null,
): string {
  if (encrypted === null) return '';
  const bytes = typeof encrypted === 'string' ? Buffer.from(encrypted, 'base64') : encrypted;
  return cipher.decryptJson<string>(TABLE, accountId, bytes);
}
