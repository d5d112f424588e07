import type { PersonalFields } from '@vouchgraph/persons';
import { ENCRYPTION_HEADER_BYTES } from '@vouchgraph/platform/crypto';
import { RecentCache } from '@vouchgraph/platform/recent-cache';
import type { Project } from '../projects/project.ts';
import type { AccountRow } from './account-row.ts';

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
