import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@vouchgraph/platform/clock';
import { sha256 } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';
import type { Project } from '../projects/project.ts';
import { AnswerSubjects } from './answer-subjects.ts';
import { withAppliedFlag } from './applied-flag-store.ts';
import {
  type Claim,
  claimKey,
  deleteKey,
  findKey,
  finishKey,
  type IdempotencyRow,
  markAppliedCall,
  reclaimKey,
} from './idempotency-store.ts';

export type StoredAnswer = { status: number; body: string; contentType: string };

/** A request with a key. `scope`: permissions of the caller; other permissions are another scope. */
type Repeatable = { key: string; scope: string; method: string; pathWithQuery: string; body: string };

/** Context of a request with a key. */
export type KeyedRun = {
  /** Project whose first change also marks the key as applied. */
  project: Project;
  /** Collects the subjects of the response. */
  subjects: AnswerSubjects;
};

type Options = {
  requestId: string;
  /** Whether applying the request twice has the same effect as once. */
  isIdempotent: boolean;
};

/** `giveUpAt`: time until which a request waits for an equal one. */
type Waiting = Options & { giveUpAt: number };

const KEPT_MS = 24 * 3_600_000;
/** A request that runs longer is assumed to belong to a crashed gateway. */
const LOCK_MS = 30_000;
const WAIT_MS = 5_000;
const POLL_MS = 50;

type Run = (keyed: KeyedRun) => Promise<StoredAnswer>;

type Requests = {
  clock: Clock;
  onDamaged: (error: unknown, requestId: string) => void;
  /** Running requests of this process, by key and body. Each resolves with the response, or null when none is stored. */
  running: Map<string, Promise<StoredAnswer | null>>;
};

export type IdempotencyService = ReturnType<typeof createIdempotencyService>;

/**
 * Runs a request once per Idempotency-Key. The same key with the same body returns the stored status and body; with another
 * body it returns 422. While the first request runs, the second waits, then returns 409. Responses with status 429 or at least
 * 500 are not stored.
 *
 * The transaction of the change marks the key as applied; the response is stored afterwards. If the gateway crashes between the
 * two, a retry of an idempotent request runs again, and a retry of any other request returns 409 with the id of the first
 * request. A key whose response was erased with an account also returns 409: running again would recreate the account.
 */
export function createIdempotencyService(deps: {
  clock: Clock;
  /** Called when a stored response cannot be decrypted; it is handled as lost. */
  onDamaged?: (error: unknown, requestId: string) => void;
}) {
  const requests: Requests = {
    clock: deps.clock,
    onDamaged: deps.onDamaged ?? (() => {}),
    running: new Map(),
  };
  return {
    once: (project: Project, request: Repeatable, options: Options, run: Run) =>
      once(requests, project, request, options, run),
  };
}

/**
 * Among concurrent equal requests of this process, one queries the database and the others wait for its response, so that they
 * do not use the connections that it needs to complete.
 */
async function once(
  requests: Requests,
  project: Project,
  request: Repeatable,
  options: Options,
  run: Run,
): Promise<StoredAnswer> {
  if (request.key.length > 255) {
    throw new AppError(
      'idempotency.key_too_long',
      'invalid_input',
      'Idempotency-Key: must be at most 255 characters',
    );
  }
  const { running } = requests;
  const giveUpAt = Date.now() + WAIT_MS;
  const name = sha256(JSON.stringify([project.projectId, request])).toString('base64');
  for (let first = running.get(name); first; first = running.get(name)) {
    const answer = await beforeTime(first, giveUpAt);
    if (answer) return answer;
  }
  const stored = Promise.withResolvers<StoredAnswer | null>();
  running.set(name, stored.promise);
  let shared: StoredAnswer | null = null;
  try {
    const { answer, isStored } = await runOrFind(requests, project, request, { ...options, giveUpAt }, run);
    if (isStored) shared = answer;
    return answer;
  } finally {
    running.delete(name);
    stored.resolve(shared);
  }
}

