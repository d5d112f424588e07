import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import type { PendingListMember, Prisma } from '../../storage/generated/prisma/client.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { prismaPageOfTwo } from '../../storage/prisma-page.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { AUTHOR_COLUMNS, AUTHOR_VALUES, authorValues } from '../audit/audit-store.ts';
import type { UnknownAccountErasure } from '../model/account-erasure-store.ts';
import { inForce, LIST_COLUMNS, type StoredList } from './list-store.ts';

/*
 * Memberships of accounts that do not exist yet. The transaction that stores the account converts its entry to a
 * membership. Every change of an entry holds the lock of the account, as a change of the account does: either that
 * transaction reads the entry, or the change of the entry reads the account.
 */

/** Whether the entry `p` is in force at a time. */
const isLive = (time: string) => `(p.expires_at is null or p.expires_at > ${time})`;

/** Whether an entry is replaced rather than changed. */
const IS_OTHER = '(p.list_id <> excluded.list_id or p.expires_at <= excluded.created_at)';

const SET = namedStatement(
  'pending_member.set',
  `with list as (
      select ${LIST_COLUMNS} from lists where project_id = :projectId and name = :list for key share
    ), stored as (
      select l.name as list, p.list_id, ${isLive(':now')} as "isLive"
      from pending_list_members p join lists l on l.project_id = :projectId and l.list_id = p.list_id
      where p.project_id = :projectId and p.account_id = :accountId
    ), written as (
      insert into pending_list_members as p
        (project_id, account_id, list_id, encrypted_reason, actor, source, created_at, expires_at)
      select :projectId, :accountId, l."listId", :reason::bytea, :actor, 'api', :now, :expiresAt::timestamptz from list l
      where :changesReason::boolean or :expiresAt::timestamptz is not null
        or not exists (select from stored s where s.list_id = l."listId" and s."isLive")
      on conflict (project_id, account_id) do update set
        list_id = excluded.list_id,
        encrypted_reason = case when :changesReason or ${IS_OTHER} then excluded.encrypted_reason else p.encrypted_reason end,
        expires_at = case when ${IS_OTHER} then excluded.expires_at
                          else coalesce(excluded.expires_at, p.expires_at) end,
        actor = case when ${IS_OTHER} then excluded.actor else p.actor end,
        created_at = case when ${IS_OTHER} then excluded.created_at else p.created_at end
      returning p.account_id
    )
    select (select row_to_json(l) from list l) as list, (select s.list from stored s where s."isLive") as before,
      exists (select from written) as "isWritten"`,
);

export type PendingChange = {
  list: string;
  accountId: string;
  actor: string;
  /** Encrypted; null: the reason of the same entry stays. */
  reason: { encrypted: Buffer | null } | null;
  /** Null: the end of the same entry stays. */
  expiresAt: Date | null;
  now: Date;
};

/** Stores an entry; one for another list is replaced. `before`: name of the list of the earlier entry. */
export async function setPendingMember(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  { list, accountId, actor, reason, expiresAt, now }: PendingChange,
): Promise<{ list: StoredList | null; before: string | null; isWritten: boolean }> {
  const [rows] = await transaction.run(
    SET.call({
      projectId,
      list,
      accountId,
      now,
      actor,
      changesReason: reason !== null,
      reason: reason?.encrypted ?? null,
      expiresAt,
    }),
  );
  return rows![0];
}

const REMOVE: Statement = {
  name: 'pending_member.remove',
  text: `with gone as (
      delete from pending_list_members p where p.project_id = $1 and p.account_id = $2
      returning p.list_id, ${isLive('$3')} as is_live
    )
    select l.name from gone join lists l on l.project_id = $1 and l.list_id = gone.list_id where gone.is_live`,
};

/** Removes the entry of an id. Returns the name of its list; null without an entry in force. */
export async function removePendingMember(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accountId: string,
  now: Date,
): Promise<string | null> {
  const [rows = []] = await transaction.run([REMOVE, [projectId, accountId, now]]);
  return rows[0]?.name ?? null;
}

const DELETE: Statement = {
  name: 'pending_member.delete',
  text: 'delete from pending_list_members where project_id = $1 and account_id = $2',
};

/** The statement that deletes the entry of an id, in force or not. */
export function deletePendingCall(projectId: string, accountId: string): Call {
  return [DELETE, [projectId, accountId]];
}

const DELETE_OF_UNKNOWN = namedStatement(
  'pending_member.delete_of_unknown',
  `with gone as (
      delete from pending_list_members where project_id = :projectId and account_id = :accountId returning list_id
    )
    insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target)
    select :projectId, :auditId, :at, ${AUTHOR_VALUES}, 'list.remove_pending_account', :target from gone`,
);

/** Deletes the entry of an id without an account, which a request erases, and records it. */
export function eraseUnknownPending({ projectId, accountId, audit }: UnknownAccountErasure): Call[] {
  const { auditId, at, author, target } = audit;
  return [DELETE_OF_UNKNOWN.call({ projectId, accountId, auditId, at, ...authorValues(author), target })];
}

export type PendingMemberSearch = { accountId?: string | null; list?: string | null };

/** Columns that a query selects of each entry besides its own. */
export type PendingMemberQuery = { include?: Prisma.PendingListMemberInclude };

/** The entries in force that a search finds; null when it names a list that does not exist. */
async function conditionOf(
  { projectId, prisma }: ProjectDatabase,
  { accountId, list }: PendingMemberSearch,
  now: Date,
): Promise<Prisma.PendingListMemberWhereInput | null> {
  const condition = { projectId, ...(accountId != null && { accountId }), ...inForce(now) };
  if (list == null) return condition;
  // By its id, which the index of entries has.
  const where = { projectId_name: { projectId, name: list } };
  const found = await prisma.list.findUnique({ where, select: { listId: true } });
  return found && { ...condition, listId: found.listId };
}

/** A page of the entries in force, the latest first. */
export async function findPendingMembers(
  database: ProjectDatabase,
  search: PendingMemberSearch,
  page: KeysetPage,
  now: Date,
  query: PendingMemberQuery,
): Promise<PendingListMember[]> {
  const condition = await conditionOf(database, search, now);
  if (!condition) return [];
  const { where, ...order } = prismaPageOfTwo(['createdAt', 'accountId'], 'desc', page);
  return database.prisma.pendingListMember.findMany({
    ...query,
    ...order,
    where: { ...condition, ...where },
  });
}

/** Number of entries in force, counted up to a limit. */
export async function countPendingMembers(
  database: ProjectDatabase,
  search: PendingMemberSearch,
  now: Date,
  limit: number,
): Promise<number> {
  const where = await conditionOf(database, search, now);
  return where ? database.prisma.pendingListMember.count({ where, take: limit }) : 0;
}

const purgeExpired = createPurge({
  name: 'pending_list_members',
  table: 'pending_list_members',
  key: ['account_id'],
  column: 'expires_at',
  first: '-infinity',
  condition: 'x.expires_at is not null',
  index: 'project',
});

/** Removes expired entries. Readers leave them out from the time of their end on. */
export function purgePendingMembers(run: PurgeRun): Promise<number> {
  return purgeExpired(run, run.now);
}
