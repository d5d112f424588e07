import { identifierKey } from '../identifiers/identifier-key.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { MIN_NAMES_OF_SHARED_MAILBOX } from './link-weights.ts';

/*
 * A mailbox whose holders have four different first names is read by several people. Only names of accounts that wrote
 * the address alike and without a tag are counted together: tags and other spellings are made by one owner, whose
 * invented names say nothing of how many people read the mailbox.
 */

/** First names among the other accounts that hold an email, of those that wrote it alike. All are keyed hashes. */
export type MailboxNames = {
  readonly email: Buffer;
  readonly written: Buffer;
  /** Different ones, at most MIN_NAMES_OF_SHARED_MAILBOX. */
  readonly names: readonly Buffer[];
};

type Held = { readonly kind: number; readonly hash: Buffer };

/** The keys of emails that are shared mailboxes when an account holds `held` besides the others. */
export function sharedMailboxes(
  held: readonly Held[],
  mailboxes: readonly MailboxNames[],
): ReadonlySet<string> {
  const hashOf = (kind: number) => held.find((one) => one.kind === kind)?.hash;
  const [email, written, name] = [
    hashOf(IDENTIFIER_KINDS.email),
    hashOf(IDENTIFIER_KINDS.written_email),
    hashOf(IDENTIFIER_KINDS.first_name),
  ];
  const shared = new Set<string>();
  for (const mailbox of mailboxes) {
    const isOwn = email?.equals(mailbox.email) && written?.equals(mailbox.written);
    const isNew = isOwn && name !== undefined && !mailbox.names.some((one) => one.equals(name));
    if (mailbox.names.length + (isNew ? 1 : 0) >= MIN_NAMES_OF_SHARED_MAILBOX)
      shared.add(identifierKey(IDENTIFIER_KINDS.email, mailbox.email));
  }
  return shared;
}
