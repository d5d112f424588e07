import { type AccountExport, orderBy } from '../model/account-export-store.ts';
import { REVEALS_TABLE } from './reveal.ts';

/** Reveals of the account, and of its sessions, verifications and email checks: who saw its data, when and why. */
export const revealsExports: readonly AccountExport[] = [
  {
    section: 'reveals',
    columns: [],
    select: 'r.reveal_id, r.person_id, r.subject_kind, r.subject_id, r.reason, r.created_at, r.expires_at',
    from: `reveals r where r.project_id = $1 and r.subject_id = any(array(
             select $2::uuid
             union
             select b.session_id from account_sessions b where b.project_id = $1 and b.account_id = $2
             union
             select v.session_id from verification_sessions v
             where v.project_id = $1 and (v.bound_account_id = $2 or v.account_id = $3)
             union
             select c.check_id from email_checks c where c.project_id = $1 and c.account_id = $2
             union
             select c.check_id from email_checks c
             where c.project_id = $1 and c.address_hash = any($4::bytea[]) and c.account_id is null
           ))`,
    values: ({ accountId, addressHashes }) => [accountId, addressHashes],
    order: [orderBy('r.reveal_id', 'uuid')],
    record: (row, { project }) => ({
      revealId: row.reveal_id,
      personId: row.person_id,
      subject: row.subject_kind,
      // The internal id of the account is meaningless outside the gateway.
      subjectId: row.subject_kind === 'account' ? null : row.subject_id,
      reason: project.cipher.decryptJson<string>(REVEALS_TABLE, row.reveal_id, row.reason),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
  },
];