async function runOrFind(
  requests: Requests,
  project: Project,
  request: Repeatable,
  options: Waiting,
  run: Run,
): Promise<{ answer: StoredAnswer; isStored: boolean }> {
  const { database, cipher } = project;
  const keyHash = cipher.blindIndex(
    'idempotency',
    JSON.stringify([request.scope, request.method, request.pathWithQuery, request.key]),
  );
  const found = await claimOrFind(requests, project, keyHash, request.body, options);
  if ('answer' in found) return { answer: found.answer, isStored: true };
  const { claim } = found;
  const subjects = new AnswerSubjects();
  const marked = withAppliedFlag(database, markAppliedCall(project.projectId, claim));
  const answer = await run({ project: { ...project, database: marked }, subjects }).catch(
    async (error: unknown) => {
      await deleteKey(database, claim, false);
      throw error;
    },
  );
  if (subjects.isTransient) {
    await deleteKey(database, claim, true);
    return { answer, isStored: false };
  }
  if (!isKept(answer)) {
    await deleteKey(database, claim, false);
    return { answer, isStored: false };
  }
  // An error can quote the request, whose accounts are unknown.
  if (answer.status >= 400) subjects.addUnknown();
  const body = cipher.encryptJson('idempotency_keys', keyHash.toString('hex'), answer.body);
  return { answer, isStored: await finishKey(database, claim, { ...answer, body }, subjects) };
}

/** A claim if this request must run; otherwise the stored response. */
async function claimOrFind(
  { clock, onDamaged }: Requests,
  project: Project,
  keyHash: Buffer,
  request: string,
  { requestId, isIdempotent, giveUpAt }: Waiting,
): Promise<{ claim: Claim } | { answer: StoredAnswer }> {
  const { database, cipher } = project;
  // Keyed: a short body, such as one with an id number, could be found by brute force from an unkeyed hash.
  const requestHash = cipher.blindIndex('idempotency_body', request);
  for (;;) {
    const now = clock.now();
    const claim = { keyHash, requestId, lockedUntil: new Date(now.getTime() + LOCK_MS) };
    const expiresAt = new Date(now.getTime() + KEPT_MS);
    if (await claimKey(database, { ...claim, requestHash, now, expiresAt })) return { claim };
    const row = await findKey(database, keyHash);
    if (row && !row.request_hash.equals(requestHash)) throw otherBody();
    if (row?.is_erased) throw withoutAnswer(row, 'was erased');
    const answer = row?.state === 'done' ? openAnswer(project, keyHash, row, onDamaged) : null;
    if (answer) return { answer };
    const isLate = Date.now() >= giveUpAt;
    if (row?.state === 'done' || (row?.state === 'applied' && isLate)) {
      if (isIdempotent && (await reclaimKey(database, claim, row.locked_until))) return { claim };
      throw withoutAnswer(row, 'is lost');
    }
    if (isLate) throw stillRuns();
    await wait(POLL_MS);
  }
}

/** A stored response; null when it cannot be decrypted. */
function openAnswer(
  { cipher }: Project,
  keyHash: Buffer,
  row: IdempotencyRow,
  onDamaged: Requests['onDamaged'],
): StoredAnswer | null {
  try {
    const body = cipher.decryptJson<string>('idempotency_keys', keyHash.toString('hex'), row.body!);
    return { status: row.status!, body, contentType: row.content_type };
  } catch (error) {
    onDamaged(error, row.request_id);
    return null;
  }
}

function isKept({ status }: StoredAnswer): boolean {
  return status < 500 && status !== 429;
}

/** Resolves with the promise's value, or throws 409 after `giveUpAt`. */
async function beforeTime<T>(promise: Promise<T>, giveUpAt: number): Promise<T> {
  const stop = new AbortController();
  const late = wait(Math.max(0, giveUpAt - Date.now()), undefined, { signal: stop.signal }).then(() => {
    throw stillRuns();
  });
  // After the abort below, its rejection is not handled elsewhere.
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
    'The first request with this Idempotency-Key is still running',
  );
}

/** The key was used with another request body. */
export function otherBody(): AppError {
  return new AppError(
    'idempotency.other_body',
    'unprocessable',
    'This Idempotency-Key was used with another body',
  );
}

/** The first request was applied, but its response is not available. */
function withoutAnswer({ request_id: requestId }: IdempotencyRow, what: 'was erased' | 'is lost'): AppError {
  return new AppError(
    'idempotency.no_answer',
    'conflict',
    `The answer to the first request with this Idempotency-Key (${requestId}) ${what}`,
    { details: { requestId } },
  );
}
