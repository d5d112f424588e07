import { isPlaceholderIdNumber } from './placeholders.ts';

/** Kinds of id numbers that an account may have. Stored and part of the keyed hash: never rename one, only add. */
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

/** A number as it is given, before it is hashed. */
export type StatedIdNumber = {
  readonly type: IdNumberType;
  /** ISO 3166-1 alpha-2 of the issuer in any case; null, absent and '' unknown. */
  readonly country?: string | null;
  readonly value: string;
};

/** A number as an account keeps it. */
export type IdNumber = {
  readonly type: IdNumberType;
  /** ISO 3166-1 alpha-2 of the issuer, '' unknown. */
  readonly country: string;
  /** The blind index of kind `id_number` of `idNumberKey` in base64; '' of a placeholder, which matches nothing. */
  readonly hash: string;
  /** Of the document of a bound check: it links like a stated number, and is not shown as one of the account. */
  readonly fromDocument?: true;
};

/** The issuer's country as it is stored. */
export function issuerOf({ country }: Pick<StatedIdNumber, 'country'>): string {
  return (country ?? '').toUpperCase();
}

/** The letters and digits of a number in upper case: separators and white space carry no information. */
export function idNumberDigits(value: string): string {
  return value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The normal form that is hashed: type, issuing country and number. '' for a placeholder and for a value without letters
 * and digits. Numbers of different types or countries are different numbers.
 */
export function idNumberKey(stated: StatedIdNumber): string {
  const digits = idNumberDigits(stated.value);
  return digits === '' || isPlaceholderIdNumber(digits) ? '' : `${stated.type} ${issuerOf(stated)} ${digits}`;
}
