import type { ParsedEmail } from './email-address.ts';
import { ROLE_LOCAL_PARTS } from './own-domains.ts';

/**
 * Whether a function, not a person, reads the mailbox. A tag does not make a person of a role: `billing+eu@` is read by
 * the readers of `billing@`.
 */
export function isRoleMailbox({ canonical }: Pick<ParsedEmail, 'canonical'>): boolean {
  const at = canonical.lastIndexOf('@');
  return at > 0 && ROLE_LOCAL_PARTS.has(canonical.slice(0, at));
}
