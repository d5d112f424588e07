import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { ParsedEmail } from '../email-address.ts';

/** Keyed hash of a mailbox: all spellings of one mailbox have the same. Text that is no address has a hash, too. */
export function addressHashOf(cipher: ProjectCipher, { canonical }: Pick<ParsedEmail, 'canonical'>): Buffer {
  return cipher.blindIndex('email_check', canonical);
}
