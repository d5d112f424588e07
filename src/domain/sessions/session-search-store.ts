import type { Direction, KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import { countEach, countFound, countOfEach, findPage, selectionIn } from '../../storage/selection.ts';
import { SESSION_COLUMNS, type StoredSession } from './session-store.ts';

/** Conditions as columns have them. */
export type SessionConditions = {
  source?: string | null | undefined;
  connectionType?: string | null | undefined;
  country?: string | null | undefined;
  addressHash?: Buffer | null | undefined;
  subnetHash?: Buffer | null | undefined;
  deviceId?: string | null | undefined;
  browserHash?: Buffer | null | undefined;
  /** Bit of a risk signal. */
  signalBit?: number | null | undefined;
  /** Decision on an account that the session is bound to. */
  decision?: string | null | undefined;
  startedAfter?: Date | null | undefined;
  startedBefore?: Date | null | undefined;
};

/** A page of the sessions that meet conditions. */
export type SessionRange = SessionConditions & { direction: Direction; page: KeysetPage };

/** Where sessions are read from, and the columns of their order. */
type Source = { from: string; conditions: readonly string[]; start: string; id: string };

const OF_PROJECT: Source = {
  from: 'sessions s',
  conditions: ['s.project_id = $1'],
  start: 's.start_time',
  id: 's.session_id',
};

/** Sessions of the project by a decision on one of their accounts: the bindings lead, of several the first by account. */
const BY_DECISION: Source = {
  from: 'account_sessions b join sessions s on s.project_id = b.project_id and s.session_id = b.session_id',
  conditions: [
    'b.project_id = $1',
    's.project_id = $1',
    `b.account_id = (
       select o.account_id from account_sessions o
       where o.project_id = $1 and o.session_id = b.session_id and o.decision = b.decision
       order by o.account_id limit 1
     )`,
  ],
  start: 'b.session_start',
  id: 'b.session_id',
};

/** Sessions of an account `p`: its bindings lead, in their own order by start. */
const OF_ACCOUNT: Source = {
  from: 'account_sessions b join sessions s on s.project_id = b.project_id and s.session_id = b.session_id',
  conditions: ['b.project_id = $1', 'b.account_id = p.id', 's.project_id = $1'],
  start: 'b.session_start',
  id: 'b.session_id',
};

const COLUMNS = SESSION_COLUMNS.map((column) => `s.${column}`).join(', ');

/**
 * Sessions of the project by a risk signal: `mask` are the sets of signals that sessions raise together, some dozens, and
 * those with the signal are each a range of the index `sessions_signals`.
 */
const MASKS = `with recursive mask (signals) as (
    (select f.signals from sessions f where f.project_id = $1 and f.signals <> 0 order by f.signals limit 1)
    union all
    select (
      select n.signals from sessions n
      where n.project_id = $1 and n.signals <> 0 and n.signals > mask.signals order by n.signals limit 1
    ) from mask where mask.signals is not null
  )`;

/** Whether the ranges of its signal serve a filter best: other conditions that few sessions meet have indexes of their own. */
const isBySignal = (filter: SessionConditions) =>
  filter.signalBit != null &&
  !filter.decision &&
  !filter.addressHash &&
  !filter.subnetHash &&
  !filter.deviceId &&
  !filter.browserHash;

/** Whether sessions are selected by a decision and a risk signal, and by nothing that fewer sessions have. */
const isBySignalAndDecision = ({ decision, ...filter }: SessionConditions) =>
  decision != null && isBySignal(filter);

/** Of so few sessions with a risk signal the decisions are looked up; with more, some are soon found among the decided. */
const FEW_SESSIONS = 5000;

/**
 * A page of sessions by a risk signal and a decision. How many sessions have both is in no statistics: without the first
 * part, the few with a rare signal would be looked for among all sessions of the decision.
 */
function pageOfDecidedWithSignal(bit: string, where: string, order: string): string {
  const { from } = BY_DECISION;
  return `${MASKS}, few as materialized (
      select s.session_id from mask cross join lateral (
        select s.session_id from sessions s
        where s.project_id = $1 and s.signals = mask.signals and s.signals <> 0 limit ${FEW_SESSIONS + 1}
      ) s where mask.signals & ${bit} <> 0 limit ${FEW_SESSIONS + 1}
    ), signal as materialized (select count(*) <= ${FEW_SESSIONS} as is_rare from few)
    select ${COLUMNS} from (
      (select b.session_start, b.session_id from few cross join lateral (
         select b.session_start, b.session_id from ${from} where b.session_id = few.session_id and ${where} limit 1
       ) b where (select is_rare from signal) ${order})
      union all
      (select b.session_start, b.session_id from ${from} where not (select is_rare from signal) and ${where} ${order})
    ) b join sessions s on s.project_id = $1 and s.session_id = b.session_id ${order}`;
}

const ofProject = ({ decision }: SessionConditions) => (decision ? BY_DECISION : OF_PROJECT);

/**
 * What a filter selects from a source, with further values from $2 on. A condition is written as in the index that serves
 * it.
 */
function selectionOf(
  database: ProjectDatabase,
  { conditions, start, id }: Source,
  filter: SessionConditions,
  values: readonly unknown[] = [],
) {
  const selection = selectionIn(database, conditions, values);
  const { parameter, add } = selection;
  if (filter.source) add('source', `s.source = ${parameter(filter.source)}`);
  if (filter.connectionType) add('connection', `s.connection_type = ${parameter(filter.connectionType)}`);
  if (filter.country) add('country', `s.true_country_code = ${parameter(filter.country)}`);
  if (filter.addressHash)
    add(
      'address',
      `case when s.address_hash is null then s.network_hash else s.address_hash end = ${parameter(filter.addressHash)}`,
    );
  if (filter.subnetHash)
    add(
      'subnet',
      `case when s.subnet_hash is null then s.compared_subnet_hash else s.subnet_hash end = ${parameter(filter.subnetHash)}`,
    );
  if (filter.deviceId) add('device', `s.device_id = ${parameter(filter.deviceId)} and s.device_id <> ''`);
  if (filter.browserHash) add('browser', `s.browser_hash = ${parameter(filter.browserHash)}`);
  if (filter.signalBit) {
    // Of the ranges, before they are read; of a session otherwise.
    const owner = isBySignal(filter) ? 'mask' : 's';
    add('signal', `${owner}.signals & ${parameter(filter.signalBit)} <> 0`);
  }
  if (filter.decision) add('decision', `b.decision = ${parameter(filter.decision)}`);
  if (filter.startedAfter) add('started_after', `${start} >= ${parameter(filter.startedAfter)}::timestamptz`);
  if (filter.startedBefore)
    add('started_before', `${start} < ${parameter(filter.startedBefore)}::timestamptz`);
  const columns = [
    { sql: start, type: 'timestamptz' },
    { sql: id, type: 'uuid' },
  ];
  return { selection, columns };
}

/** A page of the sessions of the project by their start, in the order in which it is read. */
export function searchSessions(
  database: ProjectDatabase,
  { direction, page, ...filter }: SessionRange,
): Promise<StoredSession[]> {
  const { from } = ofProject(filter);
  const { selection, columns } = selectionOf(database, ofProject(filter), filter);
  return findPage(selection, 'session.search', { columns, direction, page }, ({ where, order }) => {
    const pageOf = (condition: string) => `select ${COLUMNS} from ${from} where ${condition} ${order}`;
    if (isBySignalAndDecision(filter))
      return pageOfDecidedWithSignal(selection.parameter(filter.signalBit), where, order);
    if (!isBySignal(filter)) return pageOf(where);
    return `${MASKS} select ${COLUMNS} from mask cross join lateral (
      ${pageOf(`s.signals = mask.signals and s.signals <> 0 and ${where}`)}
    ) s ${order}`;
  });
}

export type SessionOfAccount = StoredSession & { parent_id: string };

/** The same page of the sessions of each account, by their internal ids; one statement for all accounts. */
export function searchSessionsOfAccounts(
  database: ProjectDatabase,
  accountIds: readonly string[],
  { direction, page, ...filter }: SessionRange,
): Promise<SessionOfAccount[]> {
  const { selection, columns } = selectionOf(database, OF_ACCOUNT, filter, [accountIds]);
  return findPage(
    selection,
    'session.search_of_accounts',
    { columns, direction, page },
    ({ where, order, reads }) => `select p.id as parent_id, ${COLUMNS}
         from unnest($2::uuid[]) as p (id) cross join lateral (
               select ${COLUMNS} from ${OF_ACCOUNT.from} where ${where} ${order}
             ) s
             order by p.id, s.start_time ${reads}, s.session_id ${reads}`,
  );
}

/** Number of sessions of the project, counted up to a limit in the order of the index that serves the conditions. */
export function countSessions(
  database: ProjectDatabase,
  filter: SessionConditions,
  limit: number,
): Promise<number> {
  const { from } = ofProject(filter);
  const { selection, columns } = selectionOf(database, ofProject(filter), filter);
  const by = columns.map(({ sql }) => `${sql} desc`).join(', ');
  return countFound(selection, 'session.count', limit, (where, most) =>
    isBySignal(filter)
      ? `${MASKS} select from mask cross join lateral (
           select from ${from} where s.signals = mask.signals and s.signals <> 0 and ${where} order by ${by} limit ${most}
         ) s limit ${most}`
      : `select from ${from} where ${where} order by ${by} limit ${most}`,
  );
}

/** Number of sessions of each account, by their internal ids, counted up to a limit. */
export function countSessionsOfAccounts(
  database: ProjectDatabase,
  accountIds: readonly string[],
  filter: SessionConditions,
  limit: number,
): Promise<number[]> {
  const { selection } = selectionOf(database, OF_ACCOUNT, filter, [accountIds, limit]);
  const { conditions, shape, values } = selection;
  const name = ['session.count_of_accounts', ...shape].join(':');
  const statement = countOfEach(name, `${OF_ACCOUNT.from} where ${conditions.join(' and ')}`);
  return countEach(database, statement, accountIds, limit, ...values.slice(3));
}

const SESSION_IDS_OF_ACCOUNT = {
  name: 'session.ids_of_account',
  text: `select b.session_id from account_sessions b where b.project_id = $1 and b.account_id = $2
           and exists (select 1 from sessions s where s.project_id = $1 and s.session_id = b.session_id)
         order by b.session_start desc, b.session_id desc limit $3`,
};

/** The ids of an account's sessions, newest first. */
export async function findSessionIdsOfAccount(
  database: ProjectDatabase,
  accountId: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(SESSION_IDS_OF_ACCOUNT, [database.projectId, accountId, limit]);
  return rows.map((row) => row.session_id);
}
