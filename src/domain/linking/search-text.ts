import { IDENTIFIER_KINDS, type IdentifierKind } from '../identifiers/identifier-kinds.ts';
import { nameWords } from '../identifiers/person-name.ts';
import { type BlindIndex, contactValues, type IdentifierKey } from './account-identifiers.ts';

/** Kinds by which one text finds accounts. */
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

/** Digits with separators: letters of another text would be left out of its number. */
const PHONE = /^\+?[\d\s().\-/]+$/;

/**
 * The keyed hashes of what one text can be: an email, a phone number with country code, a username, or a first and a last name in
 * either order. Empty when it can be none of them.
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
