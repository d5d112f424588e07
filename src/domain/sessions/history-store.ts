import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import type { FraudSighting, StoredHistory, StoredTrace } from '@vouchgraph/signals';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';

/** The newest sightings count most; beyond this number, more add little. */
const MAX_SIGHTINGS = 50;
const FRAUD_DAYS = 90;
/** Of a device that many accounts share, only the latest accounts are examined. */
const MAX_ACCOUNTS = 64;
const DEVICE_DAYS = 7;
const PREVIOUS_DAYS = 7;

/** The account's nearest session before or after, within a week: a range of the index by start. */
const nearestSession = (side: '<=' | '>', sign: '-' | '+', order: 'asc' | 'desc') => `
    select b.session_id, x.trace from account_sessions b
    join sessions x on x.project_id = $1 and x.session_id = b.session_id
    where b.project_id = $1 and b.account_id = me.id
      and b.session_start ${side} s.start_time
      and b.session_start ${side === '>' ? '<' : '>'} s.start_time ${sign} interval '${PREVIOUS_DAYS} days'
      and b.session_id <> s.session_id
    order by b.session_start ${order}, b.session_id ${order} limit 1`;

/*
 * The history of a session, as parts of a statement from one row of `s`, the session (start_time, network_hash,
 * compared_subnet_hash, device_hash, session_id), and `me`, the account: its internal id, or null, and its group. Their
 * columns are named, not selected: each subquery would be a separate plan. Sightings of fraud are ordered by their index.
 * The conditions on their time are written so that the planner does not use the index of the purge, which has all subnets
 * of the project.
 */
export const HISTORY_COLUMNS = `
    (select coalesce(json_agg(json_build_array(f.seen_at, f.near)), '[]') from (
      select x.seen_at, case when x.network_hash = s.network_hash then 'address' else 'subnet' end as near
      from fraud_sightings x
      where x.project_id = $1 and x.compared_subnet_hash = s.compared_subnet_hash
        and x.seen_at + interval '0' <= s.start_time
        and x.seen_at + interval '0' > s.start_time - interval '${FRAUD_DAYS} days'
        and x.account_id is distinct from me.id and x.session_id <> s.session_id
      order by x.seen_at desc limit ${MAX_SIGHTINGS}
    ) f) as fraud,
    case when s.device_hash is null then null else (
      select count(*)::int from (
        select i.last_seen from identifiers i
        where i.project_id = $1 and i.kind = ${IDENTIFIER_KINDS.device} and i.value_hash = s.device_hash
          and i.account_group = me.account_group and i.account_id is distinct from me.id
        order by i.account_id desc limit ${MAX_ACCOUNTS}
      ) latest where latest.last_seen > s.start_time - interval '${DEVICE_DAYS} days'
    ) end as other_accounts_on_device,
    previous.session_id as previous_session_id, previous.trace as previous_trace,
    following.session_id as following_session_id, following.trace as following_trace`;

/** To be joined to one row. */
export const HISTORY_JOINS = `
         left join lateral (${nearestSession('<=', '-', 'desc')}) previous on true
         left join lateral (${nearestSession('>', '+', 'asc')}) following on true`;

/** For a session that is about to be stored, or is scored alone. */
const READ_WITHOUT_ACCOUNT = namedStatement(
  'history.read_without_account',
  `with s as materialized (
      select :sessionId::uuid as session_id, :startTime::timestamptz as start_time, :networkHash::bytea as network_hash,
        :comparedSubnetHash::bytea as compared_subnet_hash, :deviceHash::bytea as device_hash
    ), me as materialized (select null::uuid as id, ''::text as account_group)
    select ${HISTORY_COLUMNS} from s cross join me ${HISTORY_JOINS}`,
  ['projectId'],
);

export type HistoryKeys = {
  session_id: string;
  start_time: Date;
  network_hash: Buffer | null;
  compared_subnet_hash: Buffer | null;
  device_hash: Buffer | null;
};

/** The history of a session without a known account. */
export async function readHistoryWithoutAccount(
  database: ProjectDatabase,
  session: HistoryKeys,
): Promise<StoredHistory> {
  const [row] = await database.query(
    ...READ_WITHOUT_ACCOUNT.call({
      projectId: database.projectId,
      sessionId: session.session_id,
      startTime: session.start_time,
      networkHash: session.network_hash,
      comparedSubnetHash: session.compared_subnet_hash,
      deviceHash: session.device_hash,
    }),
  );
  return toHistory(row);
}

/** `row` has HISTORY_COLUMNS. */
export function toHistory(row: Row): StoredHistory {
  return {
    fraud: (row.fraud as [string, FraudSighting['near']][]).map(([at, near]) => ({ at: new Date(at), near })),
    otherAccountsOnDevice: row.other_accounts_on_device,
    previous: storedTrace(row.previous_session_id, row.previous_trace),
    following: storedTrace(row.following_session_id, row.following_trace),
  };
}

function storedTrace(sessionId: string | null, trace: Buffer): StoredTrace | null {
  return sessionId === null ? null : { sessionId, trace };
}

/** Stores that a session was decided Fake, with the hashes of its network. */
export const ADD_FRAUD_SIGHTING: Statement = {
  name: 'fraud_sighting.add',
  text: `insert into fraud_sightings (project_id, account_id, session_id, network_hash, compared_subnet_hash, seen_at)
         select $1, $2, s.session_id, s.network_hash, s.compared_subnet_hash, s.start_time from sessions s
         where s.project_id = $1 and s.session_id = $3 and s.network_hash is not null and s.compared_subnet_hash is not null
         on conflict (project_id, account_id, session_id) do nothing`,
};

/** Removes the sighting of a session that a later decision no longer considers Fake. */
export const REMOVE_FRAUD_SIGHTING: Statement = {
  name: 'fraud_sighting.remove',
  text: 'delete from fraud_sightings where project_id = $1 and account_id = $2 and session_id = $3',
};

const purgeSightings = createPurge({
  name: 'fraud_sighting',
  table: 'fraud_sightings',
  key: ['account_id', 'session_id'],
  column: 'seen_at',
  first: '-infinity',
  index: 'project',
});

/** Removes sightings that are too old to count. */
export const purgeFraudSightings = (run: PurgeRun): Promise<number> =>
  purgeSightings(run, new Date(run.now.getTime() - FRAUD_DAYS * 86_400_000));
