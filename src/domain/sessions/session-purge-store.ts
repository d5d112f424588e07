import { firstIdAt } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import { createSweep, type PurgeRun } from '../../storage/purge.ts';
import { removeReferringSessions } from './referring-sessions.ts';

const HOUR_MS = 3_600_000;

/** At this age the checks that kept a session are over, with what refers to it. */
const SECOND_SWEEP_MS = 40 * 24 * HOUR_MS;

/** How long a session without account or check is kept after it expired. */
const KEPT_AFTER_EXPIRY_MS = 24 * HOUR_MS;

/** Statements that remove what belongs to the sessions in `chosen`. */
const DEPENDENT_ROWS = {
  images: `update media_objects m set state = 'gone' from chosen c
   where m.project_id = c.project_id and m.session_id = c.session_id and m.state <> 'gone'`,
};

/** A check keeps its own session and the one that it refers to, until only its remainder is kept. */
const HAS_CHECK = `
  exists (
    select 1 from verification_sessions v
    where v.project_id = x.project_id and v.session_id = x.session_id and octet_length(v.secret_hash) > 0
  ) or exists (
    select 1 from verification_sessions v where v.project_id = x.project_id and v.referring_session_id = x.session_id
  )`;

const IS_BOUND = `exists (
    select 1 from account_sessions b where b.project_id = x.project_id and b.session_id = x.session_id
  )`;

const UNBOUND = {
  table: 'sessions',
  id: 'session_id',
  condition: `x.expires_at < $3 and not (${IS_BOUND}) and not (${HAS_CHECK})`,
  also: DEPENDENT_ROWS,
};
const sweepUnbound = createSweep({ name: 'unbound_session', ...UNBOUND });
const sweepUnboundAgain = createSweep({ name: 'unbound_session_again', ...UNBOUND });

/**
 * Removes sessions with neither an account nor a verification, 24 hours after their expiry. Ids begin with the time of
 * creation, so that sessions that can still be bound are not examined yet. Sessions kept by a verification are removed with
 * it. A second sweep finds sessions that remained when two gateways removed the last two verifications concurrently.
 */
export async function purgeUnboundSessions(run: PurgeRun): Promise<number> {
  const expiredBefore = new Date(run.now.getTime() - KEPT_AFTER_EXPIRY_MS);
  const createdBefore = new Date(expiredBefore.getTime() - LIMITS.sessionHours * HOUR_MS);
  const rows = await sweepUnbound(run, firstIdAt(createdBefore), expiredBefore);
  const again = firstIdAt(new Date(run.now.getTime() - SECOND_SWEEP_MS));
  return rows + (await sweepUnboundAgain(run, again, expiredBefore));
}

const sweepBound = createSweep({
  name: 'bound_session',
  table: 'sessions',
  id: 'session_id',
  condition: IS_BOUND,
  also: {
    ...DEPENDENT_ROWS,
    checks: `delete from verification_sessions v using chosen c
     where v.project_id = c.project_id and v.session_id = c.session_id
     returning v.project_id, v.session_id, v.referring_session_id`,
    ...removeReferringSessions('checks'),
    last_sessions: `update accounts a set last_session = null from chosen c
     join account_sessions b on b.project_id = c.project_id and b.session_id = c.session_id
     where a.project_id = c.project_id and a.id = b.account_id and a.last_session = c.session_id`,
  },
});

/**
 * Removes sessions of accounts older than a number of days. The account keeps the derived data: identifiers, links,
 * averages, decisions, and the scores of each session, from which averages are rebuilt.
 */
export function purgeBoundSessions(run: PurgeRun, retentionDays: number): Promise<number> {
  return sweepBound(run, firstIdAt(new Date(run.now.getTime() - retentionDays * 24 * HOUR_MS)));
}

/**
 * Removes the sessions of checks that go or of which only a remainder is kept, and the sessions that these refer to, unless
 * an account or another check keeps them. For the rows of verification_sessions in `chosen`; `expiredBefore` is SQL.
 */
export const removeSessionsOfChecks = (expiredBefore: string): string => `
  delete from sessions x using (
    select c.project_id, c.session_id from chosen c
    union
    select v.project_id, v.referring_session_id from chosen c
    join verification_sessions v on v.project_id = c.project_id and v.session_id = c.session_id
    where v.referring_session_id is not null
  ) o
  where x.project_id = o.project_id and x.session_id = o.session_id and x.expires_at < ${expiredBefore}
    and not (${IS_BOUND}) and not exists (
      select 1 from verification_sessions v
      where v.project_id = x.project_id and (v.session_id = x.session_id and octet_length(v.secret_hash) > 0 or v.referring_session_id = x.session_id)
        and not exists (select 1 from chosen c where c.project_id = v.project_id and c.session_id = v.session_id)
    )`;
