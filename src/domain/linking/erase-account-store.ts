import type { Statement } from '../../storage/database.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { type AccountErasure, deleteOfAccount } from '../model/account-erasure-store.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';
import { LINKING_KINDS } from './link-weights.ts';

const LINKING_NUMBERS = LINKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** The crowds that it leaves, where two others remain at least, are looked at again afterwards. */
const MARK_CROWDS: Statement = {
  name: 'link.mark_left_by_account',
  text: `insert into link_rescores (project_id, mark_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), i.kind, i.value_hash, i.account_group from identifiers i
         where i.project_id = $1 and i.account_id = $2 and i.kind = any($3::smallint[]) and exists (
           select 1 from identifiers o
           where o.project_id = $1 and o.kind = i.kind and o.value_hash = i.value_hash
             and o.account_group = i.account_group
           offset 2
         )`,
};

/**
 * The identity that it leaves is looked at again, told by the deletion itself: it may be moved to another one until
 * then. Who moves it after that finds the mark of the account. Accounts below it in the group's tree lose their place, so
 * that all of the group is read.
 */
const LEAVE_IDENTITY: Statement = {
  name: 'identity.leave',
  text: `with gone as (
           delete from identity_members where project_id = $1 and account_id = $2 returning group_id
         ), displaced as (
           update identity_members set parent_id = null where project_id = $1 and parent_id = $2 and account_id <> $2
         )
         insert into identity_marks (project_id, mark_id, account_id, group_id)
         select $1, gen_random_uuid(), $2, (select group_id from gone)`,
};

/** Both directions of every link: the other's rows are found through one's own. */
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

const deleteIdentifiers = deleteOfAccount('identifiers');

/** Identifiers, links and the identity, with what is to be recalculated among the accounts that remain. */
export const linkingErasure: AccountErasure = {
  deletes: (account) => {
    const own = [account.projectId, account.id];
    return [
      [MARK_CROWDS, [...own, LINKING_NUMBERS]],
      [LEAVE_IDENTITY, own],
      [DELETE_LINKS, own],
      deleteIdentifiers(account),
    ];
  },
};
