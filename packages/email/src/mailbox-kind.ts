import { isPlaceholderEmail } from '@vouchgraph/persons';
import type { ParsedEmail } from './email-address.ts';
import { isRoleMailbox } from './role-mailbox.ts';

/** Kind of the identifier that a mailbox is stored as. A placeholder links no accounts. */
export function mailboxKind(
  email: Pick<ParsedEmail, 'canonical'>,
): 'email' | 'role_email' | 'placeholder_email' {
  if (isPlaceholderEmail(email.canonical)) return 'placeholder_email';
  return isRoleMailbox(email) ? 'role_email' : 'email';
}
