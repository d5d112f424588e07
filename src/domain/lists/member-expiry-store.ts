import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import {
  EVENT_PARAMETERS,
  eventValues,
  insertEvents,
  UNNEST_EVENTS,
  UNNESTED,
} from '../events/insert-events-store.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';
import type { MembershipEvent } from './list-events.ts';

const FIND_PROJECTS_WITH_EXPIRED: Statement = {
  name: 'list.find_projects_with_ended',
  // From one project that has members with an end to the next, in the index of them alone.
  text: `with recursive projects_with_ends as (
      (select m.project_id from list_members m where m.expires_at is not null order by m.project_id limit 1)
      union all
      select (
        select m.project_id from list_members m
        where m.expires_at is not null and m.project_id > p.project_id order by m.project_id limit 1
      ) from projects_with_ends p where p.project_id is not null
    )
    select p.project_id from projects_with_ends p
    cross join lateral (
      select 1 from list_members m
      where m.project_id = p.project_id and m.expires_at is not null and m.expires_at <= $1 limit 1
    ) ended
    where p.project_id is not null order by random() limit 100`,
};

/** At most 100 projects with an expired membership, in random order. */
export async function findProjectsWithExpired(
  system: { query<T>(statement: Statement, values: readonly unknown[]): Promise<T[]> },
  now: Date,
): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(FIND_PROJECTS_WITH_EXPIRED, [now]);
  return rows.map(({ project_id }) => project_id);
}

/** Leaves out members whose row another transaction has locked. */
const CLAIM_EXPIRED: Statement = {
  name: 'list.take_ended',
  text: `select m.list_id as "listId", m.account_id as id, l.name as list, a.account_id as "accountId"
         from list_members m
         join lists l on l.project_id = $1 and l.list_id = m.list_id
         left join accounts a on a.project_id = $1 and a.id = m.account_id
         where m.project_id = $1 and m.expires_at is not null and m.expires_at <= $2
         order by m.expires_at limit $3 for update of m skip locked`,
};

export type ExpiredMember = { listId: string; id: string; list: string; accountId: string | null };

/** Expired members, locked, the earliest first. */
export async function claimExpiredMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  now: Date,
  limit: number,
): Promise<ExpiredMember[]> {
  const [rows = []] = await transaction.run([CLAIM_EXPIRED, [projectId, now, limit]]);
  return rows;
}

const REMOVE_EXPIRED = namedStatement(
  'list.remove_ended',
  `with gone as (
      delete from list_members m using unnest(:lists::uuid[], :accounts::uuid[]) as e (list_id, account_id)
      where m.project_id = :projectId and m.list_id = e.list_id and m.account_id = e.account_id
      returning m.account_id
    ), flagged as (
      ${flagStandings('select account_id from gone')}
    ), ${insertEvents({ ...UNNESTED, createdAt: ':now' }, `from ${UNNEST_EVENTS}`)}`,
  ['now', ...EVENT_PARAMETERS],
);

/** Removes members that were taken in the same transaction, with their events. */
export function removeExpiredCall(
  projectId: string,
  members: readonly ExpiredMember[],
  events: readonly MembershipEvent[],
  now: Date,
): readonly [Statement, readonly unknown[]] {
  const lists = members.map(({ listId }) => listId);
  const accounts = members.map(({ id }) => id);
  return REMOVE_EXPIRED.call({ projectId, now, lists, accounts, ...eventValues(events) });
}
