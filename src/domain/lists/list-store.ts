import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';

export type ListEffectName = 'none' | 'block' | 'allow';

/** A list as it is stored; when it came as JSON, its time is text. */
export type StoredList = {
  listId: string;
  name: string;
  description: string;
  effect: ListEffectName;
  standard: boolean;
  createdAt: Date | string;
};

/** The columns of `StoredList`. */
export const LIST_COLUMNS = `list_id as "listId", name, description, effect, standard, created_at as "createdAt"`;

type Call = readonly [Statement, readonly unknown[]];

const FIND: Statement = {
  name: 'list.find_by_name',
  text: `select ${LIST_COLUMNS} from lists where project_id = $1 and name = any($2::text[])`,
};

/** Lists by their names. */
export function findListsByName(database: ProjectDatabase, names: readonly string[]): Promise<StoredList[]> {
  return database.query(FIND, [database.projectId, names]);
}

const FIND_BY_IDS: Statement = {
  name: 'list.find_by_ids',
  text: `select ${LIST_COLUMNS} from lists where project_id = $1 and list_id = any($2::uuid[])`,
};

/** Lists by their ids. */
export function findListsByIds(database: ProjectDatabase, listIds: readonly string[]): Promise<StoredList[]> {
  return database.query(FIND_BY_IDS, [database.projectId, listIds]);
}

const FIND_OF_ACCOUNTS: Statement = {
  name: 'list.find_of_accounts',
  text: `select ${LIST_COLUMNS} from lists l
         where project_id = $1 and list_id = any($2::uuid[]) and exists (
           select from list_members m join accounts a on a.project_id = $1 and a.id = m.account_id
           where m.project_id = $1 and m.list_id = l.list_id and ($3::text is null or a.account_id = $3)
             and (m.expires_at is null or m.expires_at > now()))`,
};

/** Those of the lists that an account is on, by the client's id; null for any account. */
export function findListsOfAccounts(
  database: ProjectDatabase,
  listIds: readonly string[],
  accountId: string | null,
): Promise<StoredList[]> {
  return database.query(FIND_OF_ACCOUNTS, [database.projectId, listIds, accountId]);
}

