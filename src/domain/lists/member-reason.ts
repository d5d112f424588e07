import type { ProjectCipher } from '../../platform/crypto.ts';

const TABLE = 'list_members';

/** A reason as it is stored: encrypted; in rows of earlier versions plain until `encryptEarlierRows` encrypts it. */
export type StoredReason = {
  readonly reason: string;
  /** Bytes; base64 in rows that are read as JSON. */
  readonly encryptedReason?: Uint8Array | string | null;
};

/** Encrypts a reason; null for none. It belongs to the account, so that it can move with it from list to list. */
export function encryptReason(cipher: ProjectCipher, accountId: string, reason: string): Buffer | null {
  return reason === '' ? null : cipher.encryptJson(TABLE, accountId, reason);
}

/** The reason in clear text, '' for none. `accountId` is assigned by the client. */
export function decryptReason(
  cipher: ProjectCipher,
  accountId: string,
  { reason, encryptedReason }: StoredReason,
): string {
  // A plain reason beside an encrypted one is newer: a gateway of an earlier version wrote it.
  if (reason !== '' || encryptedReason == null) return reason;
  const bytes =
    typeof encryptedReason === 'string' ? Buffer.from(encryptedReason, 'base64') : encryptedReason;
  return cipher.decryptJson<string>(TABLE, accountId, bytes);
}
