import { setTimeout as delay } from 'node:timers/promises';
import { assessEmail, type EmailEvidence } from '@vouchgraph/email';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { mapInSlices } from '@vouchgraph/platform/slices';
import type { Database } from '../../storage/database.ts';
import { insertEventsCall } from '../events/insert-events-store.ts';
import { outboxEvent } from '../events/outbox-event.ts';
import type { Project } from '../projects/project.ts';
import { endAccountCheckCall } from './account-check-store.ts';
import { type CompletionWatch, createCompletionWatch } from './completion-watch.ts';
import { CHECK_FAILED, type EmailCheckOutcome } from './email-check.ts';
import { encryptOutcome, type PendingCheck } from './email-check-row.ts';
import { batchSnapshot, type CompletedEmailCheck, checkSnapshot } from './email-check-snapshot.ts';
import {
  type CompletedCheck,
  completeChecks,
  noteFailuresCall,
  readPending,
  readPendingOfBatch,
} from './email-check-store.ts';
import {
  type ClaimedBatch,
  type ClaimTimes,
  claimBatch,
  claimChecks,
  createClaimTimes,
  releaseBatch,
  releaseChecks,
} from './email-claim-store.ts';
import { type EvidenceSources, gatherEvidence } from './gather-evidence.ts';

export type EmailCheckRunner = {
  /** Starts the next run now instead of within two seconds. */
  wake(): void;
  /** Completes checks outside of batches in the background; this process has them for the time of a lease. */
  finish(projectId: string, checks: readonly PendingCheck[]): void;
  /** Works until no check of the project is pending that this process can have. */
  settle(projectId: string): Promise<void>;
  waitFor: CompletionWatch['waitFor'];
  /** Ends all waiting: for a process that is about to stop. */
  stopWaiting(): void;
  /** Stops, and releases uncompleted checks to other processes. */
  close(): Promise<void>;
};

/** An evaluated check of an account's email, with its evidence and outcome. */
export type EvaluatedCheck = {
  readonly check: PendingCheck;
  readonly outcome: EmailCheckOutcome;
  /** Null when the evaluation failed. */
  readonly evidence: EmailEvidence | null;
  readonly at: Date;
};

export type RunnerDependencies = {
  database: { readonly system: Pick<Database['system'], 'query'> };
  clock: Clock;
  sources: EvidenceSources;
  getProject: (projectId: string) => Promise<Project | null>;
  onError: (error: unknown) => void;
  /** Stores how checks of accounts end, in a transaction of their account. */
  completeOfAccount?: (project: Project, evaluated: EvaluatedCheck) => Promise<void>;
  /** False: runs only on request. */
  isAutomatic?: boolean | undefined;
};

const EVERY_MS = 2000;
/** Number of checks of a batch per claim, before another batch is claimed. */
const CHUNK = 120;
/** Number of concurrently processed batches: while one waits for the network, another one computes. */
const LANES = 2;
/** Longest rest of a lane between two chunks. */
const MAX_REST_MS = 100;
const MAX_ATTEMPTS = 3;
const FAILED: EmailCheckOutcome = {
  error: { code: CHECK_FAILED, message: 'The check could not be evaluated' },
};

type State = {
  readonly deps: RunnerDependencies;
  readonly stop: AbortController;
  readonly watch: CompletionWatch;
  readonly background: Set<Promise<void>>;
  readonly claimTimes: ClaimTimes;
  running: Promise<void> | null;
  isAsked: boolean;
};

/**
 * Completes email checks: those of batches in chunks, batch by batch in rotation, and checks outside of batches that
 * another process abandoned. Each is completed once, also by concurrent processes.
 */
export function startEmailChecks(deps: RunnerDependencies): EmailCheckRunner {
  const watch = createCompletionWatch();
  const state: State = {
    deps,
    watch,
    stop: new AbortController(),
    background: new Set(),
    claimTimes: createClaimTimes(),
    running: null,
    isAsked: false,
  };
  const timer = setInterval(() => wake(state), EVERY_MS);
  timer.unref();
  return {
    wake: () => wake(state),
    finish: (projectId, checks) => finish(state, projectId, checks),
    settle: (projectId) => settle(state, projectId),
    waitFor: watch.waitFor,
    stopWaiting: watch.stop,
    async close() {
      clearInterval(timer);
      watch.stop();
      state.stop.abort();
      await Promise.all([state.running, ...state.background]);
    },
  };
}

