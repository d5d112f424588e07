import type { ProjectDatabase } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';

export type IdempotencyRow = {
  request_hash: Buffer;
  state: 'running' | 'done';
  status: number | null;
  body: Buffer | null;
  content_type: string;
};

/** Claims a key that is new, over, or held by a gateway that did not finish in time. */
const CLAIM = {
  name: 'idempotency.claim',
  text: `insert into idempotency_keys (project_id, key_hash, request_hash, state, created_at, locked_until, expires_at)
         values ($1, $2, $3, 'running', $4, $5, $6)
         on conflict (project_id, key_hash) do update set request_hash = excluded.request_hash, state = 'running',
           status = null, body = null, created_at = excluded.created_at, locked_until = excluded.locked_until,
           expires_at = excluded.expires_at
         where idempotency_keys.expires_at <= $4
            or (idempotency_keys.state = 'running' and idempotency_keys.locked_until <= $4
                and idempotency_keys.request_hash = excluded.request_hash)
         returning true as claimed`,
};

export async function claimKey(
  database: ProjectDatabase,
  key: { keyHash: Buffer; requestHash: Buffer; now: Date; lockedUntil: Date; expiresAt: Date },
): Promise<boolean> {
  const rows = await database.query(CLAIM, [
    database.projectId,
    key.keyHash,
    key.requestHash,
    key.now,
    key.lockedUntil,
    key.expiresAt,
  ]);
  return rows.length === 1;
}

const FIND = {
  name: 'idempotency.find',
  text: `select request_hash, state, status, body, content_type from idempotency_keys
         where project_id = $1 and key_hash = $2`,
};

export async function findKey(database: ProjectDatabase, keyHash: Buffer): Promise<IdempotencyRow | null> {
  const rows = await database.query<IdempotencyRow>(FIND, [database.projectId, keyHash]);
  return rows[0] ?? null;
}

const FINISH = {
  name: 'idempotency.finish',
  text: `update idempotency_keys set state = 'done', status = $3, body = $4, content_type = $5
         where project_id = $1 and key_hash = $2 and locked_until = $6 and state = 'running'`,
};

/** Keeps the answer of the claim that `lockedUntil` names; nothing when another has taken the key over. */
export async function finishKey(
  database: ProjectDatabase,
  keyHash: Buffer,
  lockedUntil: Date,
  answer: { status: number; body: Buffer; contentType: string },
): Promise<void> {
  await database.query(FINISH, [
    database.projectId,
    keyHash,
    answer.status,
    answer.body,
    answer.contentType,
    lockedUntil,
  ]);
}

const RELEASE = {
  name: 'idempotency.release',
  text: `delete from idempotency_keys where project_id = $1 and key_hash = $2 and locked_until = $3 and state = 'running'`,
};

export async function releaseKey(
  database: ProjectDatabase,
  keyHash: Buffer,
  lockedUntil: Date,
): Promise<void> {
  await database.query(RELEASE, [database.projectId, keyHash, lockedUntil]);
}

const purgeExpired = createPurge({
  name: 'idempotency',
  table: 'idempotency_keys',
  key: ['key_hash'],
  column: 'expires_at',
  first: '-infinity',
  index: 'project',
});

/** Removes the keys of all projects that expired. */
export const purgeKeys = (run: PurgeRun): Promise<number> => purgeExpired(run, run.now);

const ANSWERS = {
  name: 'idempotency.answers',
  text: `select key_hash, body from idempotency_keys where project_id = $1 and body is not null`,
};

/** All stored answers of the project, sealed. */
export function findAnswers(database: ProjectDatabase): Promise<{ key_hash: Buffer; body: Buffer }[]> {
  return database.query(ANSWERS, [database.projectId]);
}

const REPLACE_ANSWER = {
  name: 'idempotency.replace_answer',
  text: 'update idempotency_keys set status = $3, body = $4 where project_id = $1 and key_hash = $2',
};

export async function replaceAnswer(
  database: ProjectDatabase,
  keyHash: Buffer,
  answer: { status: number; body: Buffer },
): Promise<void> {
  await database.query(REPLACE_ANSWER, [database.projectId, keyHash, answer.status, answer.body]);
}
