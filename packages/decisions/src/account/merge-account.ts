import { type BlindIndex, IDENTIFIER_KINDS, type IdentifierKind } from '@vouchgraph/linking';
import {
  type DocumentIdentity,
  type IdNumber,
  type IdNumberInput,
  idNumberKey,
  isReadWithoutCountry,
  issuerOf,
  type PersonalFields,
} from '@vouchgraph/persons';
import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { type AccountChanges, metadataTooLarge } from './account-input.ts';

const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** Inputs of a merge besides the stored fields. */
export type MergeContext = {
  readonly blindIndex: BlindIndex;
  /** Document of the bound session's verification; null without one. */
  readonly document: DocumentIdentity | null;
};

/** The personal fields after a request: last write wins per field, metadata merges key by key. */
export function mergePersonal(
  stored: PersonalFields,
  changes: AccountChanges,
  { blindIndex, document }: MergeContext,
): PersonalFields {
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
    dateOfBirth: changes.dateOfBirth ?? stored.dateOfBirth,
    documentDateOfBirth: document?.dateOfBirth || stored.documentDateOfBirth,
    idNumbers: mergeIdNumbers(stored.idNumbers, changes.identifiers, { blindIndex, document }),
    metadata,
  };
}

/** Id numbers of the client replace all earlier ones of the client. Numbers of documents are kept, newest first. */
function mergeIdNumbers(
  stored: readonly IdNumber[],
  identifiers: AccountChanges['identifiers'],
  { blindIndex, document }: MergeContext,
): IdNumber[] {
  const own = given(identifiers)
    ? identifiers.map((number) => hashedIdNumber(number, blindIndex))
    : stored.filter(({ fromDocument }) => !fromDocument);
  const found = [...(document?.idNumbers ?? []), ...stored.filter(({ fromDocument }) => fromDocument)];
  return [...unique(own), ...unique(found).slice(0, LIMITS.idNumbers)];
}

function unique(numbers: readonly IdNumber[]): IdNumber[] {
  return [...new Map(numbers.map((number) => [idNumberText(number), number])).values()];
}

const idNumberText = ({ type, country, hash }: IdNumber) => `${type} ${country} ${hash}`;

/** An id number with a keyed hash instead of its value; '' for a placeholder. */
export function hashedIdNumber(idNumber: IdNumberInput, blindIndex: BlindIndex): IdNumber {
  const key = idNumberKey(idNumber);
  const hash = key === '' ? '' : blindIndex('id_number', key).toString('base64');
  return { type: idNumber.type, country: issuerOf(idNumber), hash };
}

/** The expected countries after a request: only a non-empty list replaces the stored one. */
export function mergeExpectedCountries(stored: readonly string[], changes: AccountChanges): string[] {
  const { expectedCountries } = changes;
  return expectedCountries && expectedCountries.length > 0 ? [...new Set(expectedCountries)] : [...stored];
}

/** Kinds of identifiers derived from each field. */
const KINDS_OF = {
  email: ['email', 'role_email', 'placeholder_email', 'written_email', 'email_block', 'email_domain'],
  phone: ['phone', 'placeholder_phone'],
  username: ['username', 'placeholder_username'],
  firstName: ['name', 'first_name'],
  lastName: ['name'],
  dateOfBirth: ['birth_date', 'birth_block'],
  idNumbers: ['id_number'],
} as const satisfies Partial<Record<keyof PersonalFields, readonly IdentifierKind[]>>;
type IdentifyingField = keyof typeof KINDS_OF;
const IDENTIFYING_FIELDS = Object.keys(KINDS_OF) as IdentifyingField[];

function kindsOf(isConcerned: (field: IdentifyingField) => boolean): number[] {
  const kinds = IDENTIFYING_FIELDS.filter(isConcerned).flatMap(
    (field): readonly IdentifierKind[] => KINDS_OF[field],
  );
  return [...new Set(kinds)].map((kind) => IDENTIFIER_KINDS[kind]);
}

/** Kinds of identifiers whose fields are set by a request or by the document of its verification. */
export function requestedKinds(changes: AccountChanges, document: DocumentIdentity | null): number[] {
  return kindsOf((field) => isRequested(field, changes, document));
}

function isRequested(
  field: IdentifyingField,
  changes: AccountChanges,
  document: DocumentIdentity | null,
): boolean {
  if (field === 'dateOfBirth') return given(changes.dateOfBirth) || Boolean(document?.dateOfBirth);
  if (field === 'idNumbers') return given(changes.identifiers) || Boolean(document?.idNumbers.length);
  return given(changes[field]) || (field === 'phone' && changesCountries(changes));
}

type Matched = { readonly personal: PersonalFields; readonly expectedCountries: readonly string[] };

/** Kinds of identifiers whose fields change. */
export function changedKinds(before: Matched, after: Matched): number[] {
  const hasMoved = before.expectedCountries.join() !== after.expectedCountries.join();
  return kindsOf(
    (field) =>
      matchedText(before.personal, field) !== matchedText(after.personal, field) ||
      (field === 'phone' && hasMoved),
  );
}

/** Value by which a field is matched. */
function matchedText(personal: PersonalFields, field: IdentifyingField): string {
  if (field === 'dateOfBirth') return personal.dateOfBirth || personal.documentDateOfBirth;
  return field === 'idNumbers' ? personal.idNumbers.map(idNumberText).join() : personal[field];
}

/**
 * Whether the identifiers of a request depend on the stored account: a phone without a plus is parsed with the stored country,
 * a new country changes the parsed stored phone, one part of a name needs the other part, and stored data of documents is
 * combined with id numbers and the date of birth.
 */
export function dependsOnStored(changes: AccountChanges, document: DocumentIdentity | null): boolean {
  const { phone, dateOfBirth, identifiers } = changes;
  if (document || given(identifiers) || dateOfBirth === '') return true;
  if (given(phone) && phone !== '' && !changesCountries(changes) && !isReadWithoutCountry(phone)) return true;
  if (!given(phone) && changesCountries(changes)) return true;
  return given(changes.firstName) !== given(changes.lastName);
}

function changesCountries({ expectedCountries }: AccountChanges): boolean {
  return given(expectedCountries) && expectedCountries.length > 0;
}
