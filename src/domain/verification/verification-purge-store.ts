import { NIL_UUID } from '@vouchgraph/platform/ids';
import { READABLE_DAYS } from '@vouchgraph/verification';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { removeReferringSessions } from '../sessions/referring-sessions.ts';
import { removeSessionsOfChecks } from '../sessions/session-purge-store.ts';

const DAY_MS = 86_400_000;

/** Time for which the former existence of a check stays known after its rows are removed. */
const REMAINDER_DAYS = 90;

/** Sessions expire a day after their creation, long before their checks, or checks that refer to them, are purged. */
const LONG_EXPIRED = `$1::timestamptz + interval '25 days'`;

/** Deletes the dependent rows of the checks in `chosen`. */
const WITH_CHECKS = {
  images: `update media_objects m set state = 'gone' from chosen c
           where m.project_id = c.project_id and m.session_id = c.session_id and m.state <> 'gone'`,
  visits: removeSessionsOfChecks(LONG_EXPIRED),
};

/** Deletes the sessions that checks in `chosen` refer to, with their events, which no later erasure would find. */
const WITH_REFERRING = {
  checks: `select v.project_id, v.session_id, v.referring_session_id from chosen c
           join verification_sessions v on v.project_id = c.project_id and v.session_id = c.session_id
           where v.bound_account_id is not null or v.account_id is not null`,
  ...removeReferringSessions('checks'),
};

const purgeFaces = createPurge({
  name: 'face',
  table: 'face_templates',
  key: ['template_id'],
  column: 'expires_at',
  first: '-infinity',
  condition: 'x.expires_at is not null',
  index: 'all',
});
const purgeDocuments = createPurge({
  name: 'document',
  table: 'document_sightings',
  key: ['session_id'],
  column: 'expires_at',
  first: '-infinity',
  condition: 'x.expires_at is not null',
  index: 'all',
});

const purgeResults = createPurge({
  name: 'verification_result',
  table: 'verification_sessions',
  key: ['session_id'],
  column: 'created_at',
  first: '-infinity',
  condition: 'x.result is not null or x.capture is not null',
  index: 'all',
  change: `update verification_sessions x set result = null, capture = null from chosen c
           where x.project_id = c.project_id and x.session_id = c.session_id`,
});

/** Sessions without a result: never started, or failed, maybe long after their creation. Their images are removed with them. */
const purgeWithoutResult = createPurge({
  name: 'verification_without_result',
  table: 'verification_sessions',
  key: ['session_id'],
  column: 'created_at',
  first: '-infinity',
  condition: `x.state not in ('processing', 'completed') and (x.completed_at is null or x.completed_at <= $1)`,
  index: 'all',
  change: `delete from verification_sessions x using chosen c
           where x.project_id = c.project_id and x.session_id = c.session_id`,
  also: { ...WITH_CHECKS, ...WITH_REFERRING },
});

/** Completed checks without an account. Only their kind and the time of completion are kept. */
const reduceUnbound = createPurge({
  name: 'verification_unbound',
  table: 'verification_sessions',
  key: ['session_id'],
  column: 'completed_at',
  first: '-infinity',
  condition: `x.state = 'completed' and x.bound_account_id is null and octet_length(x.secret_hash) > 0`,
  index: 'project',
  change: `update verification_sessions x
           set secret_hash = '', simulation = null, capture_hash = null, handover_hash = null,
             handover_expires_at = null, account_id = null,
             referring_session_id = null, encrypted_redirect_url = null, language = '', challenge = '{}',
             request_id = '${NIL_UUID}', failure = '',
             created_at = x.completed_at, expires_at = x.completed_at, opened_at = null, started_at = null,
             submitted_at = null, consent_at = null, consent_version = '', attempts = 0, document_retakes = 0,
             claims = 0, lease_id = null, claimable_at = null,
             retake_reason = '', decision = '', first_decision = null, review = '',
             risk_score = null, capture = null, result = null
           from chosen c where x.project_id = c.project_id and x.session_id = c.session_id`,
  also: {
    ...WITH_CHECKS,
    reviews: `delete from verification_reviews r using chosen c
              where r.project_id = c.project_id and r.session_id = c.session_id`,
  },
});

/** Completed checks of an account are kept without their referring session, which is no longer compared. */
const forgetReferring = createPurge({
  name: 'verification_referring',
  table: 'verification_sessions',
  key: ['session_id'],
  column: 'completed_at',
  first: '-infinity',
  condition: `x.state = 'completed' and x.bound_account_id is not null and x.referring_session_id is not null`,
  index: 'project',
  change: `update verification_sessions x set referring_session_id = null from chosen c
           where x.project_id = c.project_id and x.session_id = c.session_id`,
  also: WITH_REFERRING,
});

const purgeRemainders = createPurge({
  name: 'verification_remainder',
  table: 'verification_sessions',
  key: ['session_id'],
  column: 'completed_at',
  first: '-infinity',
  condition: 'octet_length(x.secret_hash) = 0',
  index: 'project',
});

/**
 * Removes checks without a result, checks without an account 31 days after their completion, and faces and documents that
 * are no longer compared. A check of an account loses its referring session, and its result once that has expired.
 */
export async function purgeSeen(run: PurgeRun): Promise<void> {
  const daysAgo = (days: number) => new Date(run.now.getTime() - days * DAY_MS);
  const unreadable = daysAgo(READABLE_DAYS + 1);
  await purgeWithoutResult(run, unreadable);
  await reduceUnbound(run, unreadable);
  await forgetReferring(run, unreadable);
  await purgeRemainders(run, daysAgo(READABLE_DAYS + 1 + REMAINDER_DAYS));
  await purgeResults(run, unreadable);
  await purgeFaces(run, run.now);
  await purgeDocuments(run, run.now);
}
