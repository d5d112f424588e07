import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { GoneMedia } from '../media/media-store.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import { FACE_PIPELINE_VERSION } from '../vision/faces/face-pipeline.ts';
import type { Failure } from './failure.ts';
import type { RetakeReason } from './retake-reason.ts';
import type { Simulation } from './simulation.ts';
import { captureStartedAfter, type StoredState, TRANSITIONS, type VerificationEvent } from './state-table.ts';

/** A verification session as it is stored. */
export type VerificationRow = {
  session_id: string;
  kind: VerificationKind;
  state: StoredState;
  failure: Failure | '';
  simulation: Simulation | null;
  secret_hash: Buffer;
  capture_hash: Buffer | null;
  handover_hash: Buffer | null;
  /** The client's own account id that it was made for. */
  account_id: string | null;
  bound_account_id: string | null;
  referring_session_id: string | null;
  /** Plain in rows of earlier versions, '' otherwise. */
  redirect_url: string;
  sealed_redirect_url: Buffer | null;
  language: string;
  challenge: string[];
  request_id: string;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  started_at: Date | null;
  submitted_at: Date | null;
  completed_at: Date | null;
  consent_at: Date | null;
  consent_version: string;
  attempts: number;
  /** Number of times its document was captured again. */
  document_retakes: number;
  /** Why the document had to be captured again the last time; '' if it never had to. */
  retake_reason: RetakeReason | '';
  decision: string;
  risk_score: number | null;
  capture: Buffer | null;
  result: Buffer | null;
  /** What is stored of its pictures: kind and position, such as `face_frame:0`. */
  media: string[];
};

const OWN_COLUMNS = `v.session_id, v.kind, v.state, v.failure, v.simulation, v.secret_hash, v.capture_hash, v.handover_hash,
  v.account_id, v.bound_account_id, v.referring_session_id, v.redirect_url, v.sealed_redirect_url, v.language, v.challenge, v.request_id,
  v.created_at, v.expires_at, v.opened_at, v.started_at, v.submitted_at, v.completed_at, v.consent_at,
  v.consent_version, v.attempts, v.document_retakes, v.retake_reason, v.decision, v.risk_score, v.capture, v.result`;
const COLUMNS = `${OWN_COLUMNS}, array(
    select m.kind || ':' || m.sequence from media_objects m
    where m.project_id = $1 and m.session_id = v.session_id and m.state = 'stored' order by m.kind, m.sequence
  ) as media`;

/** What an event does to a state, and in which states it may happen, as the state table has it. */
const to = (event: VerificationEvent) => `state = '${TRANSITIONS[event].to}'`;
const from = (event: VerificationEvent) =>
  `state in (${TRANSITIONS[event].from.map((state) => `'${state}'`).join(', ')})`;

const INSERT: Statement = {
  name: 'verification.insert',
  text: `insert into verification_sessions as v (project_id, session_id, kind, simulation, secret_hash, account_id,
           referring_session_id, sealed_redirect_url, language, challenge, request_id, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         returning ${OWN_COLUMNS}, '{}'::text[] as media`,
};

export type NewVerification = Pick<
  VerificationRow,
  | 'session_id'
  | 'kind'
  | 'simulation'
  | 'secret_hash'
  | 'account_id'
  | 'referring_session_id'
  | 'sealed_redirect_url'
  | 'language'
  | 'challenge'
  | 'request_id'
  | 'created_at'
  | 'expires_at'
>;

export async function insertVerification(
  database: ProjectDatabase,
  row: NewVerification,
): Promise<VerificationRow> {
  const [stored] = await database.query<VerificationRow>(INSERT, [
    database.projectId,
    row.session_id,
    row.kind,
    row.simulation && JSON.stringify(row.simulation),
    row.secret_hash,
    row.account_id,
    row.referring_session_id,
    row.sealed_redirect_url,
    row.language,
    row.challenge,
    row.request_id,
    row.created_at,
    row.expires_at,
  ]);
  return stored!;
}

