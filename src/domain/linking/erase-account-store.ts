import { IDENTIFIER_LIST, readBlockingKeys } from '@vouchgraph/linking';
import type { Call, Statement } from '../../storage/database.ts';
import { type AccountErasure, deleteOfAccount, type ErasedAccount } from '../model/account-erasure-store.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';

/** Enqueues a recalculation of each identifier that at least two other accounts still share. */
const ENQUEUE_IDENTIFIERS: Statement = {
  name: 'link.enqueue_left_by_account',
  text: `insert into link_recalculations (project_id, recalculation_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), i.kind, i.value_hash, i.account_group from identifiers i
         where i.project_id = $1 and i.account_id = $2 and i.kind in (${IDENTIFIER_LIST}) and exists (
           select 1 from identifiers o
           where o.project_id = $1 and o.kind = i.kind and o.value_hash = i.value_hash
             and o.account_group = i.account_group
           offset 2
         )`,
};

/**
 * Removes the account from its identity group and enqueues a recalculation of the group. The group id comes from the deleted
 * row, because a concurrent recalculation can move the account to another group before; one that moves it afterwards finds
 * the enqueued row of the account. Accounts below it in the group's tree lose their parent, so the whole group is read again.
 */
const LEAVE_IDENTITY: Statement = {
  name: 'identity.leave',
  text: `with deleted as (
           delete from identity_members where project_id = $1 and account_id = $2 returning group_id
         ), displaced as (
           update identity_members set parent_id = null where project_id = $1 and parent_id = $2 and account_id <> $2
         )
         insert into identity_recalculations (project_id, recalculation_id, account_id, group_id)
         select $1, gen_random_uuid(), $2, (select group_id from deleted)`,
};

/** Deletes both directions of every link. The rows of linked accounts are found through the account's own rows. */
const DELETE_LINKS: Statement = {
  name: 'link.delete_of_account',
  text: `with own as (
           delete from links where project_id = $1 and account_id = $2 returning linked_account_id
         ), flagged as (
           ${flagStandings('select linked_account_id as account_id from own')}
         )
         delete from links l using own
         where l.project_id = $1 and l.account_id = own.linked_account_id and l.linked_account_id = $2`,
};

/** Deletes the blocking keys, and enqueues a recalculation of each that at least two other accounts still share. */
const DELETE_BLOCKING_KEYS: Statement = {
  name: 'blocking_key.delete_of_account',
  text: `with gone as (
           delete from blocking_keys b using unnest($3::smallint[], $4::bytea[]) as k (kind, value_hash)
           where b.project_id = $1 and b.kind = k.kind and b.value_hash = k.value_hash and b.account_group = $5
             and b.account_id = $2
           returning b.kind, b.value_hash, b.account_group
         )
         insert into link_recalculations (project_id, recalculation_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), g.kind, g.value_hash, g.account_group from gone g
         where exists (
           select 1 from blocking_keys o
           where o.project_id = $1 and o.kind = g.kind and o.value_hash = g.value_hash and o.account_group = g.account_group
           offset 2
         )`,
};

function deleteBlockingKeysCall({ projectId, id, blockingKeys, group }: ErasedAccount): Call {
  const keys = readBlockingKeys(blockingKeys);
  return [
    DELETE_BLOCKING_KEYS,
    [projectId, id, keys.map(({ kind }) => kind), keys.map(({ hash }) => hash), group],
  ];
}

const deleteIdentifiers = deleteOfAccount('identifiers');

/** Erases identifiers, links and the identity, and enqueues recalculations for the remaining accounts. */
export const linkingErasure: AccountErasure = {
  deletes: (account) => {
    const own = [account.projectId, account.id];
    return [
      [ENQUEUE_IDENTIFIERS, own],
      [LEAVE_IDENTITY, own],
      [DELETE_LINKS, own],
      deleteIdentifiers(account),
      deleteBlockingKeysCall(account),
    ];
  },
};
