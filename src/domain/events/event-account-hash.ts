import type { ProjectCipher } from '@vouchgraph/platform/crypto';

/**
 * Keyed hash of the client's id of an account. Events without an internal id of their account, because it was erased or does
 * not exist yet, are found by it: their payload is encrypted.
 */
export function eventAccountHash(cipher: Pick<ProjectCipher, 'blindIndex'>, accountId: string): Buffer {
  return cipher.blindIndex('event account', accountId);
}