const FIND: Statement = {
  name: 'verification.find',
  text: `select ${COLUMNS} from verification_sessions v where v.project_id = $1 and v.session_id = $2`,
};

export async function findVerification(
  database: ProjectDatabase,
  sessionId: string,
): Promise<VerificationRow | null> {
  const [row] = await database.query<VerificationRow>(FIND, [database.projectId, sessionId]);
  return row ?? null;
}

/** The project of a session: a page knows its session alone. Asked as the system. */
export const FIND_PROJECT_OF_SESSION: Statement = {
  name: 'verification.find_project',
  text: 'select project_id from verification_sessions where session_id = $1',
};

const OPEN: Statement = {
  name: 'verification.open',
  text: `update verification_sessions set ${to('open')}, opened_at = $3
         where project_id = $1 and session_id = $2 and ${from('open')} and expires_at > $3 and simulation is null`,
};

/** Notes that a person's browser shows the page; what it is later stays. */
export async function noteOpened(database: ProjectDatabase, sessionId: string, now: Date): Promise<void> {
  await database.query(OPEN, [database.projectId, sessionId, now]);
}

const SET_REDIRECT: Statement = {
  name: 'verification.set_redirect',
  text: `update verification_sessions set sealed_redirect_url = $3
         where project_id = $1 and session_id = $2 and redirect_url = '' and sealed_redirect_url is null
           and ${from('start')}`,
};

/** Where it returns to, once, and before it is started. */
export async function setRedirectUrl(
  database: ProjectDatabase,
  sessionId: string,
  sealedRedirectUrl: Buffer,
): Promise<void> {
  await database.query(SET_REDIRECT, [database.projectId, sessionId, sealedRedirectUrl]);
}

const START: Statement = {
  name: 'verification.start',
  text: `update verification_sessions v
         set ${to('start')}, opened_at = coalesce(v.opened_at, $3), started_at = $3, capture_hash = $4,
           consent_at = $5, consent_version = $6, language = coalesce(nullif($7, ''), v.language)
         where v.project_id = $1 and v.session_id = $2 and ${from('start')} and v.expires_at > $3
           and v.simulation is null
         returning ${OWN_COLUMNS}, '{}'::text[] as media`,
};

export type Start = {
  sessionId: string;
  now: Date;
  /** null of an app that uploads by signed addresses. */
  captureHash: Buffer | null;
  consentAt: Date | null;
  consentVersion: string;
  language: string;
};

/** Whoever comes first starts it; null when it was started before, or cannot be. */
export async function startVerification(
  database: ProjectDatabase,
  { sessionId, now, captureHash, consentAt, consentVersion, language }: Start,
): Promise<VerificationRow | null> {
  const values = [database.projectId, sessionId, now, captureHash, consentAt, consentVersion, language];
  const [row] = await database.query<VerificationRow>(START, values);
  return row ?? null;
}

const SET_HANDOVER: Statement = {
  name: 'verification.offer_handover',
  text: `update verification_sessions set handover_hash = $4
         where project_id = $1 and session_id = $2 and state = 'capturing' and capture_hash = $3
         returning session_id`,
};

/** Lets another device go on; false when the session does not capture with this token. */
export async function offerHandover(
  database: ProjectDatabase,
  sessionId: string,
  captureHash: Buffer,
  handoverHash: Buffer,
): Promise<boolean> {
  const values = [database.projectId, sessionId, captureHash, handoverHash];
  return (await database.query(SET_HANDOVER, values)).length > 0;
}

const TAKE_OVER: Statement = {
  name: 'verification.take_over',
  text: `update verification_sessions v set capture_hash = $4, handover_hash = null
         where v.project_id = $1 and v.session_id = $2 and v.state = 'capturing' and v.handover_hash = $3
         returning ${COLUMNS}`,
};

/** The other device goes on, once; what captured before does no more. */
export async function takeOver(
  database: ProjectDatabase,
  sessionId: string,
  handoverHash: Buffer,
  captureHash: Buffer,
): Promise<VerificationRow | null> {
  const values = [database.projectId, sessionId, handoverHash, captureHash];
  const [row] = await database.query<VerificationRow>(TAKE_OVER, values);
  return row ?? null;
}

