import type { RetakeReason } from '@vouchgraph/verification';
import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import type { ProjectDatabase, Statement } from '../../../storage/database.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
import { insertEventsCtes } from '../../events/insert-events-store.ts';
import type { ErasedMedia } from '../../media/media-store.ts';
import { COLUMNS, stateAfter, stateBefore, type VerificationRow } from '../verification-store.ts';

const FIND_PROCESSING: Statement = {
  name: 'verification.find_processing',
  text: `select ${COLUMNS} from verification_sessions v
         where v.project_id = $1 and v.session_id = $2 and v.state = 'processing'`,
};

/** Session that waits for its result; null if it has ended. */
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

/** Counts a crash of the vision worker. Returns the number of crashes; 0 if the session has ended. */
export async function countAttempt(database: ProjectDatabase, sessionId: string): Promise<number> {
  const [row] = await database.query(COUNT_ATTEMPT, [database.projectId, sessionId]);
  return row?.attempts ?? 0;
}

/**
 * $3: number of retakes when the images were read, so that a second reader of the same images changes nothing. The rows of
 * the document are deleted with the change of state: their upload URLs become invalid, and new images get new objects.
 */
const RETAKE: Statement = {
  name: 'verification.retake',
  text: `with retaken as (
           update verification_sessions set ${stateAfter('retake')}, document_retakes = document_retakes + 1,
             retake_reason = $4, attempts = 0
           where project_id = $1 and session_id = $2 and ${stateBefore('retake')} and document_retakes = $3
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

/** Returns a session to capturing its document. Returns the files to remove, or null if the session is no longer processing. */
export async function retakeDocument(
  database: ProjectDatabase,
  { session_id: sessionId, document_retakes: retakes }: VerificationRow,
  reason: RetakeReason,
): Promise<ErasedMedia[] | null> {
  const rows = await database.query(RETAKE, [database.projectId, sessionId, retakes, reason]);
  if (rows.length === 0) return null;
  return rows.flatMap(({ objectId, version }) => (objectId === null ? [] : [{ objectId, version }]));
}

/** Fails a session in one of the states `states`. Its event belongs to the check's account if the account exists. */
export const FAIL = namedStatement(
  'verification.fail',
  `with failed as (
           update verification_sessions set ${stateAfter('fail')}, failure = :failure, completed_at = :now
           where project_id = :projectId and session_id = :sessionId and state = any(:states::text[])
           returning session_id, account_id, bound_account_id, referring_session_id
         )
         , ${insertEventsCtes(
           {
             createdAt: ':now',
             eventId: ':eventId::uuid',
             type: ':eventType::text',
             accountId: `case when failed.account_id is null then failed.bound_account_id
               else (select a.id from accounts a where a.project_id = :projectId and a.account_id = failed.account_id) end`,
             accountHash: ':accountHash',
             sessionId: ':sessionId',
             referringSessionId: 'failed.referring_session_id',
             requestId: ':requestId::uuid',
             payload: ':eventPayload::bytea',
           },
           'from failed',
         )}
         select session_id from failed`,
  ['eventId', 'eventType', 'accountHash', 'requestId', 'eventPayload'],
);

/** Values of a completed session. The statement below only updates a session that waits for its result. */
export const COMPLETE = namedStatement(
  'verification.complete',
  `with completed as (
           update verification_sessions set ${stateAfter('complete')}, completed_at = :now, decision = :decision,
             risk_score = :riskScore,
             result = :result, bound_account_id = coalesce(:accountId::uuid, bound_account_id)
           where project_id = :projectId and session_id = :sessionId and ${stateBefore('complete')}
           returning session_id
         ), session as (
           update sessions set state = 'complete', completed_at = :now
           where project_id = :projectId and session_id = :sessionId and state = 'open' and :accountId::uuid is null
             and exists (select 1 from completed)
         ), template as (
           insert into face_templates (project_id, template_id, account_id, session_id, account_group, is_enrolled,
             descriptor, created_at, expires_at, pipeline_version)
           select :projectId, :templateId::uuid, :accountId::uuid, :sessionId, :group::text, :isEnrolled::boolean,
             :descriptor::bytea, :now,
             case when :isEnrolled then null else :seenUntil::timestamptz end, ${FACE_PIPELINE_VERSION}
           from completed where :templateId::uuid is not null
         )
         insert into document_sightings (project_id, session_id, number_hash, name_hash, account_id, account_group,
           created_at, expires_at)
         select :projectId, :sessionId, :numberHash::bytea, :nameHash::bytea, :accountId::uuid, :group::text, :now,
           case when :accountId is null then :seenUntil::timestamptz end
         from completed where :numberHash::bytea is not null`,
);

/** Tolerated clock skew between gateways. An account bound after the completion is bound again; rules act once. */
const FIND_FURTHER: Statement = {
  name: 'verification.further_accounts',
  text: `select a.account_id from verification_sessions v
         join account_sessions b on b.project_id = $1 and b.session_id = v.session_id
           and b.account_id is distinct from v.bound_account_id and b.bound_at <= v.completed_at + interval '5 seconds'
         join accounts a on a.project_id = $1 and a.id = b.account_id
         where v.project_id = $1 and v.session_id = $2 and v.state = 'completed'
         order by b.bound_at, a.account_id`,
};

/** Client's ids of accounts that a session was bound to before its check completed, without the check's own account. */
export async function findFurtherAccounts(database: ProjectDatabase, sessionId: string): Promise<string[]> {
  const rows = await database.query(FIND_FURTHER, [database.projectId, sessionId]);
  return rows.map((row) => row.account_id);
}
