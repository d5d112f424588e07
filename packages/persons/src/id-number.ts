import { isPlaceholderIdNumber } from './placeholders.ts';

/** Types of id numbers. They are stored and part of the keyed hash: never rename one, only add. */
export const ID_NUMBER_TYPES = [
  'passport',
  'driver_license',
  'national_id',
  'residence_permit',
  'tax_id',
  'social_security',
  'other',
] as const;
export type IdNumberType = (typeof ID_NUMBER_TYPES)[number];

/** An id number before it is hashed. */
export type IdNumberInput = {
  readonly type: IdNumberType;
  /** ISO 3166-1 alpha-2 code of the issuer in any case; null, absent and '': unknown. */
  readonly country?: string | null;
  readonly value: string;
};

/** A stored id number of an account. */
export type IdNumber = {
  readonly type: IdNumberType;
  /** ISO 3166-1 alpha-2 code of the issuer; '': unknown. */
  readonly country: string;
  /** Blind index of kind `id_number` of `idNumberKey`, in base64; '' for a placeholder, which matches nothing. */
  readonly hash: string;
  /** Whether the number is from a document of a verification: it links like a number of the client, but is not returned. */
  readonly fromDocument?: true;
};

/** The stored form of the issuer's country. */
export function issuerOf({ country }: Pick<IdNumberInput, 'country'>): string {
  return (country ?? '').toUpperCase();
}

/** Letters and digits of a number in upper case, without separators and white space. */
export function idNumberDigits(value: string): string {
  return value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The hashed normal form: type, issuing country and number. '' for a placeholder and for a value without letters and digits.
 * Numbers of different types or countries are different.
 */
export function idNumberKey(idNumber: IdNumberInput): string {
  const digits = idNumberDigits(idNumber.value);
  return digits === '' || isPlaceholderIdNumber(digits)
    ? ''
    : `${idNumber.type} ${issuerOf(idNumber)} ${digits}`;
}
