import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Call, ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import type { AnswerSubjects } from './answer-subjects.ts';

export type IdempotencyRow = {
  request_hash: Buffer;
  state: 'running' | 'applied' | 'done' | 'erased';
  status: number | null;
  body: Buffer | null;
  content_type: string;
  /** Id of the request that claimed the key last. */
  request_id: string;
  locked_until: Date;
  /** Whether the response contains data of an erased account. */
  is_erased: boolean;
};

export type Claim = { keyHash: Buffer; lockedUntil: Date; requestId: string };

/** Subject of wide responses, which stands for every account. */
const ANY_ACCOUNT = NIL_UUID;

/** Claims a key that is new, expired, or locked by a gateway that did not finish in time. */
const CLAIM = namedStatement(
  'idempotency.claim',
  `with claimed as (
           insert into idempotency_keys (project_id, key_hash, request_hash, state, created_at, locked_until, expires_at,
             request_id, erasures)
           select :projectId, :keyHash, :requestHash, 'running', :now, :lockedUntil, :expiresAt, :requestId,
             p.erasures from projects p where p.project_id = :projectId
           on conflict (project_id, key_hash) do update set request_hash = excluded.request_hash, state = 'running',
             status = null, body = null, created_at = excluded.created_at, locked_until = excluded.locked_until,
             expires_at = excluded.expires_at, request_id = excluded.request_id, erasures = excluded.erasures
           where idempotency_keys.expires_at <= :now
              or (idempotency_keys.state = 'running' and idempotency_keys.locked_until <= :now
                  and idempotency_keys.request_hash = excluded.request_hash)
           returning key_hash
         ), cleared as (
           delete from idempotency_subjects s using claimed where s.project_id = :projectId and s.key_hash = claimed.key_hash
         )
         select true as claimed from claimed`,
);

export async function claimKey(
  database: ProjectDatabase,
  key: Claim & { requestHash: Buffer; now: Date; expiresAt: Date },
): Promise<boolean> {
  const rows = await database.query(
    ...CLAIM.call({
      projectId: database.projectId,
      keyHash: key.keyHash,
      requestHash: key.requestHash,
      now: key.now,
      lockedUntil: key.lockedUntil,
      expiresAt: key.expiresAt,
      requestId: key.requestId,
    }),
  );
  return rows.length === 1;
}

/** Claims a key whose change was applied and whose response is lost, unless an account was erased since. */
const RECLAIM = {
  name: 'idempotency.reclaim',
  text: `with claimed as (
           update idempotency_keys k set state = 'running', status = null, body = null, locked_until = $4, request_id = $5
           from projects p
           where p.project_id = $1 and k.project_id = $1 and k.key_hash = $2 and k.locked_until = $3
             and k.state in ('applied', 'done') and k.erasures = p.erasures
           returning k.key_hash
         ), cleared as (
           delete from idempotency_subjects s using claimed where s.project_id = $1 and s.key_hash = claimed.key_hash
         )
         select true as claimed from claimed`,
};

export async function reclaimKey(
  database: ProjectDatabase,
  { keyHash, lockedUntil, requestId }: Claim,
  before: Date,
): Promise<boolean> {
  const values = [database.projectId, keyHash, before, lockedUntil, requestId];
  return (await database.query(RECLAIM, values)).length === 1;
}

/** A response also counts as erased if one of its subjects no longer exists: it was stored during the erasure. */
const FIND = {
  name: 'idempotency.find',
  text: `select k.request_hash, k.state, k.status, k.body, k.content_type, k.request_id, k.locked_until,
           k.state = 'erased' or k.state = 'done' and (
             k.is_wide and k.erasures <> p.erasures
             or exists (
               select 1 from idempotency_subjects s
               where s.project_id = $1 and s.key_hash = $2 and s.subject <> $3
                 and not exists (select 1 from accounts a where a.project_id = $1 and a.id = s.subject)
                 and not exists (select 1 from sessions o where o.project_id = $1 and o.session_id = s.subject)
                 and not exists (select 1 from email_checks e where e.project_id = $1 and e.check_id = s.subject)
                 and not exists (
                   select 1 from verification_sessions v where v.project_id = $1 and v.session_id = s.subject
                 )
             )
           ) as is_erased
         from idempotency_keys k join projects p on p.project_id = $1
         where k.project_id = $1 and k.key_hash = $2`,
};

