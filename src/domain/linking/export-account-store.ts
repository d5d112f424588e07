import { kindOfNumber, matchTypesOf, unpackBlockingKeys } from '@vouchgraph/linking';
import { accountHash } from '../audit/account-hash.ts';
import { type AccountExport, hexOf, orderBy } from '../model/account-export-store.ts';

/** Identifiers, links and the identity group. Other accounts are shown by their pseudonym in the audit log. */
export const linkingExports: readonly AccountExport[] = [
  {
    section: 'identifiers',
    columns: ['identifiers.account_id', 'blocking_keys.account_id'],
    select: 'i.kind, i.value_hash, i.first_seen, i.last_seen, i.uses',
    from: `(
             select kind, value_hash, first_seen, last_seen, uses from identifiers where project_id = $1 and account_id = $2
             union all
             select k.kind, k.value_hash, null, null, null
             from accounts a cross join lateral (${unpackBlockingKeys('a.blocking_keys')}) k where a.project_id = $1 and a.id = $2
           ) i where true`,
    order: [orderBy('i.kind', 'smallint'), orderBy('i.value_hash', 'bytea')],
    record: (row) => ({
      kind: kindOfNumber(row.kind),
      keyedHash: hexOf(row.value_hash),
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
      uses: row.uses,
    }),
  },
  {
    section: 'links',
    columns: ['links.account_id', 'links.linked_account_id'],
    select: 'l.linked_account_id, o.account_id as other, l.score, l.kinds, l.first_seen, l.last_seen',
    from: `links l left join accounts o on o.project_id = $1 and o.id = l.linked_account_id
           where l.project_id = $1 and l.account_id = $2`,
    order: [orderBy('l.linked_account_id', 'uuid')],
    record: (row, { project }) => ({
      linkedAccount: row.other === null ? null : accountHash(project.cipher, row.other).short,
      score: row.score,
      matchTypes: matchTypesOf(row.kinds),
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
    }),
  },
  {
    section: 'identity_groups',
    columns: ['identity_members.account_id'],
    select: 'm.group_id, m.joined_at',
    from: 'identity_members m where m.project_id = $1 and m.account_id = $2',
    order: [orderBy('m.group_id', 'uuid')],
    record: (row) => ({ groupId: row.group_id, joinedAt: row.joined_at }),
  },
];
