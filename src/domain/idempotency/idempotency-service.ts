import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/crypto.ts';
import { AppError } from '../../platform/errors.ts';
import type { Project } from '../projects/project.ts';
import { AnswerSubjects } from './answer-subjects.ts';
import { withAppliedMark } from './applied-mark-store.ts';
import {
  type Claim,
  claimKey,
  findKey,
  finishKey,
  forgetKey,
  type IdempotencyRow,
  markAppliedCall,
  reclaimKey,
  releaseKey,
} from './idempotency-store.ts';

export type StoredAnswer = { status: number; body: string; contentType: string };

/** A request with a key; whoever may do less is another scope. */
type Repeatable = { key: string; scope: string; method: string; pathWithQuery: string; body: string };

/** What a request with a key runs with. */
export type KeyedRun = {
  /** Its first change also marks the key as applied. */
  project: Project;
  /** To be filled with what the answer contains data of. */
  subjects: AnswerSubjects;
};

type Options = {
  requestId: string;
  /** Whether the request can be applied twice without doing more than once. */
  isIdempotent: boolean;
};

/** Until when a request waits for an equal one. */
type Waiting = Options & { giveUpAt: number };

const KEPT_MS = 24 * 3_600_000;
/** A request that has not finished by then belongs to a gateway that died. */
const LOCK_MS = 30_000;
const WAIT_MS = 5_000;
const POLL_MS = 50;

type Run = (keyed: KeyedRun) => Promise<StoredAnswer>;

type Requests = {
  clock: Clock;
  onDamaged: (error: unknown, requestId: string | null) => void;
  /** Requests this process runs, by key and body. Each resolves with the answer, or null when none is stored. */
  running: Map<string, Promise<StoredAnswer | null>>;
};

export type IdempotencyService = ReturnType<typeof createIdempotencyService>;

/**
 * Runs a request once per Idempotency-Key: the same key with the same body gets the stored status and body, with
 * another body 422, and while the first still runs the second waits, then 409. Answers of 429 and of 500 and more are
 * not stored.
 *
 * The transaction of the change marks the key as applied, the answer is stored afterwards. When a gateway ends between
 * the two, the repeat of an idempotent request runs again, any other gets 409 with the id of the first request. A key
 * whose answer was erased with an account gets 409 as well: running again would create the account anew.
 */
export function createIdempotencyService(deps: {
  clock: Clock;
  /** Called when an answer cannot be decrypted; it is handled as lost. */
  onDamaged?: (error: unknown, requestId: string | null) => void;
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
 * Of several equal requests at once in this process, one queries the database and the others wait for its answer, so
 * that they do not take the connections that the first needs to finish.
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
  const marked = withAppliedMark(database, markAppliedCall(project.projectId, claim));
  const answer = await run({ project: { ...project, database: marked }, subjects }).catch(
    async (error: unknown) => {
      await releaseKey(database, claim);
      throw error;
    },
  );
  if (subjects.isTransient) {
    await forgetKey(database, claim);
    return { answer, isStored: false };
  }
  if (!isKept(answer)) {
    await releaseKey(database, claim);
    return { answer, isStored: false };
  }
  // A refusal may quote the request, whose accounts are not known.
  if (answer.status >= 400) subjects.addUnknown();
  const body = cipher.sealJson('idempotency_keys', keyHash.toString('hex'), answer.body);
  return { answer, isStored: await finishKey(database, claim, { ...answer, body }, subjects) };
}

/** Our claim when the key is ours to run; else the answer that is stored under it. */
async function claimOrFind(
  { clock, onDamaged }: Requests,
  project: Project,
  keyHash: Buffer,
  request: string,
  { requestId, isIdempotent, giveUpAt }: Waiting,
): Promise<{ claim: Claim } | { answer: StoredAnswer }> {
  const { database, cipher } = project;
  // Keyed: a body may be short, and hold a number that is guessed in no time where its hash can be computed.
  const keyed = cipher.blindIndex('idempotency_body', request);
  let requestHash = keyed;
  for (;;) {
    const now = clock.now();
    const claim = { keyHash, requestId, lockedUntil: new Date(now.getTime() + LOCK_MS) };
    const expiresAt = new Date(now.getTime() + KEPT_MS);
    if (await claimKey(database, { ...claim, requestHash, now, expiresAt })) return { claim };
    const row = await findKey(database, keyHash);
    if (row) {
      // Rows of earlier versions have an unkeyed hash, until they expire.
      const same = [keyed, sha256(request)].find((hash) => row.request_hash.equals(hash));
      if (!same) throw otherBody();
      requestHash = same;
    }
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

/** A stored answer; null when it cannot be decrypted. */
function openAnswer(
  { cipher }: Project,
  keyHash: Buffer,
  row: IdempotencyRow,
  onDamaged: Requests['onDamaged'],
): StoredAnswer | null {
  try {
    const body = cipher.openJson<string>('idempotency_keys', keyHash.toString('hex'), row.body!);
    return { status: row.status!, body, contentType: row.content_type };
  } catch (error) {
    onDamaged(error, row.request_id);
    return null;
  }
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

/** The key of a request was used for another one. */
export function otherBody(): AppError {
  return new AppError(
    'idempotency.other_body',
    'unprocessable',
    'This Idempotency-Key was used with another body',
  );
}

/** The first request was applied, and there is no answer to repeat. */
function withoutAnswer({ request_id: requestId }: IdempotencyRow, what: 'was erased' | 'is lost'): AppError {
  const first = requestId === null ? '' : ` (${requestId})`;
  return new AppError(
    'idempotency.no_answer',
    'conflict',
    `The answer to the first request with this Idempotency-Key${first} ${what}`,
    requestId === null ? {} : { details: { requestId } },
  );
}