export async function findKey(database: ProjectDatabase, keyHash: Buffer): Promise<IdempotencyRow | null> {
  const rows = await database.query<IdempotencyRow>(FIND, [database.projectId, keyHash, ANY_ACCOUNT]);
  return rows[0] ?? null;
}

const MARK_APPLIED: Statement = {
  name: 'idempotency.mark_applied',
  text: `update idempotency_keys set state = 'applied'
         where project_id = $1 and key_hash = $2 and locked_until = $3 and state = 'running'`,
};

/** Must run in the transaction of the change: from its commit on, the change is known to be applied. */
export function markAppliedCall(projectId: string, { keyHash, lockedUntil }: Claim): Call {
  return [MARK_APPLIED, [projectId, keyHash, lockedUntil]];
}

/**
 * The response is dropped if one of its subjects was erased while the request ran, or if a reveal shows personal data in it. The key
 * is kept, so that the change is not applied again.
 */
const FINISH = namedStatement(
  'idempotency.finish',
  `with named as (
           select id, account_id from accounts where project_id = :projectId and account_id = any(:allAccountIds::text[])
         ), checked as (
           select cardinality(:accounts::uuid[]) = (
                    select count(*) from accounts where project_id = :projectId and id = any(:accounts::uuid[])
                  )
              and cardinality(:accountIds::text[]) = (select count(*) from named where account_id = any(:accountIds::text[]))
              and cardinality(:sessions::uuid[]) = (
                    select count(*) from (
                      select session_id from sessions where project_id = :projectId and session_id = any(:sessions::uuid[])
                      union
                      select session_id from verification_sessions
                      where project_id = :projectId and session_id = any(:sessions::uuid[])
                    ) visits
                  )
              and (not :isWide::boolean or k.erasures = p.erasures) as is_kept
           from idempotency_keys k join projects p on p.project_id = :projectId
           where k.project_id = :projectId and k.key_hash = :keyHash
         ), verified as (
           select c.is_kept and not :isUnrepeatable::boolean and cardinality(:emailChecks::uuid[]) = (
               select count(*) from email_checks where project_id = :projectId and check_id = any(:emailChecks::uuid[])
             ) as is_kept
           from checked c
         ), finished as (
           update idempotency_keys k
           set state = case when c.is_kept then 'done' else 'erased' end, is_wide = :isWide,
             status = case when c.is_kept then :status::integer end, body = case when c.is_kept then :body::bytea end,
             content_type = :contentType
           from verified c
           where k.project_id = :projectId and k.key_hash = :keyHash and k.locked_until = :lockedUntil
             and k.state in ('running', 'applied')
           returning k.state
         ), kept as (
           insert into idempotency_subjects (project_id, subject, key_hash)
           select :projectId, s.subject, :keyHash from (
             select :anyAccount::uuid as subject where :isWide
             union select unnest(:accounts::uuid[]) where not :isWide
             union select unnest(:sessions::uuid[]) where not :isWide
             union select unnest(:emailChecks::uuid[]) where not :isWide
             union select id from named where not :isWide
           ) s
           where exists (select 1 from finished where state = 'done')
         )
         select 1 from finished where state = 'done'`,
);

