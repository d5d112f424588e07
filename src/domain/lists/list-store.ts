import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type {
  ProjectDatabase,
  ProjectTransaction,
  Row,
  Statement,
  Transaction,
} from '../../storage/database.ts';
import type { List, ListKeepOff, ListMember, Prisma } from '../../storage/generated/prisma/client.ts';
import { idList, prismaPage, prismaPageOfTwo } from '../../storage/prisma-page.ts';
import { countEach, countOfEach, type Total, totalsOf } from '../../storage/selection.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';

/** A list as it is stored; when it came as JSON, its time is text. */
export type StoredList = {
  listId: string;
  name: string;
  description: string;
  /** none, block or allow. */
  effect: string;
  standard: boolean;
  createdAt: Date | string;
};

/** The columns of `StoredList`. */
export const LIST_COLUMNS = `list_id as "listId", name, description, effect, standard, created_at as "createdAt"`;

type Call = readonly [Statement, readonly unknown[]];

/** Memberships that have no end, or one after a time. */
export const inForce = (now: Date) => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });

/** Lists by their names. */
export function findListsByName({ projectId, prisma }: ProjectDatabase, names: readonly string[]) {
  return prisma.list.findMany({ where: { projectId, name: { in: idList(names) } } });
}

/** The ids of those of the lists that an account is on, by the client's id; undefined for any account. */
export async function findListsOfAccount(
  { projectId, prisma }: ProjectDatabase,
  listIds: readonly string[],
  accountId: string | undefined,
  now: Date,
): Promise<string[]> {
  const account = accountId === undefined ? {} : { account: { projectId, accountId } };
  const lists = await prisma.list.findMany({
    where: {
      projectId,
      listId: { in: idList(listIds) },
      members: { some: { projectId, ...account, ...inForce(now) } },
    },
    select: { listId: true },
  });
  return lists.map(({ listId }) => listId);
}

/** A page of the lists of the project by name. */
export function findLists({ projectId, prisma }: ProjectDatabase, page: KeysetPage) {
  const { where, ...order } = prismaPage('name', 'asc', page);
  return prisma.list.findMany({ ...order, where: { projectId, ...where } });
}

/** Number of lists of the project, counted up to a limit. */
export function countLists({ projectId, prisma }: ProjectDatabase, limit: number): Promise<number> {
  return prisma.list.count({ where: { projectId }, take: limit });
}

const COUNT_MEMBERS: Statement = {
  name: 'list.count_members',
  // All of a list are counted in its index alone; those that have ended and are not removed yet are few.
  text: `select w.id, (
             select count(*)::int from list_members m where m.project_id = $1 and m.list_id = w.id
           ) - (
             select count(*)::int from list_members m
             where m.project_id = $1 and m.expires_at is not null and m.expires_at <= $3 and m.list_id = w.id
           ) as total
         from unnest($2::uuid[]) as w (id)`,
};

/** How many accounts are on each of the lists at a time. */
export async function countMembers(
  database: ProjectDatabase,
  listIds: readonly string[],
  now: Date,
): Promise<number[]> {
  return totalsOf(listIds, await database.query<Total>(COUNT_MEMBERS, [database.projectId, listIds, now]));
}