/** A page of the lists of the project by name. */
export function findLists(database: ProjectDatabase, page: KeysetPage): Promise<StoredList[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'name', type: 'text' }], 'ASC', page, parameter);
  const where = ['project_id = $1', ...keyset.conditions].join(' and ');
  return database.query(
    {
      name: `list.find_page:${keyset.shape}`,
      text: `select ${LIST_COLUMNS} from lists where ${where} ${keyset.order}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'list.count',
  text: 'select count(*)::int as total from (select from lists where project_id = $1 limit $2) found',
};

/** Number of lists of the project, counted up to a limit. */
export async function countLists(database: ProjectDatabase, limit: number): Promise<number> {
  const rows = await database.query<{ total: number }>(COUNT, [database.projectId, limit]);
  return rows[0]!.total;
}

const COUNT_MEMBERS: Statement = {
  name: 'list.count_members',
  // All of a list are counted in its index alone; those that have ended and are not removed yet are few.
  text: `select w.list_id, (
             select count(*)::int from list_members m where m.project_id = $1 and m.list_id = w.list_id
           ) - (
             select count(*)::int from list_members m
             where m.project_id = $1 and m.expires_at is not null and m.expires_at <= $3 and m.list_id = w.list_id
           ) as members
         from unnest($2::uuid[]) as w (list_id)`,
};

/** How many accounts are on each of the lists at a time. */
export function countMembers(
  database: ProjectDatabase,
  listIds: readonly string[],
  now: Date,
): Promise<{ list_id: string; members: number }[]> {
  return database.query(COUNT_MEMBERS, [database.projectId, listIds, now]);
}

const LIVE = '(m.expires_at is null or m.expires_at > $3)';

const FIND_ACCOUNT_IDS: Statement = {
  name: 'list.find_account_ids',
  text: `select m.list_id, json_agg(a.account_id order by m.added_at desc, m.account_id desc) as account_ids
         from list_members m join accounts a on a.project_id = $1 and a.id = m.account_id
         where m.project_id = $1 and m.list_id = any($2::uuid[]) and ${LIVE}
         group by m.list_id`,
};

/** The clients' ids of all accounts on each of the lists, the newest members first. */
export function findAccountIdsOnLists(
  database: ProjectDatabase,
  listIds: readonly string[],
  now: Date,
): Promise<{ list_id: string; account_ids: string[] }[]> {
  return database.query(FIND_ACCOUNT_IDS, [database.projectId, listIds, now]);
}

export type ListMemberRow = AccountRow & {
  list_id: string;
  member_reason: string;
  member_sealed_reason: Uint8Array | null;
  member_actor: string;
  member_source: string;
  member_added_at: Date;
  member_expires_at: Date | null;
};

/** The order within a list, by the columns of its index. */
const MEMBER_ORDER = [
  { sql: 'm.added_at', type: 'timestamptz' },
  { sql: 'm.account_id', type: 'uuid' },
] as const;

/** The same page of the members of several lists, the newest first. */
export function findMembers(
  database: ProjectDatabase,
  listIds: readonly string[],
  page: KeysetPage,
  now: Date,
): Promise<ListMemberRow[]> {
  const values: unknown[] = [database.projectId, listIds, now];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf(MEMBER_ORDER, 'DESC', page, parameter);
  const where = ['m.project_id = $1', 'm.list_id = w.list_id', LIVE, ...keyset.conditions].join(' and ');
  return database.query(
    {
      name: `list.find_members:${keyset.shape}`,
      text: `select w.list_id, ${accountColumns('a')}, m.reason as member_reason,
               m.sealed_reason as member_sealed_reason, m.actor as member_actor,
               m.source as member_source, m.added_at as member_added_at, m.expires_at as member_expires_at
             from unnest($2::uuid[]) as w (list_id) cross join lateral (
               select m.* from list_members m where ${where} ${keyset.order}
             ) m join accounts a on a.project_id = $1 and a.id = m.account_id ${keyset.by}`,
    },
    values,
  );
}

const COUNT_LIVE: Statement = {
  name: 'list.count_live_members',
  text: `select w.list_id, (
           select count(*)::int from (
             select from list_members m
             where m.project_id = $1 and m.list_id = w.list_id and ${LIVE} limit $4
           ) found
         ) as members
         from unnest($2::uuid[]) as w (list_id)`,
};

/** Number of accounts on each of the lists at a time, counted up to a limit. */
export function countLiveMembers(
  database: ProjectDatabase,
  listIds: readonly string[],
  now: Date,
  limit: number,
): Promise<{ list_id: string; members: number }[]> {
  return database.query(COUNT_LIVE, [database.projectId, listIds, now, limit]);
}

const CREATE: Statement = {
  name: 'list.create',
  text: `insert into lists (project_id, list_id, name, description, effect, created_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (project_id, name) do nothing returning ${LIST_COLUMNS}`,
};

/** Null when a list has this name. */
export async function createListRow(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  { listId, name, description, effect, createdAt }: Omit<StoredList, 'standard'>,
): Promise<StoredList | null> {
  const values = [projectId, listId, name, description, effect, createdAt];
  const [rows = []] = await transaction.run([CREATE, values]);
  return rows[0] ?? null;
}

const lockStatement = (name: string, lock: string): Statement => ({
  name,
  text: `select ${LIST_COLUMNS} from lists where project_id = $1 and name = $2 ${lock}`,
});
const LOCK_FOR_UPDATE = lockStatement('list.lock_for_update', 'for no key update');
/** Waits for transactions that add or remove members, which hold the row: all members see the new effect. */
const LOCK_FOR_EFFECT = lockStatement('list.lock_for_effect', 'for update');

/**
 * The list, which no other transaction changes until the end of this one. Its members can change unless its effect is about
 * to.
 */
export async function lockListForUpdate(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  name: string,
  changesEffect: boolean,
): Promise<StoredList | null> {
  const lock = changesEffect ? LOCK_FOR_EFFECT : LOCK_FOR_UPDATE;
  const [rows = []] = await transaction.run([lock, [projectId, name]]);
  return rows[0] ?? null;
}

const UPDATE: Statement = {
  name: 'list.update',
  text: 'update lists set description = $3, effect = $4 where project_id = $1 and list_id = $2',
};

export function updateListCall(projectId: string, { listId, description, effect }: StoredList): Call {
  return [UPDATE, [projectId, listId, description, effect]];
}

const FLAG_MEMBERS: Statement = {
  name: 'list.flag_members',
  text: flagStandings('select account_id from list_members where project_id = $1 and list_id = $2'),
};

/** The statement that flags the members of a list whose effect changed, for a recalculation of their decisions. */
export function flagMembersCall(projectId: string, listId: string): Call {
  return [FLAG_MEMBERS, [projectId, listId]];
}

/** Waits for transactions that change members, which lock the row of the list, and blocks later ones. */
const LOCK_FOR_DELETE: Statement = {
  name: 'list.lock_for_delete',
  text: `select ${LIST_COLUMNS} from lists where project_id = $1 and name = $2 for update`,
};

const FIND_RULE: Statement = {
  name: 'list.find_rule_that_names',
  text: `select r.name from rules r
         where r.project_id = $1 and r.state <> 'archived' and (
           exists (
             select 1 from jsonb_array_elements(r.actions) as a (action)
             where a.action ->> 'addToList' = $2 or a.action ->> 'removeFromList' = $2
           )
           or jsonb_path_exists(r.expression, '$.** ? (@.op == "matches_list" && @.value == $name)',
             jsonb_build_object('name', $2::text))
         )
         order by r.name limit 1`,
};

/** The list, locked exclusively, and the name of a rule whose action or condition names it. */
export async function lockListForDelete(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  name: string,
): Promise<{ list: StoredList | null; rule: string | null }> {
  const [lists = [], rules = []] = await transaction.run(
    [LOCK_FOR_DELETE, [projectId, name]],
    [FIND_RULE, [projectId, name]],
  );
  return { list: lists[0] ?? null, rule: rules[0]?.name ?? null };
}

const EMPTY: Statement = {
  name: 'list.take_off_members',
  // The chunk is read once, whatever the planner knows of a list that was just filled.
  text: `with gone as (
           delete from list_members m
           where m.project_id = $1 and m.list_id = $2 and m.account_id = any(array(
             select o.account_id from list_members o where o.project_id = $1 and o.list_id = $2 limit $3
           ))
           returning m.account_id
         ), flagged as (
           ${flagStandings('select account_id from gone')}
         )
         select a.id, a.account_id as "accountId" from gone join accounts a on a.project_id = $1 and a.id = gone.account_id`,
};

/** Removes up to this many accounts from a list that is locked for deletion; returns none when the list is empty. */
export async function takeOffMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  listId: string,
  limit: number,
): Promise<{ id: string; accountId: string }[]> {
  const [rows = []] = await transaction.run([EMPTY, [projectId, listId, limit]]);
  return rows as Row[];
}

const DELETE: Statement = {
  name: 'list.delete',
  text: 'delete from lists where project_id = $1 and list_id = $2',
};

export function deleteListCall(projectId: string, listId: string): Call {
  return [DELETE, [projectId, listId]];
}

/** A list that rules may not add an account to. */
export type KeptOffRow = StoredList & {
  /** Internal id of the account. */
  account: string;
  /** Of the caller that removed the account. */
  actor: string;
  since: Date;
};

const FIND_KEPT_OFF: Statement = {
  name: 'list.find_kept_off',
  text: `select k.account_id as account, k.actor, k.since, l.list_id as "listId", l.name, l.description, l.effect,
           l.standard, l.created_at as "createdAt"
         from list_keep_offs k join lists l on l.project_id = $1 and l.list_id = k.list_id
         where k.project_id = $1 and k.account_id = any($2::uuid[]) order by l.name`,
};

/** The lists that rules may not add these accounts to, by name. */
export function findKeptOff(database: ProjectDatabase, accounts: readonly string[]): Promise<KeptOffRow[]> {
  return database.query(FIND_KEPT_OFF, [database.projectId, accounts]);
}
