import { type AccountExport, orderBy } from '../model/account-export-store.ts';
import { decryptReason } from './member-reason.ts';

/** Memberships with their reasons, also one that waits for an account of the id, and lists that rules may not add it to. */
export const listsExports: readonly AccountExport[] = [
  {
    section: 'list_memberships',
    columns: ['list_members.account_id'],
    select: 'm.list_id, l.name, m.encrypted_reason, m.actor, m.source, m.added_at, m.expires_at',
    from: `list_members m join lists l on l.project_id = $1 and l.list_id = m.list_id
           where m.project_id = $1 and m.account_id = $2`,
    order: [orderBy('m.list_id', 'uuid')],
    record: (row, { project, accountId }) => ({
      list: row.name,
      reason: decryptReason(project.cipher, accountId, row.encrypted_reason) || null,
      actor: row.actor,
      source: row.source,
      addedAt: row.added_at,
      expiresAt: row.expires_at,
    }),
  },
  {
    section: 'list_keep_offs',
    columns: ['list_keep_offs.account_id'],
    select: 'k.list_id, l.name, k.actor, k.since',
    from: `list_keep_offs k join lists l on l.project_id = $1 and l.list_id = k.list_id
           where k.project_id = $1 and k.account_id = $2`,
    order: [orderBy('k.list_id', 'uuid')],
    record: (row) => ({ list: row.name, actor: row.actor, since: row.since }),
  },
  {
    section: 'pending_list_memberships',
    columns: ['pending_list_members.account_id'],
    select: 'p.list_id, l.name, p.encrypted_reason, p.actor, p.source, p.created_at, p.expires_at',
    from: `pending_list_members p join lists l on l.project_id = $1 and l.list_id = p.list_id
           where p.project_id = $1 and $2::uuid is not null and p.account_id = $3`,
    values: ({ accountId }) => [accountId],
    order: [orderBy('p.list_id', 'uuid')],
    record: (row, { project, accountId }) => ({
      list: row.name,
      reason: decryptReason(project.cipher, accountId, row.encrypted_reason) || null,
      actor: row.actor,
      source: row.source,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
  },
];
