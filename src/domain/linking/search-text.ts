import {
  type BlindIndex,
  contactValues,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  type IdentifierKind,
} from '@vouchgraph/linking';
import { nameWords } from '@vouchgraph/persons';

/** Kinds that a text search matches. */
const SEARCHED: readonly IdentifierKind[] = [
  'email',
  'role_email',
  'placeholder_email',
  'phone',
  'placeholder_phone',
  'username',
  'placeholder_username',
  'name',
];

/** Digits with separators. A text with letters is not parsed as a phone number, because the parser would skip them. */
const PHONE = /^\+?[\d\s().\-/]+$/;

/**
 * Keyed hashes of a search text, read as an email, a phone number with country code, a username, or a first and last name in
 * either order. Empty when it is none of them.
 */
export function searchIdentifiers(text: string, blindIndex: BlindIndex): IdentifierKey[] {
  const [firstName = '', ...others] = nameWords(text);
  const fields = {
    email: text.includes('@') ? text : '',
    phone: PHONE.test(text.trim()) ? text : '',
    username: text,
    firstName,
    lastName: others.join(' '),
  };
  const values = contactValues(fields, []);
  return SEARCHED.flatMap((kind) =>
    (values.get(kind) ?? []).map((value) => ({
      kind: IDENTIFIER_KINDS[kind],
      hash: blindIndex(kind, value),
    })),
  );
}
