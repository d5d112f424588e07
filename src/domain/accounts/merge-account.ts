import { invalidInput } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import { IDENTIFIER_KINDS } from '../linking/identifier-kinds.ts';
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
    metadata,
  };
}

/** The expected countries after a request: only a non-empty list replaces the stored one. */
export function mergeExpectedCountries(stored: readonly string[], changes: AccountChanges): string[] {
  const { expectedCountries } = changes;
  return expectedCountries && expectedCountries.length > 0 ? [...new Set(expectedCountries)] : [...stored];
}

/** The kinds of identifiers whose values a request states anew. */
export function statedKinds(changes: AccountChanges): number[] {
  const kinds: number[] = [];
  if (given(changes.email)) {
    kinds.push(IDENTIFIER_KINDS.email, IDENTIFIER_KINDS.email_block, IDENTIFIER_KINDS.email_domain);
  }
  if (given(changes.phone) || statesCountries(changes)) kinds.push(IDENTIFIER_KINDS.phone);
  if (given(changes.username)) kinds.push(IDENTIFIER_KINDS.username);
  if (given(changes.firstName) || given(changes.lastName)) kinds.push(IDENTIFIER_KINDS.name);
  return kinds;
}

/**
 * Whether the identifiers of a request cannot be told without the stored account: a national number is read with the
 * stored country, a new country reads the stored number anew, and half a name needs its other half.
 */
export function dependsOnStored(changes: AccountChanges): boolean {
  const { phone } = changes;
  if (given(phone) && phone !== '' && !/^\s*(\+|00|tel:\+)/.test(phone) && !statesCountries(changes))
    return true;
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