const FIND_ACCOUNT_IDS: Statement = {
  name: 'list.find_account_ids',
  text: `select m.list_id, json_agg(a.account_id order by m.added_at desc, m.account_id desc) as account_ids
         from list_members m join accounts a on a.project_id = $1 and a.id = m.account_id
         where m.project_id = $1 and m.list_id = any($2::uuid[])
           and (m.expires_at is null or m.expires_at > $3)
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

/** The same page of the memberships of several lists, the newest first, in the order of the lists' ids. */
export async function findMembers(
  { projectId, prisma }: ProjectDatabase,
  listIds: readonly string[],
  page: KeysetPage,
  now: Date,
): Promise<ListMember[][]> {
  const { where, ...order } = prismaPageOfTwo(['addedAt', 'accountId'], 'desc', page);
  const lists = await prisma.list.findMany({
    where: { projectId, listId: { in: idList(listIds) } },
    select: { listId: true, members: { ...order, where: { ...where, ...inForce(now) } } },
  });
  const byList = new Map(lists.map(({ listId, members }) => [listId, members]));
  return listIds.map((id) => byList.get(id) ?? []);
}

const COUNT_LIVE = countOfEach(
  'list.count_live_members',
  `list_members m where m.project_id = $1 and m.list_id = p.id and (m.expires_at is null or m.expires_at > $4)`,
);

/** Number of accounts on each of the lists at a time, counted up to a limit. */
export function countLiveMembers(
  database: ProjectDatabase,
  listIds: readonly string[],
  now: Date,
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT_LIVE, listIds, limit, now);
}

/** Null when a list has this name. */
export async function createListRow(
  { projectId }: ProjectDatabase,
  { prisma }: ProjectTransaction,
  list: Omit<StoredList, 'standard'>,
): Promise<List | null> {
  const created = await prisma.list.createManyAndReturn({
    data: [{ projectId, ...list }],
    skipDuplicates: true,
  });
  return created[0] ?? null;
}

/** Names of lists with an effect, other than the standard ones. */
export const FIND_EFFECTIVE: Statement = {
  name: 'list.find_effective',
  text: `select name from lists where project_id = $1 and effect <> 'none' and not standard`,
};

const lockStatement = (name: string, lock: string): Statement => ({
  name,
  text: `select ${LIST_COLUMNS} from lists where project_id = $1 and name = $2 ${lock}`,
});
const LOCK_FOR_UPDATE = lockStatement('list.lock_for_update', 'for no key update');
/** Waits for transactions that add or remove members, which hold the row, and blocks later ones. */
const LOCK_WITH_MEMBERS = lockStatement('list.lock_with_members', 'for update');

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
  const lock = changesEffect ? LOCK_WITH_MEMBERS : LOCK_FOR_UPDATE;
  const [rows = []] = await transaction.run([lock, [projectId, name]]);
  return rows[0] ?? null;
}

/** Changes a list that is locked. */
export async function updateListRow(
  { projectId }: ProjectDatabase,
  { prisma }: ProjectTransaction,
  listId: string,
  changes: Partial<Pick<StoredList, 'description' | 'effect'>>,
): Promise<void> {
  await prisma.list.updateMany({ where: { projectId, listId }, data: changes });
}

const FLAG_MEMBERS: Statement = {
  name: 'list.flag_members',
  text: flagStandings('select account_id from list_members where project_id = $1 and list_id = $2'),
};

/** The statement that flags the members of a list whose effect changed, for a recalculation of their decisions. */
export function flagMembersCall(projectId: string, listId: string): Call {
  return [FLAG_MEMBERS, [projectId, listId]];
}

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
    [LOCK_WITH_MEMBERS, [projectId, name]],
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
export async function removeMembersOfList(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  listId: string,
  limit: number,
): Promise<{ id: string; accountId: string }[]> {
  const [rows = []] = await transaction.run([EMPTY, [projectId, listId, limit]]);
  return rows as Row[];
}

/** Deletes a list that is locked. */
export async function deleteListRow(
  { projectId }: ProjectDatabase,
  { prisma }: ProjectTransaction,
  listId: string,
): Promise<void> {
  await prisma.list.deleteMany({ where: { projectId, listId } });
}

/** Columns that a query selects of each keep-off besides its own. */
export type KeepOffQuery = { include?: Prisma.ListKeepOffInclude };

/** The lists that rules may not add these accounts to, by name. */
export function findKeepOffs(
  { projectId, prisma }: ProjectDatabase,
  accounts: readonly string[],
  query: KeepOffQuery,
): Promise<ListKeepOff[]> {
  return prisma.listKeepOff.findMany({
    ...query,
    where: { projectId, accountId: { in: idList(accounts) } },
    orderBy: { list: { name: 'asc' } },
  });
}
