import { ENCRYPTION_HEADER_BYTES } from '@vouchgraph/platform/crypto';
import { RecentCache } from '@vouchgraph/platform/recent-cache';
import type { IdNumber } from '../identifiers/id-number.ts';
import type { Project } from '../projects/project.ts';
import type { AccountRow } from './account-row.ts';

/** The personal fields of an account, stored encrypted. */
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

/**
 * Decrypted fields by project, row, and the IV and tag of the ciphertext, which are unique: a changed ciphertext, or one copied
 * from another row, is decrypted again. Shared between requests, so never written to.
 */
const decryptedPersonal = new RecentCache<PersonalFields>({ seconds: 60, entries: 100_000 });

export function decryptPersonal(project: Project, row: Pick<AccountRow, 'id' | 'personal'>): PersonalFields {
  const { buffer, byteOffset } = row.personal;
  const ivAndTag = Buffer.from(
    buffer,
    byteOffset,
    Math.min(row.personal.length, ENCRYPTION_HEADER_BYTES),
  ).toString('latin1');
  return decryptedPersonal.get(`${project.projectId}${row.id}${ivAndTag}`, () =>
    project.cipher.decryptExactJson<PersonalFields>('accounts', row.id, row.personal),
  );
}
