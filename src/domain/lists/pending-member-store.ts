import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import type { UnknownAccountErasure } from '../model/account-erasure-store.ts';
import { LIST_COLUMNS, type StoredList } from './list-store.ts';

/*
 * Memberships of accounts that do not exist yet. The transaction that stores the account turns its entry into a membership. Every
 * change of an entry holds the lock of the account, as a change of the account does: either that transaction reads the entry,
 * or the change of the entry reads the account.
 */

/** Whether the entry `p` is in force at a time. */
const isLive = (time: string) => `(p.expires_at is null or p.expires_at > ${time})`;

/** Whether an entry is replaced rather than changed. */
const IS_OTHER = '(p.list_id <> excluded.list_id or p.expires_at <= excluded.created_at)';

const SET: Statement = {
  name: 'pending_member.set',
  text: `with list as (
      select ${LIST_COLUMNS} from lists where project_id = $1 and name = $2 for key share
    ), stored as (
      select l.name as list, p.list_id, ${isLive('$4')} as "isLive"
      from pending_list_members p join lists l on l.project_id = $1 and l.list_id = p.list_id
      where p.project_id = $1 and p.account_id = $3
    ), written as (
      insert into pending_list_members as p
        (project_id, account_id, list_id, sealed_reason, actor, source, created_at, expires_at)
      select $1, $3, l."listId", $7::bytea, $5, 'api', $4, $8::timestamptz from list l
      where $6::boolean or $8::timestamptz is not null
        or not exists (select from stored s where s.list_id = l."listId" and s."isLive")
      on conflict (project_id, account_id) do update set
        list_id = excluded.list_id,
        sealed_reason = case when $6 or ${IS_OTHER} then excluded.sealed_reason else p.sealed_reason end,
        expires_at = case when ${IS_OTHER} then excluded.expires_at
                          else coalesce(excluded.expires_at, p.expires_at) end,
        actor = case when ${IS_OTHER} then excluded.actor else p.actor end,
        created_at = case when ${IS_OTHER} then excluded.created_at else p.created_at end
      returning p.account_id
    )
    select (select row_to_json(l) from list l) as list, (select s.list from stored s where s."isLive") as before,
      exists (select from written) as "isWritten"`,
};

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
  const values = [
    projectId,
    list,
    accountId,
    now,
    actor,
    reason !== null,
    reason?.encrypted ?? null,
    expiresAt,
  ];
  const [rows] = await transaction.run([SET, values]);
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

const DELETE_OF_UNKNOWN: Statement = {
  name: 'pending_member.delete_of_unknown',
  text: `with gone as (
      delete from pending_list_members where project_id = $1 and account_id = $2 returning list_id
    )
    insert into audit_log (project_id, audit_id, at, actor, action, target, request_id)
    select $1, $3, $4, $5, 'list.remove_pending_account', $6, $7 from gone`,
};

/** Deletes the entry of an id without an account, which a request erases, and records it. */
export function eraseUnknownPending({ projectId, accountId, audit }: UnknownAccountErasure): Call[] {
  const { auditId, at, actor, target, requestId } = audit;
  return [[DELETE_OF_UNKNOWN, [projectId, accountId, auditId, at, actor, target, requestId]]];
}

export type PendingMemberRow = StoredList & {
  /** The client's own id. */
  accountId: string;
  sealedReason: Uint8Array | null;
  actor: string;
  source: string;
  pendingSince: Date;
  expiresAt: Date | null;
};

export type PendingMemberSearch = { accountId?: string | null; list?: string | null };

const ORDER = [
  { sql: 'p.created_at', type: 'timestamptz' },
  { sql: 'p.account_id', type: 'text' },
] as const;

/** The conditions of a search, and a name for them. */
function conditionsOf(
  { accountId, list }: PendingMemberSearch,
  parameter: (value: unknown) => string,
): { shape: string; conditions: string[] } {
  const conditions = [
    ...(accountId == null ? [] : [`p.account_id = ${parameter(accountId)}`]),
    ...(list == null
      ? []
      : [
          `p.list_id = (select o.list_id from lists o where o.project_id = $1 and o.name = ${parameter(list)})`,
        ]),
  ];
  return { shape: `${accountId == null ? '' : ':account'}${list == null ? '' : ':list'}`, conditions };
}

/** A page of the entries in force, the latest first. */
export function findPendingMembers(
  database: ProjectDatabase,
  search: PendingMemberSearch,
  page: KeysetPage,
  now: Date,
): Promise<PendingMemberRow[]> {
  const values: unknown[] = [database.projectId, now];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { shape, conditions } = conditionsOf(search, parameter);
  const keyset = keysetOf(ORDER, 'DESC', page, parameter);
  const where = ['p.project_id = $1', isLive('$2'), ...conditions, ...keyset.conditions].join(' and ');
  return database.query(
    {
      name: `pending_member.find_page${shape}:${keyset.shape}`,
      text: `select p.account_id as "accountId", p.sealed_reason as "sealedReason", p.actor, p.source,
               p.created_at as "pendingSince", p.expires_at as "expiresAt", l.list_id as "listId", l.name,
               l.description, l.effect, l.standard, l.created_at as "createdAt"
             from (select p.* from pending_list_members p where ${where} ${keyset.order}) p
             join lists l on l.project_id = $1 and l.list_id = p.list_id ${keyset.by}`,
    },
    values,
  );
}

/** Number of entries in force, counted up to a limit. */
export async function countPendingMembers(
  database: ProjectDatabase,
  search: PendingMemberSearch,
  now: Date,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId, now, limit];
  const { shape, conditions } = conditionsOf(search, (value) => `$${values.push(value)}`);
  const where = ['p.project_id = $1', isLive('$2'), ...conditions].join(' and ');
  const [row] = await database.query<{ total: number }>(
    {
      name: `pending_member.count${shape}`,
      text: `select count(*)::int as total from (select from pending_list_members p where ${where} limit $3) found`,
    },
    values,
  );
  return row!.total;
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
