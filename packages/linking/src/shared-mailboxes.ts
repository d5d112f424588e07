import { identifierKey } from './identifier-key.ts';
import { IDENTIFIER_KINDS } from './identifier-kinds.ts';
import { MIN_NAMES_OF_SHARED_MAILBOX } from './link-weights.ts';

/*
 * A mailbox whose accounts have four different first names is read by several people. Only names of accounts with the same
 * spelling of the address, without a tag, are counted together: one owner can create any number of tags and spellings with
 * invented names.
 */

/** First names of the other accounts with the same spelling of an email, as keyed hashes. */
export type MailboxNames = {
  readonly email: Buffer;
  readonly written: Buffer;
  /** Different names, at most MIN_NAMES_OF_SHARED_MAILBOX. */
  readonly names: readonly Buffer[];
};

type Identifier = { readonly kind: number; readonly hash: Buffer };

/** Keys of the emails that are shared mailboxes, given the identifiers of an account and the names of the others. */
export function sharedMailboxes(
  identifiers: readonly Identifier[],
  mailboxes: readonly MailboxNames[],
): ReadonlySet<string> {
  const hashOf = (kind: number) => identifiers.find((one) => one.kind === kind)?.hash;
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
