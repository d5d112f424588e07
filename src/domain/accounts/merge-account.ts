import { invalidInput } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../linking/identifier-kinds.ts';
import { isReadWithoutCountry } from '../linking/identifiers/phone-number.ts';
import type { PersonalFields } from './account.ts';
import { type AccountChanges, metadataTooLarge } from './account-input.ts';

const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The personal fields after a request: last write wins per field, metadata merges key by key. */
export function mergePersonal(stored: PersonalFields, changes: AccountChanges): PersonalFields {
  const metadata = given(changes.metadata) ? { ...stored.metadata, ...changes.metadata } : stored.metadata;
  if (metadataTooLarge(metadata)) {
    throw invalidInput(
      `metadata: must be at most ${LIMITS.metadataBytes / 1024} KB of JSON, stored keys included`,
      ['account', 'metadata'],
    );
  }
  return {
    email: changes.email ?? stored.email,
    phone: changes.phone ?? stored.phone,
    firstName: changes.firstName ?? stored.firstName,
    lastName: changes.lastName ?? stored.lastName,
    username: changes.username ?? stored.username,
    dateOfBirth: stored.dateOfBirth,
    documentDateOfBirth: stored.documentDateOfBirth,
    idNumbers: stored.idNumbers,
    metadata,
  };
}

/** The expected countries after a request: only a non-empty list replaces the stored one. */
export function mergeExpectedCountries(stored: readonly string[], changes: AccountChanges): string[] {
  const { expectedCountries } = changes;
  return expectedCountries && expectedCountries.length > 0 ? [...new Set(expectedCountries)] : [...stored];
}

/** The kinds of identifiers that follow from a field. */
const KINDS_OF = {
  email: ['email', 'role_email', 'placeholder_email', 'written_email', 'email_block', 'email_domain'],
  phone: ['phone', 'placeholder_phone'],
  username: ['username', 'placeholder_username'],
  firstName: ['name', 'first_name'],
  lastName: ['name'],
} as const satisfies Partial<Record<keyof AccountChanges, readonly IdentifierKind[]>>;
type IdentifyingField = keyof typeof KINDS_OF;
const IDENTIFYING_FIELDS = Object.keys(KINDS_OF) as IdentifyingField[];

function kindsOf(isConcerned: (field: IdentifyingField) => boolean): number[] {
  const kinds = IDENTIFYING_FIELDS.filter(isConcerned).flatMap(
    (field): readonly IdentifierKind[] => KINDS_OF[field],
  );
  return [...new Set(kinds)].map((kind) => IDENTIFIER_KINDS[kind]);
}

/** The kinds of identifiers whose values a request states anew. */
export function statedKinds(changes: AccountChanges): number[] {
  return kindsOf((field) => given(changes[field]) || (field === 'phone' && statesCountries(changes)));
}

type Matched = { readonly personal: PersonalFields; readonly expectedCountries: readonly string[] };

/** The kinds of identifiers whose fields a change gives another value. */
export function changedKinds(before: Matched, after: Matched): number[] {
  const hasMoved = before.expectedCountries.join() !== after.expectedCountries.join();
  return kindsOf(
    (field) => before.personal[field] !== after.personal[field] || (field === 'phone' && hasMoved),
  );
}

/**
 * Whether the identifiers of a request depend on the stored account: a number without a plus is read with the stored
 * country, a new country reads the stored number anew, and half a name needs its other half.
 */
export function dependsOnStored(changes: AccountChanges): boolean {
  const { phone } = changes;
  if (given(phone) && phone !== '' && !statesCountries(changes) && !isReadWithoutCountry(phone)) return true;
  if (!given(phone) && statesCountries(changes)) return true;
  return given(changes.firstName) !== given(changes.lastName);
}

function statesCountries({ expectedCountries }: AccountChanges): boolean {
  return given(expectedCountries) && expectedCountries.length > 0;
}

/** Whether a request states any personal field, so that the sealed blob must be written anew. */
export function statesPersonal(changes: AccountChanges): boolean {
  const { email, phone, firstName, lastName, username, metadata } = changes;
  return [email, phone, firstName, lastName, username, metadata].some(given);
}
