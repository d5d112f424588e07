import type { IdNumber } from './id-number.ts';
/** Date of birth and id numbers of a document's holder, for linking only. */
export type DocumentIdentity = {
  /** YYYY-MM-DD, '' if unknown. */
  readonly dateOfBirth: string;
  readonly idNumbers: readonly IdNumber[];
};
