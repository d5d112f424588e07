import { mailboxKind, parseEmail, spellingOf } from '@vouchgraph/email';
import {
  birthDateBlocks,
  firstNameKey,
  isPlaceholderBirthDate,
  isPlaceholderName,
  isPlaceholderPhone,
  isPlaceholderUsername,
  knownName,
  nameKey,
  type PersonalFields,
  readPhone,
  usernameKey,
} from '@vouchgraph/persons';
import { BLOCKING_KEY_BYTES } from './blocking-keys.ts';
import { isMistypedEmail, nearEmailBlocks } from './email-blocks.ts';
import type { IdentifierKey } from './identifier-key.ts';
import { CONTACT_KINDS, IDENTIFIER_KINDS, type IdentifierKind, isBlockingKind } from './identifier-kinds.ts';

/** Computes the keyed hash of a value. Equal values of one kind and project have equal hashes. */
export type BlindIndex = (kind: string, value: string) => Buffer;

/**
 * Version of the rules that match accounts by their fields. Increase it by one when the result of `contactValues` changes
 * for any fields, or when a weight, threshold or cap of links changes, and add a migration with the partial index
 * `accounts_stale_match_keys_<version>`. Gateways then recompute the identifiers and links of all accounts of another version
 * (domain/accounts/match-key-service.ts). One new version per release is enough.
 */
export const MATCH_KEY_VERSION = 1;

type ContactFields = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'> &
  Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth' | 'idNumbers'>>;

type ContactValues = Record<(typeof CONTACT_KINDS)[number], string[]>;

/**
 * Normal forms of an account's fields, for matching, counting and search. An empty field has none. The value of an id number
 * is its keyed hash in base64, since the number itself is not stored.
 */
export function contactValues(
  fields: ContactFields,
  expectedCountries: readonly string[],
): Map<IdentifierKind, string[]> {
  const values: ContactValues = {
    ...emailValues(fields.email),
    ...phoneValues(fields.phone, expectedCountries),
    ...usernameValues(fields.username),
    ...nameValues(fields),
    ...birthDateValues(fields),
    id_number: (fields.idNumbers ?? []).map(({ hash }) => hash),
  };
  return new Map(CONTACT_KINDS.map((kind) => [kind, values[kind].filter((value) => value !== '')]));
}

type EmailKind =
  | 'email'
  | 'role_email'
  | 'placeholder_email'
  | 'written_email'
  | 'email_block'
  | 'email_domain';

function emailValues(text: string): Pick<ContactValues, EmailKind> {
  const email = text.trim() === '' ? null : parseEmail(text);
  const canonical = email?.canonical ?? '';
  const kind = mailboxKind({ canonical });
  const hasBlocks = kind === 'email' || (kind === 'placeholder_email' && isMistypedEmail(canonical));
  // The owner of a mailbox chooses its tags: different first names behind different tags can belong to one person.
  const isWritten = kind === 'email' && email !== null && !spellingOf(email).isTagged;
  return {
    ...{ email: [], role_email: [], placeholder_email: [] },
    [kind]: [canonical],
    written_email: isWritten ? [email.address.toLowerCase()] : [],
    email_block: hasBlocks ? nearEmailBlocks(canonical) : [],
    email_domain: email?.registrableDomain ? [email.registrableDomain] : [],
  };
}

function phoneValues(
  text: string,
  expectedCountries: readonly string[],
): Pick<ContactValues, 'phone' | 'placeholder_phone'> {
  const { valid, matchKey } = readPhone(text, expectedCountries);
  const isPlaceholder = !valid && isPlaceholderPhone(matchKey.replace('+', ''));
  return {
    phone: isPlaceholder ? [] : [matchKey],
    placeholder_phone: isPlaceholder ? [matchKey] : [],
  };
}

function usernameValues(text: string): Pick<ContactValues, 'username' | 'placeholder_username'> {
  const key = usernameKey(text);
  const isPlaceholder = isPlaceholderUsername(key);
  return { username: isPlaceholder ? [] : [key], placeholder_username: isPlaceholder ? [key] : [] };
}

/** A listed word that can be a real name is a placeholder only when the other part is listed too. */
function nameValues(fields: ContactFields): Pick<ContactValues, 'name' | 'first_name'> {
  const { firstName, lastName } = knownName(fields);
  return {
    name: [nameKey(firstName, lastName)],
    first_name: isPlaceholderName(firstName) ? [] : [firstNameKey(firstName)],
  };
}

function birthDateValues(fields: ContactFields): Pick<ContactValues, 'birth_date' | 'birth_block'> {
  const date = birthDateOf(fields);
  return { birth_date: [date], birth_block: date === '' ? [] : birthDateBlocks(date) };
}

/** Date of birth that links an account: the client's value, otherwise that of a document. '' for a placeholder. */
export function birthDateOf({
  dateOfBirth = '',
  documentDateOfBirth = '',
}: Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth'>>): string {
  const date = dateOfBirth || documentDateOfBirth;
  return isPlaceholderBirthDate(date) ? '' : date;
}

/** Identifiers derived from an account's fields. */
export function contactIdentifiers(
  fields: ContactFields,
  expectedCountries: readonly string[],
  blindIndex: BlindIndex,
): IdentifierKey[] {
  const keys: IdentifierKey[] = [];
  for (const [kind, values] of contactValues(fields, expectedCountries)) {
    for (const value of new Set(values)) {
      const number = IDENTIFIER_KINDS[kind];
      const hash = kind === 'id_number' ? Buffer.from(value, 'base64') : blindIndex(kind, value);
      keys.push({ kind: number, hash: isBlockingKind(number) ? hash.subarray(0, BLOCKING_KEY_BYTES) : hash });
    }
  }
  return keys;
}

/** Identifiers derived from a session. */
export function sessionIdentifiers(session: {
  browser_hash: Buffer | null;
  device_hash: Buffer | null;
  network_hash: Buffer | null;
  compared_subnet_hash: Buffer | null;
  device_part_hashes: readonly Buffer[];
}): IdentifierKey[] {
  const found: [kind: number, hash: Buffer | null][] = [
    [IDENTIFIER_KINDS.browser, session.browser_hash],
    [IDENTIFIER_KINDS.device, session.device_hash],
    [IDENTIFIER_KINDS.network, session.network_hash],
    [IDENTIFIER_KINDS.subnet, session.compared_subnet_hash],
    ...session.device_part_hashes.map((hash): [number, Buffer] => [IDENTIFIER_KINDS.device_part, hash]),
  ];
  return found.flatMap(([kind, hash]) => (hash === null ? [] : [{ kind, hash }]));
}
