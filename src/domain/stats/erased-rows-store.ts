import type { Call, Statement } from '../../storage/database.ts';
import { type ErasedAccount, isOfOtherCheck } from '../model/account-erasure-store.ts';
import { sessionsReferredToBy } from '../sessions/referring-sessions.ts';
import {
  AUTHENTICATED,
  CHECK_COLUMNS,
  CHECK_ENDED,
  DECISION_COLUMNS,
  type DecisionRow,
  IS_ENDED,
  SESSION_COMPLETED,
  WITH_BINDING,
} from './counted-rows-store.ts';

/*
 * Counted rows that an erasure deletes, and rows whose event it deletes before the worker has counted it. $1: project, $2:
 * internal id of the account, $3: its id. Read under the lock of the project's position, before anything is deleted.
 */

/** Locks the position of a project. Requests lock it before anything else. */
export const LOCK_FOR_ERASURE: Statement = {
  name: 'stats.lock',
  text: 'select from stats_positions where project_id = $1 for update',
};

const EVENTS = `select e.type, e.account_id, e.session_id, e.created_at from outbox_events e
    where e.project_id = $1 and (
      exists (select from outbox_unnumbered_writes u where u.project_id = $1 and u.write_id = e.write_id)
      or exists (
        select from outbox_writes w where w.project_id = $1 and w.write_id = e.write_id and w.first_position + e.place > (
          select s.position from stats_positions s where s.project_id = $1
        )
      ))`;

/** Sessions whose events are deleted: those of the account's checks, and those that only these checks refer to. */
const NAMED = `gone as materialized (
    select project_id, session_id, referring_session_id from verification_sessions
    where project_id = $1 and (bound_account_id = $2 or account_id = $3)
  ), referring as (${sessionsReferredToBy('gone')}
  ), named as materialized (
    select session_id from gone union select session_id from referring
  )`;

/** Sessions that are deleted, or would be if they existed: neither another account nor its check has them. */
const UNSHARED = `unshared as materialized (
    select t.session_id from (
      select session_id from named
      union select session_id from account_sessions where project_id = $1 and account_id = $2
    ) t where not exists (
      select from account_sessions o
      where o.project_id = $1 and o.session_id = t.session_id and o.account_id <> $2)
      and not ${isOfOtherCheck('t.session_id')}
  )`;

const uncountedOf = (sessions: string) => `uncounted as materialized (
    ${EVENTS} and e.account_id = $2 union ${EVENTS} and e.session_id = any (array(${sessions}))
  )`;

const isUncounted = (row: string) => `exists (
    select from uncounted u where u.type = '${AUTHENTICATED}' and u.account_id = ${row}.account_id
      and u.session_id = ${row}.session_id and u.created_at = ${row}.at)`;

/** Joins the rows of other accounts whose event is deleted. */
const ofOthers = (row: string) => `uncounted o on o.type = '${AUTHENTICATED}' and o.account_id <> $2
    and ${row}.account_id = o.account_id and ${row}.session_id = o.session_id and ${row}.at = o.created_at`;

const COMPLETED = `select session_id, bool_or(is_removed) as is_removed, bool_or(not is_removed) as is_uncounted from (
    select session_id, true as is_removed from unshared
    union all select session_id, false from uncounted where type = '${SESSION_COMPLETED}'
  ) s group by session_id`;

const ENDED = `select session_id, bool_or(is_removed) as is_removed, bool_or(not is_removed) as is_uncounted from (
    select session_id, true as is_removed from gone
    union all select session_id, false from uncounted where type in ('${CHECK_ENDED.join("', '")}')
  ) s group by session_id`;

const MATCHED = `select m.*, true as is_removed from rule_matches m where m.project_id = $1 and m.account_id = $2
    union select m.*, false from rule_matches m join ${ofOthers('m')} where m.project_id = $1`;

const NUMBERS = `count(*) filter (where x.is_removed)::int as removed,
    count(*) filter (where x.is_uncounted)::int as uncounted`;
const hourOf = (time: string) => `date_trunc('hour', ${time}, 'UTC')`;

/** Rows of all kinds but decisions, by hour. Outcomes are counted from now on, because no row is left to count. */
const ERASED_ROWS: Statement = {
  name: 'stats.erased_rows',
  text: `with ${NAMED}, ${UNSHARED},
           ${uncountedOf('select session_id from named union select session_id from unshared')}
         select 'session' as "of", ${hourOf('s.completed_at')} as at, '' as name, false as shadow, '' as state, '' as decision,
           ${NUMBERS}
         from (${COMPLETED}) x join sessions s on s.project_id = $1 and s.session_id = x.session_id
         where s.completed_at is not null group by 2
         union all
         select 'check', ${hourOf('x.completed_at')}, x.kind, false, x.state, x.decision, ${NUMBERS}
         from (
           select ${CHECK_COLUMNS}, e.is_removed, e.is_uncounted
           from (${ENDED}) e join verification_sessions v on v.project_id = $1 and v.session_id = e.session_id
           where ${IS_ENDED}
         ) x group by 2, 3, 5, 6
         union all
         select 'match', ${hourOf('x.at')}, x.rule_id::text, x.shadow, '', '', ${NUMBERS}
         from (select m.*, ${isUncounted('m')} as is_uncounted from (${MATCHED}) m) x group by 2, 3, 4
         union all
         select 'outcome', ${hourOf('o.reported_at')}, o.outcome, false, '', '', count(*)::int, count(*)::int
         from account_outcomes o where o.project_id = $1 and o.account_id = $2 group by 2, 3`,
};

export type ErasedRows = {
  readonly of: 'session' | 'check' | 'match' | 'outcome';
  readonly at: Date;
  /** Kind of a check, id of a rule or outcome. */
  readonly name: string;
  readonly shadow: boolean;
  readonly state: string;
  readonly decision: string;
  /** Number of rows that are deleted. */
  readonly removed: number;
  /** Number of rows that the worker cannot count any more. */
  readonly uncounted: number;
};

/** A page of the account's decisions after the id $4; with the first page those of other accounts whose event is deleted. */
const ERASED_DECISIONS: Statement = {
  name: 'stats.erased_decisions',
  text: `with ${NAMED}, ${uncountedOf('select session_id from named')}, page as materialized (
           select o.* from decisions o where o.project_id = $1 and o.account_id = $2 and ($4::uuid is null or o.decision_id > $4)
           order by o.decision_id limit $5
         ), others as materialized (
           select d.* from decisions d join ${ofOthers('d')} where d.project_id = $1 and $4::uuid is null
         )
         select ${DECISION_COLUMNS}, d.account_id = $2 as is_removed, ${isUncounted('d')} as is_uncounted
         from (select * from page union select * from others) d ${WITH_BINDING}
         order by is_removed, d.decision_id`,
};

export type ErasedDecision = DecisionRow & { readonly is_removed: boolean; readonly is_uncounted: boolean };

export const erasedRowsCall = ({ projectId, id, accountId }: ErasedAccount): Call => [
  ERASED_ROWS,
  [projectId, id, accountId],
];

export const erasedDecisionsCall = (
  { projectId, id, accountId }: ErasedAccount,
  after: string | null,
  limit: number,
): Call => [ERASED_DECISIONS, [projectId, id, accountId, after, limit]];