function wake(state: State): void {
  state.isAsked = true;
  if (state.stop.signal.aborted || state.deps.isAutomatic === false) return;
  state.running ??= runAll(state).finally(() => {
    state.running = null;
  });
}

function finish(state: State, projectId: string, checks: readonly PendingCheck[]): void {
  const { deps, background } = state;
  const task = deps
    .getProject(projectId)
    .then((project) => (project ? work(state, project, checks, null) : undefined))
    .catch(deps.onError)
    .finally(() => background.delete(task));
  background.add(task);
}

async function settle(state: State, projectId: string): Promise<void> {
  for (;;) {
    if (await runNext(state, projectId)) continue;
    if (!state.running && state.background.size === 0) return;
    await Promise.all([state.running, ...state.background]);
  }
}

async function runAll(state: State): Promise<void> {
  do {
    state.isAsked = false;
    await Promise.all(Array.from({ length: LANES }, () => runLane(state).catch(state.deps.onError)));
  } while (state.isAsked && !state.stop.signal.aborted);
}

/** Pauses as long as it worked: requests of the same process have priority. */
async function runLane(state: State): Promise<void> {
  for (;;) {
    const began = performance.now();
    if (!(await runNext(state, null))) return;
    const rest = Math.min(0.5 * (performance.now() - began), MAX_REST_MS);
    await delay(rest, undefined, { signal: state.stop.signal }).catch(() => {});
  }
}

/** Processes one chunk; false without one. A failed check keeps its lease, so that it is not retried immediately. */
async function runNext(state: State, projectId: string | null): Promise<boolean> {
  const { database, clock, onError } = state.deps;
  if (state.stop.signal.aborted) return false;
  // A failure in one project does not delay others.
  const end = (work: Promise<void>) => (projectId === null ? work.catch(onError) : work);
  const remaining = await claimChecks(database.system, projectId, CHUNK);
  for (const [id, checks] of Map.groupBy(remaining, (check) => check.project_id)) {
    const ids = checks.map(({ check_id }) => check_id);
    await end(workChecks(state, id, ids));
  }
  const batch = await claimBatch(database.system, projectId, clock.now(), state.claimTimes);
  if (batch) await end(workBatch(state, batch));
  return batch !== null || remaining.length > 0;
}

async function workBatch(state: State, batch: ClaimedBatch): Promise<void> {
  const project = await state.deps.getProject(batch.projectId);
  if (!project) return;
  await work(state, project, await readPendingOfBatch(project, batch.batchId, CHUNK), batch);
}

async function workChecks(state: State, projectId: string, checkIds: readonly string[]): Promise<void> {
  const project = await state.deps.getProject(projectId);
  if (project) await work(state, project, await readPending(project, checkIds), null);
}

function work(
  { deps, stop, watch }: State,
  project: Project,
  checks: readonly PendingCheck[],
  batch: ClaimedBatch | null,
): Promise<void> {
  return workChunk(deps, project, checks, batch, stop.signal, watch.notify);
}

/** Evaluates pending checks, and stores their outcomes. Interrupted checks are released to other processes. */
async function workChunk(
  deps: RunnerDependencies,
  project: Project,
  checks: readonly PendingCheck[],
  batch: ClaimedBatch | null,
  signal: AbortSignal,
  notify: (ids: readonly string[]) => void,
): Promise<void> {
  const outcomes = await evaluate(deps, project, checks, deps.clock.now(), signal);
  if (signal.aborted) return release(project, checks, batch);
  // Look-ups over the network can take seconds.
  const at = deps.clock.now();
  const evaluated = checks.flatMap((check, index) => {
    const found = outcomes[index]!;
    if (found !== null) return [{ check, ...found }];
    return check.attempts + 1 < MAX_ATTEMPTS ? [] : [{ check, outcome: FAILED, evidence: null }];
  });
  const isOfAccount = ({ check }: { check: PendingCheck }) =>
    check.accountId !== null && deps.completeOfAccount !== undefined;
  for (const each of evaluated.filter(isOfAccount)) {
    await completeOfAccount(deps, project, { ...each, at });
    notify([each.check.checkId]);
  }
  const known = evaluated.filter((each) => !isOfAccount(each));
  const failed = checks.filter((_, index) => outcomes[index] === null).map(({ checkId }) => checkId);
  const emits = batch?.emitsEach ?? true;
  const completed = await mapInSlices(known, ({ check, outcome }) =>
    completedOf(project, check, outcome, at, emits),
  );
  const { checkIds, finishedBatch } = await project.database.transaction(async (transaction) => {
    const completion = await completeChecks(transaction, project, completed, batch, at);
    const { finishedBatch: finished } = completion;
    const event =
      finished && outboxEvent(project.cipher, 'email.batch.completed', null, batchSnapshot(finished), at);
    await transaction.commit(
      ...(failed.length > 0 ? [noteFailuresCall(project.projectId, failed)] : []),
      ...(event
        ? [insertEventsCall(project.projectId, [event], { requestId: finished!.requestId, now: at })]
        : []),
    );
    return completion;
  });
  notify([...checkIds, ...(finishedBatch ? [finishedBatch.batchId] : [])]);
}

