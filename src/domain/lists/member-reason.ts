import type { ProjectCipher } from '../../platform/crypto.ts';

const TABLE = 'list_members';

/** A reason as it is stored: encrypted; in rows of earlier versions plain until `encryptEarlierRows` encrypts it. */
export type StoredReason = {
  readonly reason: string;
  /** Bytes; base64 in rows that are read as JSON. */
  readonly sealedReason?: Uint8Array | string | null;
};

/** Encrypts a reason; null for none. It belongs to the account, so that it can move with it from list to list. */
export function encryptReason(cipher: ProjectCipher, accountId: string, reason: string): Buffer | null {
  return reason === '' ? null : cipher.encryptJson(TABLE, accountId, reason);
}

/** The reason in the clear, '' for none; `accountId` is the client's own id. */
export function decryptReason(
  cipher: ProjectCipher,
  accountId: string,
  { reason, sealedReason }: StoredReason,
): string {
  // A plain reason beside an encrypted one is newer: a gateway of an earlier version wrote it.
  if (reason !== '' || sealedReason == null) return reason;
  const bytes = typeof sealedReason === 'string' ? Buffer.from(sealedReason, 'base64') : sealedReason;
  return cipher.decryptJson<string>(TABLE, accountId, bytes);
}
