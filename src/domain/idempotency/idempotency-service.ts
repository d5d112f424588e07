import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/crypto.ts';
import { AppError } from '../../platform/errors.ts';
import type { Project } from '../projects/project.ts';
import { claimKey, findKey, finishKey, releaseKey } from './idempotency-store.ts';

export type StoredAnswer = { status: number; body: string; contentType: string };

/** A request with a key; whoever may do less is another scope. */
type Repeatable = { key: string; scope: string; method: string; pathWithQuery: string; body: string };

const KEPT_MS = 24 * 3_600_000;
/** A request that has not finished by then belongs to a gateway that died. */
const LOCK_MS = 30_000;
const WAIT_MS = 5_000;
const POLL_MS = 50;

export type IdempotencyService = ReturnType<typeof createIdempotencyService>;

/**
 * Does a request once per Idempotency-Key: the same key with the same body gets the stored status and body, with
 * another body 422, and while the first still runs the second waits, then 409. Answers of 429 and of 500 and more are
 * not kept: nothing was done, and trying again is right.
 */
export function createIdempotencyService(deps: { clock: Clock }) {
  const { clock } = deps;
  /** What this process is doing, by key and body; each resolves with the answer, or null when none is kept. */
  const running = new Map<string, Promise<StoredAnswer | null>>();

  /**
   * Of several equal requests at once in this process one asks the database and the others wait for its answer, so
   * that a crowd of them does not take the connections that the first needs to finish.
   */
  async function once(
    project: Project,
    request: Repeatable,
    run: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer> {
    if (request.key.length > 255) {
      throw new AppError(
        'idempotency.key_too_long',
        'invalid_input',
        'Idempotency-Key must be at most 255 characters',
      );
    }
    const giveUpAt = Date.now() + WAIT_MS;
    const name = sha256(JSON.stringify([project.projectId, request])).toString('base64');
    for (let first = running.get(name); first; first = running.get(name)) {
      const answer = await beforeTime(first, giveUpAt);
      if (answer) return answer;
    }
    const told = Promise.withResolvers<StoredAnswer | null>();
    running.set(name, told.promise);
    let kept: StoredAnswer | null = null;
    try {
      const answer = await runOrFind(project, request, giveUpAt, run);
      if (isKept(answer)) kept = answer;
      return answer;
    } finally {
      running.delete(name);
      told.resolve(kept);
    }
  }

  async function runOrFind(
    project: Project,
    request: Repeatable,
    giveUpAt: number,
    run: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer> {
    const { database, cipher } = project;
    const keyHash = cipher.blindIndex(
      'idempotency',
      JSON.stringify([request.scope, request.method, request.pathWithQuery, request.key]),
    );
    const claim = await claimOrFind(project, keyHash, sha256(request.body), giveUpAt);
    if ('answer' in claim) return claim.answer;
    const answer = await run().catch(async (error: unknown) => {
      await releaseKey(database, keyHash, claim.lockedUntil);
      throw error;
    });
    if (isKept(answer)) {
      const body = cipher.sealJson('idempotency_keys', keyHash.toString('hex'), answer.body);
      await finishKey(database, keyHash, claim.lockedUntil, { ...answer, body });
    } else await releaseKey(database, keyHash, claim.lockedUntil);
    return answer;
  }

  /** Our claim when the key is ours to run; else the answer that is stored under it. */
  async function claimOrFind(
    project: Project,
    keyHash: Buffer,
    requestHash: Buffer,
    giveUpAt: number,
  ): Promise<{ lockedUntil: Date } | { answer: StoredAnswer }> {
    const { database, cipher } = project;
    for (;;) {
      const now = clock.now();
      const lockedUntil = new Date(now.getTime() + LOCK_MS);
      const claimed = await claimKey(database, {
        keyHash,
        requestHash,
        now,
        lockedUntil,
        expiresAt: new Date(now.getTime() + KEPT_MS),
      });
      if (claimed) return { lockedUntil };
      const row = await findKey(database, keyHash);
      if (row && !row.request_hash.equals(requestHash)) {
        throw new AppError(
          'idempotency.other_body',
          'unprocessable',
          'This Idempotency-Key was used with another body',
        );
      }
      if (row?.state === 'done') {
        const body = cipher.openJson<string>('idempotency_keys', keyHash.toString('hex'), row.body!);
        return { answer: { status: row.status!, body, contentType: row.content_type } };
      }
      if (Date.now() >= giveUpAt) throw stillRuns();
      await wait(POLL_MS);
    }
  }

  return { once };
}

function isKept({ status }: StoredAnswer): boolean {
  return status < 500 && status !== 429;
}

/** What a promise resolves with, unless the time is over before: then 409. */
async function beforeTime<T>(promise: Promise<T>, giveUpAt: number): Promise<T> {
  const stop = new AbortController();
  const late = wait(Math.max(0, giveUpAt - Date.now()), undefined, { signal: stop.signal }).then(() => {
    throw stillRuns();
  });
  // Ended by us, nobody waits for it.
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}

function stillRuns(): AppError {
  return new AppError(
    'idempotency.running',
    'conflict',
    'The first request with this Idempotency-Key still runs',
  );
}
