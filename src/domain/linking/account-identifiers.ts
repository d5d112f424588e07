import type { PersonalFields } from '../accounts/account.ts';
import { CONTACT_KINDS, IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';
import { nearEmailBlocks, parseEmail } from './identifiers/email-address.ts';
import { nameKey } from './identifiers/person-name.ts';
import { readPhone } from './identifiers/phone-number.ts';
import { usernameKey } from './identifiers/username.ts';

/** An identifier as it is stored: its kind's number and the keyed hash of its normal form. */
export type IdentifierKey = { readonly kind: number; readonly hash: Buffer };

/** Makes the keyed hash of a value; equal values of one kind and project have equal hashes. */
export type BlindIndex = (kind: string, value: string) => Buffer;

/**
 * Version of the rules by which accounts are matched by their fields. Increase it by one when `contactValues` returns
 * something else for any fields, or when a weight, threshold or cap of pair-score.ts changes, and add a migration with
 * the partial index `accounts_match_keys_before_<version>`. Gateways then rewrite the identifiers and links of all accounts of
 * earlier versions (domain/accounts/match-key-service.ts). Once in a release is enough.
 *
 * 2: phone numbers that no numbering plan assigns by their parsed number; national readings by their likelihood.
 */
export const MATCH_KEY_VERSION = 2;

type ContactFields = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'>;

/** The normal forms that an account's fields are matched by; a field that is empty has none. */
export function contactValues(
  fields: ContactFields,
  expectedCountries: readonly string[],
): Map<IdentifierKind, string[]> {
  const email = fields.email ? parseEmail(fields.email) : null;
  const phone = fields.phone ? readPhone(fields.phone, expectedCountries).matchKey : '';
  const values: Record<(typeof CONTACT_KINDS)[number], string[]> = {
    email: email ? [email.canonical] : [],
    phone: [phone],
    username: [fields.username ? usernameKey(fields.username) : ''],
    name: [nameKey(fields.firstName, fields.lastName)],
    email_block: email ? nearEmailBlocks(fields.email) : [],
    email_domain: email?.registrableDomain ? [email.registrableDomain] : [],
  };
  return new Map(CONTACT_KINDS.map((kind) => [kind, values[kind].filter((value) => value !== '')]));
}

/** The identifiers that follow from an account's fields. */
export function contactIdentifiers(
  fields: ContactFields,
  expectedCountries: readonly string[],
  blindIndex: BlindIndex,
): IdentifierKey[] {
  const keys: IdentifierKey[] = [];
  for (const [kind, values] of contactValues(fields, expectedCountries)) {
    for (const value of values) keys.push({ kind: IDENTIFIER_KINDS[kind], hash: blindIndex(kind, value) });
  }
  return keys;
}

/** The identifiers that an account gets from a session. */
export function sessionIdentifiers(session: {
  browser_hash: Buffer | null;
  device_hash: Buffer | null;
  network_hash: Buffer | null;
  neighbourhood_hash: Buffer | null;
  device_part_hashes: readonly Buffer[];
}): IdentifierKey[] {
  const found: [kind: number, hash: Buffer | null][] = [
    [IDENTIFIER_KINDS.browser, session.browser_hash],
    [IDENTIFIER_KINDS.device, session.device_hash],
    [IDENTIFIER_KINDS.network, session.network_hash],
    [IDENTIFIER_KINDS.neighbourhood, session.neighbourhood_hash],
    ...session.device_part_hashes.map((hash): [number, Buffer] => [IDENTIFIER_KINDS.device_part, hash]),
  ];
  return found.flatMap(([kind, hash]) => (hash === null ? [] : [{ kind, hash }]));
}