/** Stores the response of a claim. False if another request has reclaimed the key, or the response is not kept. */
export async function finishKey(
  database: ProjectDatabase,
  { keyHash, lockedUntil }: Claim,
  answer: { status: number; body: Buffer; contentType: string },
  subjects: AnswerSubjects,
): Promise<boolean> {
  const rows = await database.query(
    ...FINISH.call({
      projectId: database.projectId,
      keyHash,
      status: answer.status,
      body: answer.body,
      contentType: answer.contentType,
      lockedUntil,
      accounts: subjects.accounts,
      accountIds: subjects.accountIds,
      allAccountIds: subjects.allAccountIds,
      sessions: subjects.sessions,
      isWide: subjects.isWide,
      isUnrepeatable: subjects.isUnrepeatable,
      anyAccount: ANY_ACCOUNT,
      emailChecks: subjects.emailChecks,
    }),
  );
  return rows.length === 1;
}

const DELETE = {
  name: 'idempotency.delete',
  text: `delete from idempotency_keys
         where project_id = $1 and key_hash = $2 and locked_until = $3 and state = any($4::text[])`,
};

/** Deletes a key whose request changed nothing; with `isApplied` also one whose request changed data. */
export async function deleteKey(
  database: ProjectDatabase,
  { keyHash, lockedUntil }: Claim,
  isApplied: boolean,
): Promise<void> {
  const states = isApplied ? ['running', 'applied'] : ['running'];
  await database.query(DELETE, [database.projectId, keyHash, lockedUntil, states]);
}

const purgeExpired = createPurge({
  name: 'idempotency',
  table: 'idempotency_keys',
  key: ['key_hash'],
  column: 'expires_at',
  first: '-infinity',
  index: 'project',
});

/** Deletes expired keys of all projects. */
export const purgeKeys = (run: PurgeRun): Promise<number> => purgeExpired(run, run.now);

/** Maximum number of wide responses erased per statement. Others are already invalid, and are erased afterwards. */
const MAX_WIDE = 200;

const SET_ERASED = `state = 'erased', status = null, body = null, content_type = ''`;

/** Selects keys as an array, so that rows are found by the complete primary key, whatever the planner's statistics. */
const ERASE: Statement = {
  name: 'idempotency.erase_of_account',
  text: `with counted as (
           update projects set erasures = erasures + 1 where project_id = $1
         ), own as (
           delete from idempotency_subjects where project_id = $1 and subject = any($2::uuid[]) returning key_hash
         ), wide as (
           delete from idempotency_subjects where project_id = $1 and subject = $3 and key_hash = any(array(
             select key_hash from idempotency_subjects where project_id = $1 and subject = $3 limit ${MAX_WIDE}
             for update skip locked
           ))
           returning key_hash
         )
         update idempotency_keys k set ${SET_ERASED}
         from (select key_hash from own union select key_hash from wide) erased
         where k.project_id = $1 and k.key_hash = erased.key_hash and k.state = 'done'`,
};

/**
 * Erases responses with data of an account or its sessions, and wide responses. Must run in the transaction of the erasure, after
 * the locks of the account.
 */
export function eraseAnswersCall(projectId: string, subjects: readonly string[]): Call {
  return [ERASE, [projectId, subjects, ANY_ACCOUNT]];
}

const ERASE_WIDE: Statement = {
  name: 'idempotency.erase_wide',
  text: `with wide as (
           delete from idempotency_subjects where project_id = $1 and subject = $2 and key_hash = any(array(
             select s.key_hash from idempotency_subjects s
             join idempotency_keys k on k.project_id = $1 and k.key_hash = s.key_hash
             join projects p on p.project_id = $1
             where s.project_id = $1 and s.subject = $2 and k.erasures <> p.erasures limit ${MAX_WIDE}
             for update of s skip locked
           ))
           returning key_hash
         ), erased as (
           update idempotency_keys k set ${SET_ERASED} from wide
           where k.project_id = $1 and k.key_hash = wide.key_hash and k.state = 'done'
         )
         select 1 from wide`,
};

/** Erases wide responses that an erasure invalidated and did not erase. */
export async function eraseWideAnswers(database: ProjectDatabase): Promise<void> {
  for (;;) {
    const erased = await database.query(ERASE_WIDE, [database.projectId, ANY_ACCOUNT]);
    if (erased.length < MAX_WIDE) return;
  }
}