/** A check that cannot be stored keeps its lease, and is retried until it has no attempts remaining; then it ends alone. */
async function completeOfAccount(
  { completeOfAccount: complete, onError }: RunnerDependencies,
  project: Project,
  evaluated: EvaluatedCheck,
): Promise<void> {
  const { check } = evaluated;
  const isLast = check.attempts >= MAX_ATTEMPTS;
  try {
    await complete!(project, isLast ? { ...evaluated, outcome: FAILED, evidence: null } : evaluated);
  } catch (error) {
    onError(error);
    const end = { checkId: check.checkId, outcome: FAILED, at: evaluated.at, event: null };
    await project.database.query(
      ...(isLast ? endAccountCheckCall(project, end) : noteFailuresCall(project.projectId, [check.checkId])),
    );
  }
}

async function release(
  { database }: Project,
  checks: readonly PendingCheck[],
  batch: ClaimedBatch | null,
): Promise<void> {
  if (batch) return releaseBatch(database, batch);
  await releaseChecks(
    database,
    checks.map(({ checkId }) => checkId),
  );
}

type Evaluation = Pick<EvaluatedCheck, 'outcome' | 'evidence'>;

/** How each check ends; null where its evaluation failed. */
async function evaluate(
  deps: RunnerDependencies,
  project: Project,
  checks: readonly PendingCheck[],
  at: Date,
  signal: AbortSignal,
): Promise<(Evaluation | null)[]> {
  const asked = checks.map(({ checkId, input }) => ({
    checkId,
    email: input?.email ?? '',
    identityIntelligence: input?.identityIntelligence ?? false,
  }));
  try {
    const evidence = await gatherEvidence(deps.sources, project, asked, at, signal);
    return await mapInSlices(checks, ({ checkId, input }, index) => {
      try {
        if (input === null) throw new Error(`the input of email check ${checkId} cannot be decrypted`);
        return { outcome: { assessment: assessEmail(input, evidence[index]!) }, evidence: evidence[index]! };
      } catch (error) {
        deps.onError(error);
        return null;
      }
    });
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') throw error;
    if (checks.length > 1) {
      // One of them must not prevent the others from completing.
      const outcomes: (Evaluation | null)[] = [];
      for (const check of checks) outcomes.push(...(await evaluate(deps, project, [check], at, signal)));
      return outcomes;
    }
    deps.onError(error);
    return [null];
  }
}

type Completed = CompletedCheck & { readonly check: CompletedEmailCheck };

function completedOf(
  { projectId, cipher }: Project,
  { attempts: _attempts, ...check }: PendingCheck,
  outcome: EmailCheckOutcome,
  at: Date,
  emits: boolean,
): Completed {
  const done = withOutcome(check, outcome, at);
  const { checkId } = check;
  return {
    checkId,
    outcome,
    result: encryptOutcome(cipher, checkId, outcome),
    event: emits
      ? outboxEvent(cipher, 'email.intelligence.completed', null, checkSnapshot(projectId, done), at)
      : null,
    check: done,
  };
}

/** A check with how it ends. */
export function withOutcome(
  check: Omit<CompletedEmailCheck, 'status' | 'completedAt' | 'assessment' | 'error'>,
  outcome: EmailCheckOutcome,
  completedAt: Date,
): CompletedEmailCheck {
  return 'assessment' in outcome
    ? { ...check, status: 'success', assessment: outcome.assessment, error: null, completedAt }
    : { ...check, status: 'error', assessment: null, error: outcome.error, completedAt };
}
