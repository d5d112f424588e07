import type { ProjectCipher } from '@vouchgraph/platform/crypto';

/** Number of characters of an account hash in the lists of an audit entry. */
const SHORT_HASH_LENGTH = 16;

/** Reference to an account in audit entries: a keyed hash of its id, whole as a target, and shortened in lists. */
export function accountHash(cipher: ProjectCipher, accountId: string): { whole: string; short: string } {
  const whole = cipher.blindIndex('audit account', accountId).toString('hex');
  return { whole, short: whole.slice(0, SHORT_HASH_LENGTH) };
}