/** $3 now, $4 what was told of the capture, sealed; $5, $6: consent, of an app, which tells it with its
 *  pictures; $7 when it must have been started after. */
export const SUBMIT: Statement = {
  name: 'verification.submit',
  text: `update verification_sessions set ${to('submit')}, submitted_at = $3, capture = $4,
           consent_at = coalesce(consent_at, $5), consent_version = coalesce(nullif(consent_version, ''), $6)
         where project_id = $1 and session_id = $2 and ${from('submit')} and simulation is null
           and coalesce(started_at > $7::timestamptz, true)
         returning session_id`,
};

/** The same of a simulated session, at its opening. */
export const SUBMIT_SIMULATED: Statement = {
  name: 'verification.submit_simulated',
  text: `update verification_sessions set ${to('simulate')}, opened_at = $3, started_at = $3, submitted_at = $3
         where project_id = $1 and session_id = $2 and ${from('simulate')} and simulation is not null
           and expires_at > $3
         returning session_id`,
};

const FIND_PROCESSING: Statement = {
  name: 'verification.find_processing',
  text: `select ${COLUMNS} from verification_sessions v
         where v.project_id = $1 and v.session_id = $2 and v.state = 'processing'`,
};

/** A session that waits for its result; null when it is over. */
export async function findProcessing(
  database: ProjectDatabase,
  sessionId: string,
): Promise<VerificationRow | null> {
  const [row] = await database.query<VerificationRow>(FIND_PROCESSING, [database.projectId, sessionId]);
  return row ?? null;
}

const COUNT_ATTEMPT: Statement = {
  name: 'verification.count_attempt',
  text: `update verification_sessions set attempts = attempts + 1
         where project_id = $1 and session_id = $2 and state = 'processing' returning attempts`,
};

/** Its pictures ended who read them: how often they did by now; 0 when the session is over. */
export async function countAttempt(database: ProjectDatabase, sessionId: string): Promise<number> {
  const [row] = await database.query(COUNT_ATTEMPT, [database.projectId, sessionId]);
  return row?.attempts ?? 0;
}

/**
 * $3: number of retakes when its images were read, so that a second reader of the same images changes nothing. The rows
 * of the document go with the change of the state: their upload addresses end, and new images get new objects.
 */
const RETAKE: Statement = {
  name: 'verification.retake',
  text: `with retaken as (
           update verification_sessions set ${to('retake')}, document_retakes = document_retakes + 1,
             retake_reason = $4, attempts = 0
           where project_id = $1 and session_id = $2 and ${from('retake')} and document_retakes = $3
             and simulation is null
           returning session_id
         ), removed as (
           delete from media_objects m using retaken
           where m.project_id = $1 and m.session_id = retaken.session_id and m.kind in ('id_front', 'id_back')
             and m.state <> 'gone'
           returning m.object_id, m.version
         )
         select removed.object_id as "objectId", removed.version from retaken left join removed on true`,
};

/** Returns a session to capturing its document; the files to remove, or null if the session is not processing any more. */
export async function retakeDocument(
  database: ProjectDatabase,
  { session_id: sessionId, document_retakes: retakes }: VerificationRow,
  reason: RetakeReason,
): Promise<GoneMedia[] | null> {
  const rows = await database.query(RETAKE, [database.projectId, sessionId, retakes, reason]);
  if (rows.length === 0) return null;
  return rows.flatMap(({ objectId, version }) => (objectId === null ? [] : [{ objectId, version }]));
}

