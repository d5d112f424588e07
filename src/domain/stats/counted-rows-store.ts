import type { Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { eventsByPosition, isOfWrite } from '../events/numbered-events-sql.ts';
import type { CountedCheck, CountedMatch } from './counters.ts';

/*
 * Rows of counted events. A change writes its rows and its events with the same time, so that rows are found by account, session
 * and time of the event.
 */

export type DecisionRow = {
  decision_id: string;
  at: Date;
  decision: string;
  inputs: Buffer;
  /** Time when the session was bound to the account. */
  bound_at: Date | null;
};
export type MatchRow = CountedMatch & { match_id: string };
export type CheckRow = CountedCheck & { session_id: string };

export const DECISION_COLUMNS = 'd.decision_id, d.at, d.decision, d.inputs, b.bound_at';
export const WITH_BINDING = `left join account_sessions b
    on b.project_id = $1 and b.account_id = d.account_id and b.session_id = d.session_id`;

/** Decisions of `account.authenticated` events. `firstIds` and `endIds`: range of ids of the event's time. */
export const DECISIONS_OF_EVENTS = namedStatement(
  'stats.decisions_of_events',
  `select ${DECISION_COLUMNS}
         from unnest(:accountIds::uuid[], :sessionIds::uuid[], :requestIds::uuid[], :times::timestamptz[], :firstIds::uuid[],
           :endIds::uuid[])
           as e (account_id, session_id, request_id, at, first_id, end_id)
         join decisions d on d.project_id = :projectId and d.account_id = e.account_id and d.decision_id >= e.first_id
           and d.decision_id < e.end_id and d.session_id = e.session_id and d.request_id = e.request_id
         ${WITH_BINDING}`,
);

export const MATCHES_OF_EVENTS: Statement = {
  name: 'stats.matches_of_events',
  text: `select m.match_id, m.at, m.rule_id, m.shadow
         from unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as e (account_id, session_id, at)
         join rule_matches m on m.project_id = $1 and m.account_id = e.account_id and m.session_id = e.session_id
           and m.at = e.at`,
};

export const SESSIONS_OF_EVENTS: Statement = {
  name: 'stats.sessions_of_events',
  text: `select s.completed_at from sessions s
         where s.project_id = $1 and s.session_id = any ($2::uuid[]) and s.completed_at is not null`,
};

/** With the decision of the completion: a later assessment does not change statistics. */
export const CHECK_COLUMNS =
  'v.session_id, v.kind, v.state, coalesce(v.first_decision, v.decision) as decision, v.completed_at';
export const IS_ENDED = `v.state in ('completed', 'failed') and v.completed_at is not null`;

export const CHECKS_OF_EVENTS: Statement = {
  name: 'stats.checks_of_events',
  text: `select ${CHECK_COLUMNS} from verification_sessions v
         where v.project_id = $1 and v.session_id = any ($2::uuid[]) and ${IS_ENDED}`,
};

/** Counted event types. */
export const AUTHENTICATED = 'account.authenticated';
export const SESSION_COMPLETED = 'session.completed';
export const CHECK_ENDED = [
  'verification.id_check.completed',
  'verification.face_check.completed',
  'verification.failed',
] as const;

/**
 * Committed events after the position $2, including events without a position: the worker will count their rows. A row and its
 * event are committed together, so that one statement sees both or none.
 */
const UNCOUNTED = `uncounted as materialized (
    select type, account_id, session_id, created_at from ${eventsByPosition({ after: '$2' })}
    union all
    select type, account_id, session_id, created_at from outbox_unnumbered_writes u cross join lateral (
      select o.* from outbox_events o where ${isOfWrite('u')} offset 0
    ) e where u.project_id = $1
  )`;

const isCounted = (row: string) => `not exists (
    select from uncounted u where u.type = '${AUTHENTICATED}' and u.account_id = ${row}.account_id
      and u.session_id = ${row}.session_id and u.created_at = ${row}.at)`;

/** A page of decisions with ids after $3 and before $4, with whether they are counted. */
export const COUNTED_DECISIONS: Statement = {
  name: 'stats.counted_decisions',
  text: `with ${UNCOUNTED}, page as materialized (
           select * from decisions o where o.project_id = $1 and o.decision_id > $3 and o.decision_id < $4
           order by o.decision_id limit $5
         )
         select ${DECISION_COLUMNS}, ${isCounted('d')} as is_counted from page d ${WITH_BINDING}
         order by d.decision_id`,
};

/** Counted matches with ids from $3 to before $4, of one hour. */
export const COUNTED_MATCHES: Statement = {
  name: 'stats.counted_matches',
  text: `with ${UNCOUNTED}
         select min(m.at) as at, m.rule_id, m.shadow, count(*)::int as times from rule_matches m
         where m.project_id = $1 and m.match_id >= $3 and m.match_id < $4 and ${isCounted('m')}
         group by m.rule_id, m.shadow`,
};

/**
 * Counted sessions that were completed from $4 on, by hour: those with ids from $3 on, and those of checks, which complete with
 * the check, however late that is.
 */
export const COUNTED_SESSIONS: Statement = {
  name: 'stats.counted_sessions',
  text: `with ${UNCOUNTED}, checked as materialized (
           select v.session_id from verification_sessions v
           where v.project_id = $1 and v.completed_at >= $4 and v.session_id < $3
         )
         select date_trunc('hour', s.completed_at, 'UTC') as completed_at, count(*)::int as times from (
           select session_id, completed_at from sessions where project_id = $1 and session_id >= $3
           union all
           select o.session_id, o.completed_at from checked c
           join sessions o on o.project_id = $1 and o.session_id = c.session_id
         ) s
         where s.completed_at >= $4
           and not exists (
             select from uncounted u where u.type = '${SESSION_COMPLETED}' and u.session_id = s.session_id)
         group by 1`,
};

/** Counted checks that were over from $3 on. */
export const COUNTED_CHECKS: Statement = {
  name: 'stats.counted_checks',
  text: `with ${UNCOUNTED}
         select ${CHECK_COLUMNS} from verification_sessions v
         where v.project_id = $1 and v.completed_at >= $3 and ${IS_ENDED}
           and not exists (
             select from uncounted u where u.type = any ($4::text[]) and u.session_id = v.session_id)`,
};
