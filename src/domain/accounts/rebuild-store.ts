import { IDENTIFIER_KINDS, IS_OVER_LIMIT } from '@vouchgraph/linking';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';

const { device, network } = IDENTIFIER_KINDS;

const PAGE: Statement = {
  name: 'rebuild.accounts',
  text: 'select id, account_id from accounts where project_id = $1 and id > $2::uuid order by id limit $3',
};

export function accountsAfter(
  database: ProjectDatabase,
  after: string,
  limit: number,
): Promise<{ id: string; account_id: string }[]> {
  return database.query(PAGE, [database.projectId, after, limit]);
}

const FIND_OVER_LIMIT: Statement = {
  name: 'rebuild.over_limit',
  text: `select a.id, a.account_id from accounts a
    where a.project_id = $1 and a.id in (
      select account_id from identifiers where project_id = $1 and account_id = any($2::uuid[])
      group by account_id, kind having ${IS_OVER_LIMIT}
    )`,
};

/** Accounts with more identifiers of a kind than the history limits allow. */
export function findOverLimit(
  database: ProjectDatabase,
  ids: readonly string[],
): Promise<{ id: string; account_id: string }[]> {
  return database.query(FIND_OVER_LIMIT, [database.projectId, ids]);
}

/** Compares the counts of an account's row with its sessions and identifiers. */
const COUNTED: Statement = {
  name: 'rebuild.counted',
  text: `select a.account_id, a.aggregates::text as aggregates,
      (a.num_sessions, a.unique_devices_1d, a.unique_devices_7d, a.unique_networks_1d, a.unique_networks_7d,
        a.first_seen, a.last_seen) is not distinct from
      (b.sessions, ${recent(device, 1)}, ${recent(device, 7)}, ${recent(network, 1)}, ${recent(network, 7)},
        b.first_seen, b.last_seen) as is_right,
      b.starts, b.scores
    from accounts a cross join lateral (
      select count(*)::int as sessions, min(s.session_start) as first_seen, max(s.session_start) as last_seen,
        array_agg(s.session_start order by s.session_start) as starts,
        json_agg(s.scores order by s.session_start)::text as scores
      from account_sessions s where s.project_id = $1 and s.account_id = a.id
    ) b
    where a.project_id = $1 and a.id = any($2::uuid[])`,
};

function recent(kind: number, days: number): string {
  return `(select count(*)::int from identifiers i where i.project_id = $1 and i.account_id = a.id and i.kind = ${kind}
    and i.last_seen >= a.last_seen - interval '${days} days')`;
}

export type CountedAccount = {
  account_id: string;
  aggregates: string;
  is_right: boolean;
  starts: Date[] | null;
  scores: string | null;
};

export function findCounted(database: ProjectDatabase, ids: readonly string[]): Promise<CountedAccount[]> {
  return database.query<Row>(COUNTED, [database.projectId, ids]);
}

const BRIDGES: Statement = {
  name: 'rebuild.bridges',
  text: `select account_id as a, linked_account_id as b from links
         where project_id = $1 and bridges and account_id < linked_account_id`,
};

const MEMBERS: Statement = {
  name: 'rebuild.members',
  text: `select m.group_id, g.size, array_agg(m.account_id::text order by m.account_id) as accounts
         from identity_members m left join identity_groups g on g.project_id = $1 and g.group_id = m.group_id
         where m.project_id = $1 group by m.group_id, g.size`,
};

export function allBridges(database: ProjectDatabase): Promise<{ a: string; b: string }[]> {
  return database.query(BRIDGES, [database.projectId]);
}

export function allIdentities(
  database: ProjectDatabase,
): Promise<{ group_id: string; size: number | null; accounts: string[] }[]> {
  return database.query(MEMBERS, [database.projectId]);
}

/** All groups, and accounts with bridges to other groups. */
const ENQUEUE_ALL: Statement = {
  name: 'rebuild.enqueue_identities',
  text: `insert into identity_recalculations (project_id, recalculation_id, account_id, group_id)
         select $1, gen_random_uuid(), null, g.group_id from (
           select group_id from identity_groups where project_id = $1
           union select group_id from identity_members where project_id = $1
         ) g
         union all
         select $1, gen_random_uuid(), l.account_id, null from (
           select distinct l.account_id from links l
           left join identity_members m on m.project_id = $1 and m.account_id = l.account_id
           left join identity_members o on o.project_id = $1 and o.account_id = l.linked_account_id
           where l.project_id = $1 and l.bridges and (m.group_id is null or m.group_id is distinct from o.group_id)
         ) l`,
};

/** Enqueues a recalculation of all identities. */
export async function enqueueAllIdentities(database: ProjectDatabase): Promise<void> {
  await database.query(ENQUEUE_ALL, [database.projectId]);
}