/** Of a session in one of the states $3. Its event is that of the check's account, as far as the account exists. */
export const FAIL: Statement = {
  name: 'verification.fail',
  text: `with failed as (
           update verification_sessions set ${to('fail')}, failure = $4, completed_at = $5
           where project_id = $1 and session_id = $2 and state = any($3::text[])
           returning session_id, account_id, bound_account_id, referring_session_id
         )
         , told as (
           insert into outbox_events (project_id, event_id, type, created_at, payload, session_id, request_id,
             referring_session_id, account_id)
           select $1, $6::uuid, $7::text, $5, $8::bytea, $2, $9::uuid, failed.referring_session_id,
             case when failed.account_id is null then failed.bound_account_id
               else (select a.id from accounts a where a.project_id = $1 and a.account_id = failed.account_id) end
           from failed
         )
         select session_id from failed`,
};

/** What a completed session is stored with: by the statement below, which nothing but a session that waits lets through. */
export const COMPLETE: Statement = {
  name: 'verification.complete',
  text: `with completed as (
           update verification_sessions set ${to('complete')}, completed_at = $3, decision = $4, risk_score = $5,
             result = $6, bound_account_id = coalesce($7::uuid, bound_account_id)
           where project_id = $1 and session_id = $2 and ${from('complete')}
           returning session_id
         ), session as (
           update sessions set state = 'complete', completed_at = $3
           where project_id = $1 and session_id = $2 and state = 'open' and $7::uuid is null
             and exists (select 1 from completed)
         ), template as (
           insert into face_templates (project_id, template_id, account_id, session_id, account_group, is_enrolled,
             descriptor, created_at, expires_at, pipeline_version)
           select $1, $8::uuid, $7::uuid, $2, $9::text, $10::boolean, $11::bytea, $3,
             case when $10 then null else $12::timestamptz end, ${FACE_PIPELINE_VERSION}
           from completed where $8::uuid is not null
         )
         insert into document_sightings (project_id, session_id, number_hash, name_hash, account_id, account_group,
           created_at, expires_at)
         select $1, $2, $13::bytea, $14::bytea, $7::uuid, $9::text, $3, case when $7 is null then $12::timestamptz end
         from completed where $13::bytea is not null`,
};

export type VerificationFilter = {
  readonly kind: VerificationKind | null;
  readonly states: readonly StoredState[] | null;
  /** Whether its time to be started, or to capture, is over; null for either. */
  readonly isExpired: boolean | null;
  readonly decision: string | null;
  readonly accountId: string | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  readonly now: Date;
};

const SEARCH: Statement = {
  name: 'verification.search',
  text: `select ${COLUMNS} from verification_sessions v
         where v.project_id = $1 and ($2::text is null or v.kind = $2) and ($3::text[] is null or v.state = any($3))
           and ($4::text is null or (v.decision = $4 and v.state = 'completed'))
           and ($5::text is null or v.account_id = $5 or v.bound_account_id =
             (select a.id from accounts a where a.project_id = $1 and a.account_id = $5))
           and ($6::timestamptz is null or (v.created_at, v.session_id) < ($6, $7::uuid))
           and ($9::boolean is null or $9 = case v.state
             when 'capturing' then coalesce(v.started_at <= $13::timestamptz, false) else v.expires_at <= $10 end)
           and ($11::timestamptz is null or v.created_at >= $11) and ($12::timestamptz is null or v.created_at < $12)
         order by v.created_at desc, v.session_id desc limit $8`,
};

/** Newest first, behind a place in that order. */
export function searchVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  after: { createdAt: Date; sessionId: string } | null,
  limit: number,
): Promise<VerificationRow[]> {
  return database.query<Row>(SEARCH, [
    database.projectId,
    filter.kind,
    filter.states,
    filter.decision,
    filter.accountId,
    after?.createdAt ?? null,
    after?.sessionId ?? null,
    limit,
    filter.isExpired,
    filter.now,
    filter.createdAfter,
    filter.createdBefore,
    captureStartedAfter(filter.now),
  ]);
}

const FIND_LINKED: Statement = {
  name: 'verification.find_linked',
  text: `select a.account_id, l.kinds from links l join accounts a on a.project_id = $1 and a.id = l.linked_account_id
         where l.project_id = $1 and l.account_id = $2
         order by l.score desc, l.linked_account_id desc limit $3`,
};

export type LinkedName = { accountId: string; kinds: number };

