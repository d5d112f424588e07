import { assessEmail, type EmailEvidence } from '@vouchgraph/email';
import { CHECK_FAILED, type EmailCheckOutcome } from '@vouchgraph/email/checks';
import { outboxEvent } from '@vouchgraph/events';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { mapInSlices } from '@vouchgraph/platform/slices';
import type { Database } from '../../storage/database.ts';
import type { Lease } from '../../storage/queue/lease-queue.ts';
import { startQueueWorker } from '../../storage/queue/queue-worker.ts';
import { insertEventsCall } from '../events/insert-events-store.ts';
import type { Project } from '../projects/project.ts';
import { endAccountCheckCall } from './account-check-store.ts';
import { type CompletionWatch, createCompletionWatch } from './completion-watch.ts';
import { encryptOutcome, type PendingCheck } from './email-check-row.ts';
import { batchSnapshot, type CompletedEmailCheck, checkSnapshot } from './email-check-snapshot.ts';
import {
  type CompletedCheck,
  completeChecks,
  noteFailuresCall,
  readPending,
  readPendingOfBatch,
} from './email-check-store.ts';
import { BATCH_QUEUE, batchClaimer, CHECK_QUEUE, type ClaimedBatch } from './email-claim-store.ts';
import { type EvidenceSources, gatherEvidence } from './gather-evidence.ts';

export type EmailCheckRunner = {
  /** Starts the next run now instead of within two seconds. */
  wake(): void;
  /** Completes checks outside of batches in the background; this process has their first lease. */
  finish(projectId: string, checks: readonly PendingCheck[]): void;
  /** Works until no check of the project is pending that this process can claim. */
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
const BATCHES_AT_ONCE = 2;
/** Longest pause between two chunks. */
const MAX_REST_MS = 100;
/** A chunk that takes longer is repeated by another process. */
const MAX_SECONDS = 900;
const MAX_ATTEMPTS = 3;
const FAILED: EmailCheckOutcome = {
  error: { code: CHECK_FAILED, message: 'The check could not be evaluated' },
};

/**
 * Completes email checks: those of batches in chunks, batch by batch in rotation, and checks outside of batches that
 * another process abandoned. Each is completed once, also by concurrent processes.
 */
export function startEmailChecks(deps: RunnerDependencies): EmailCheckRunner {
  const { database, clock, isAutomatic, onError } = deps;
  const watch = createCompletionWatch();
  const work: Work = async (projectId, read, batch, signal) => {
    const project = await deps.getProject(projectId);
    if (project) await workChunk(deps, project, await read(project), batch, signal, watch.notify);
  };
  const shared = {
    system: database.system,
    everyMs: EVERY_MS,
    renewSeconds: MAX_SECONDS,
    maxRestMs: MAX_REST_MS,
    isAutomatic,
    onError,
  };
  const single = startQueueWorker({
    ...shared,
    queue: CHECK_QUEUE,
    claim: (projectId, limit) => CHECK_QUEUE.claim(database.system, projectId, limit),
    atOnce: 1,
    perCall: CHUNK,
    work: (checks, signal) => workChecks(work, checks, signal),
  });
  const batches = startQueueWorker({
    ...shared,
    queue: BATCH_QUEUE,
    claim: batchClaimer(database.system, () => clock.now()),
    atOnce: BATCHES_AT_ONCE,
    work: ([batch], signal) => workBatch(work, batch!, signal),
  });
  const workers = [single, batches];
  return {
    wake() {
      if (isAutomatic !== false) for (const { wake } of workers) wake();
    },
    finish(projectId, checks) {
      const leases = checks.map(({ checkId }) => ({ projectId, id: checkId, leaseId: checkId }));
      single.hold(leases, (signal) => work(projectId, async () => checks, null, signal));
    },
    async settle(projectId) {
      for (const { settle } of workers) await settle(projectId);
    },
    waitFor: watch.waitFor,
    stopWaiting: watch.stop,
    async close() {
      watch.stop();
      await Promise.all(workers.map(({ close }) => close()));
    },
  };
}

/** Completes pending checks of a project, of a batch or of none. */
type Work = (
  projectId: string,
  read: (project: Project) => Promise<readonly PendingCheck[]>,
  batch: ClaimedBatch | null,
  signal: AbortSignal,
) => Promise<void>;

function workBatch(work: Work, batch: ClaimedBatch, signal: AbortSignal): Promise<void> {
  return work(batch.projectId, (project) => readPendingOfBatch(project, batch.id, CHUNK), batch, signal);
}

/** A failure in one project does not prevent the checks of others. */
async function workChecks(work: Work, checks: readonly Lease[], signal: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const [projectId, some] of Map.groupBy(checks, (check) => check.projectId)) {
    const ids = some.map(({ id }) => id);
    const read = (project: Project) => readPending(project, ids);
    await work(projectId, read, null, signal).catch((error) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'checks of several projects failed');
}

/** Evaluates pending checks, and stores their outcomes. After an abort it stores nothing. */
async function workChunk(
  deps: RunnerDependencies,
  project: Project,
  checks: readonly PendingCheck[],
  batch: ClaimedBatch | null,
  signal: AbortSignal,
  notify: (ids: readonly string[]) => void,
): Promise<void> {
  const outcomes = await evaluate(deps, project, checks, deps.clock.now(), signal);
  if (signal.aborted) return;
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

/** A check that cannot be stored is retried after its lease, until it has no attempts remaining; then it ends alone. */
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
