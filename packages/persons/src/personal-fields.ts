import type { IdNumber } from './id-number.ts';

/** The personal fields of an account, as they are compared; the gateway stores them encrypted. */
export type PersonalFields = {
  email: string;
  phone: string;
  firstName: string;
  lastName: string;
  username: string;
  /** YYYY-MM-DD, '' unknown. */
  dateOfBirth: string;
  /** Date of birth of the document of a bound check, for linking only; never shown as the account's. '' unknown. */
  documentDateOfBirth: string;
  /** Government and other id numbers: the keyed hash only; the value is never stored. */
  idNumbers: readonly IdNumber[];
  metadata: Record<string, unknown>;
};

export const NO_PERSONAL_FIELDS: PersonalFields = {
  email: '',
  phone: '',
  firstName: '',
  lastName: '',
  username: '',
  dateOfBirth: '',
  documentDateOfBirth: '',
  idNumbers: [],
  metadata: {},
};