/** Whom an account is linked to, as the client calls them, the strongest first. */
export async function findLinkedNames(
  database: ProjectDatabase,
  account: string,
  limit: number,
): Promise<LinkedName[]> {
  const rows = await database.query(FIND_LINKED, [database.projectId, account, limit]);
  return rows.map((row) => ({ accountId: row.account_id, kinds: row.kinds }));
}

/** Sets the time limit of locks, as the lock of an account does, for those that come before it. */
export const LIMIT_LOCK_WAITS: Statement = {
  name: 'verification.limit_lock_waits',
  text: `select set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true)`,
};

const LOCK_CHECK: Statement = {
  name: 'verification.lock',
  text: 'select 1 from verification_sessions v where v.project_id = $1 and v.session_id = $2 for update of v',
};

/** A statement of its own, behind the lock: it sees what the lock's former holder committed. */
const READ_CHECK: Statement = {
  name: 'verification.read_locked',
  text: `select v.state, v.account_id, v.result, v.bound_account_id, v.document_retakes, a.account_id as bound_to
         from verification_sessions v
         left join accounts a on a.project_id = $1 and a.id = v.bound_account_id
         where v.project_id = $1 and v.session_id = $2`,
};

/** A verification session as it stands under its lock. */
export type LockedCheck = Pick<
  VerificationRow,
  'state' | 'account_id' | 'result' | 'bound_account_id' | 'document_retakes'
> & {
  /** The client's own id of the account that it is bound to; null for none. */
  bound_to: string | null;
};

/** The account that a check belongs to: the one that it was made for, else the one that its session was bound to first. */
export function accountOfCheck({ account_id, bound_to }: LockedCheck): string | null {
  return account_id ?? bound_to;
}

/**
 * Locks a verification session until the commit, behind the lock of the project's faces and before those of accounts, as
 * everywhere. Its last result row is what `toLockedCheck` takes.
 */
export const lockCheckCalls = (projectId: string, sessionId: string) =>
  [
    [LOCK_CHECK, [projectId, sessionId]],
    [READ_CHECK, [projectId, sessionId]],
  ] as const;

export function toLockedCheck(rows: readonly Row[] | undefined): LockedCheck | null {
  return rows?.[0] ?? null;
}

const FIND_ACCOUNT: Statement = {
  name: 'verification.bound_account',
  text: `select a.account_id from verification_sessions v
         join accounts a on a.project_id = $1 and a.id = v.bound_account_id
         where v.project_id = $1 and v.session_id = $2`,
};

/** The client's own id of the account that a session's check is bound to; null for none. */
export async function findAccountOfCheck(
  database: ProjectDatabase,
  sessionId: string,
): Promise<string | null> {
  const [row] = await database.query(FIND_ACCOUNT, [database.projectId, sessionId]);
  return row?.account_id ?? null;
}

/** Clocks of two gateways may differ: an account that was bound after the completion is bound again, and rules act once. */
const FIND_FURTHER: Statement = {
  name: 'verification.further_accounts',
  text: `select a.account_id from verification_sessions v
         join account_sessions b on b.project_id = $1 and b.session_id = v.session_id
           and b.account_id is distinct from v.bound_account_id and b.bound_at <= v.completed_at + interval '5 seconds'
         join accounts a on a.project_id = $1 and a.id = b.account_id
         where v.project_id = $1 and v.session_id = $2 and v.state = 'completed'
         order by b.bound_at, a.account_id`,
};

/** The client's own ids of accounts that a session was bound to before its check completed, besides the check's own. */
export async function findFurtherAccounts(database: ProjectDatabase, sessionId: string): Promise<string[]> {
  const rows = await database.query(FIND_FURTHER, [database.projectId, sessionId]);
  return rows.map((row) => row.account_id);
}

/** The result after it was assessed anew. */
export const WRITE_REASSESSED: Statement = {
  name: 'verification.write_reassessed',
  text: `update verification_sessions set result = $3, decision = $4, risk_score = $5
         where project_id = $1 and session_id = $2 and state = 'completed'`,
};
