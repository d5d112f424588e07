import type { ParsedEmail } from './email-address.ts';
import { ROLE_LOCAL_PARTS } from './own-domains.ts';

/**
 * Whether the mailbox is that of a function, not a person. A tag does not change this: `billing+eu@` is read by the readers
 * of `billing@`.
 */
export function isRoleMailbox({ canonical }: Pick<ParsedEmail, 'canonical'>): boolean {
  const at = canonical.lastIndexOf('@');
  return at > 0 && ROLE_LOCAL_PARTS.has(canonical.slice(0, at));
}
