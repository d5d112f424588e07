import { newId } from '../../platform/ids.ts';
import type { Statement } from '../../storage/database.ts';
import { outboxEvent } from '../events/outbox-event.ts';
import type { Project } from '../projects/project.ts';
import { type DueRow, FIND_LATER, FIND_NEXT, GIVE_BACK, RECORD } from './delivery-store.ts';
import { type DeliveryState, type DisabledReason, hostOf, type Outcome } from './endpoint.ts';
import { disableCall, noteHealthCall } from './endpoint-store.ts';
import { type NewJob, orderOf, type QueueName, type SystemTransaction, type TakenJob } from './job-store.ts';
import { FAILING_MS } from './schedule.ts';

/* What becomes of jobs that were taken: of their deliveries, their endpoints, and of what waits behind them. */

/** What is to be written of one job. */
export type Result = {
  job: TakenJob;
  state: DeliveryState | 'given_back';
  attempts: number;
  nextAttemptAt: Date | null;
  now: Date;
  attempt: { at: Date; outcome: Outcome } | null;
  row: DueRow | null;
  disables: DisabledReason | null;
};

/** Jobs of what is not due yet wait on; those of what is done, erased or paused end, and the next of their accounts begin. */
export async function putOff(
  transaction: SystemTransaction,
  projectId: string,
  taken: readonly TakenJob[],
  now: Date,
): Promise<void> {
  const ids = taken.map(({ deliveryId }) => deliveryId);
  const later = await transaction.run(FIND_LATER, [projectId, ids]);
  const times = new Map<string, Date>(later.map((row) => [row.delivery_id, row.next_attempt_at]));
  await transaction.removeJobs(taken);
  const [waiting, ended] = [true, false].map((isWaiting) =>
    taken.filter(({ deliveryId }) => times.has(deliveryId) === isWaiting),
  );
  await addTo(
    transaction,
    waiting!.map((job) => ({ ...job, afterMs: times.get(job.deliveryId)!.getTime() - now.getTime() })),
  );
  await transaction.addJobs('first', await findNext(transaction, projectId, ended!));
}

/** Jobs go back as they were, and are not looked at before. */
export async function postpone(
  transaction: SystemTransaction,
  taken: readonly TakenJob[],
  afterMs: number,
): Promise<void> {
  await transaction.removeJobs(taken);
  await addTo(
    transaction,
    taken.map((job) => ({ ...job, afterMs })),
  );
}

/** Those whose turn it is now that these jobs, which are removed, have ended. */
async function findNext(
  transaction: SystemTransaction,
  projectId: string,
  ended: readonly TakenJob[],
): Promise<NewJob[]> {
  const ordered = ended.flatMap(({ endpointId, order }) => (order ? [{ endpointId, ...order }] : []));
  if (ordered.length === 0) return [];
  const rows = await transaction.run(FIND_NEXT, [
    projectId,
    ordered.map(({ endpointId }) => endpointId),
    ordered.map(({ accountId }) => accountId),
    ordered.map(({ position }) => position),
  ]);
  return rows.map((row) => ({
    projectId,
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    order: orderOf(row),
  }));
}

/** Writes results with the jobs that they end, those for the next attempts, and those of whoever waited for them. */
export async function writeResults(
  transaction: SystemTransaction,
  project: Project,
  results: readonly Result[],
  at: Date,
): Promise<void> {
  const { projectId } = project;
  for (const call of healthCalls(project, results)) await transaction.run(...call);
  const ended = results.filter(({ state }) => state !== 'given_back').map(({ job }) => job);
  await Promise.all([
    record(
      transaction,
      project,
      results.filter(({ state }) => state !== 'given_back'),
      at,
    ),
    giveBack(
      transaction,
      projectId,
      results.filter(({ state }) => state === 'given_back'),
    ),
    transaction.removeJobs(results.map(({ job }) => job)),
  ]);
  // After their jobs are gone: of each delivery there is one.
  await addTo(
    transaction,
    results.flatMap(({ job, state, nextAttemptAt, now }) => {
      if (nextAttemptAt === null) return [];
      const queue: QueueName = state === 'given_back' ? job.queue : 'retry';
      return { ...job, queue, afterMs: nextAttemptAt.getTime() - now.getTime() };
    }),
  );
  // What was made of events while these jobs were there waits for them, and is seen now that they are gone.
  await transaction.addJobs('first', await findNext(transaction, projectId, ended));
}

/** Of a delivery that was never tried the job stays in its own queue, so that there is one. */
async function addTo(transaction: SystemTransaction, added: readonly (TakenJob & NewJob)[]): Promise<void> {
  for (const [queue, own] of Map.groupBy(added, (job) => job.queue)) await transaction.addJobs(queue, own);
}

async function record(
  transaction: SystemTransaction,
  { projectId, cipher }: Project,
  results: readonly Result[],
  at: Date,
): Promise<void> {
  if (results.length === 0) return;
  const of = <T>(pick: (result: Result) => T) => results.map(pick);
  // In the order in which they are written, whenever they began: who follows attempts by their ids misses none.
  const attempts = results.map(({ attempt }) => {
    if (!attempt) return null;
    const attemptId = newId(at.getTime());
    const { answer } = attempt.outcome;
    const sealed = answer === '' ? null : cipher.sealJson('webhook_attempts', attemptId, answer);
    return { ...attempt, attemptId, answer: sealed };
  });
  const ofAttempt = <T>(pick: (attempt: NonNullable<(typeof attempts)[number]>) => T) =>
    attempts.map((attempt) => attempt && pick(attempt));
  await transaction.run(RECORD, [
    projectId,
    of(({ job }) => job.deliveryId),
    of(({ state }) => state),
    of(({ attempts }) => attempts),
    of(({ nextAttemptAt }) => nextAttemptAt),
    of(({ state, now }) => (state === 'waiting' ? null : now)),
    ofAttempt(({ attemptId }) => attemptId),
    ofAttempt(({ at }) => at),
    ofAttempt(({ outcome }) => outcome.status),
    ofAttempt(({ outcome }) => outcome.durationMs),
    ofAttempt(({ outcome }) => outcome.error),
    ofAttempt(({ answer }) => answer),
  ]);
}

async function giveBack(
  transaction: SystemTransaction,
  projectId: string,
  results: readonly Result[],
): Promise<void> {
  if (results.length === 0) return;
  const ids = results.map(({ job }) => job.deliveryId);
  await transaction.run(GIVE_BACK, [projectId, ids, results.map(({ nextAttemptAt }) => nextAttemptAt)]);
}

/** What the results say of the endpoints, where it is news. */
function* healthCalls(
  project: Project,
  results: readonly Result[],
): Generator<readonly [Statement, readonly unknown[]]> {
  const { projectId, cipher } = project;
  const tried = results.filter(({ attempt }) => attempt !== null);
  for (const [endpointId, own] of Map.groupBy(tried, ({ job }) => job.endpointId)) {
    const { now, row } = own.at(-1)!;
    const isHealthy = own.some(({ state }) => state === 'delivered');
    const wasFailing = own.some((result) => result.row?.failing_since != null);
    if (isHealthy ? wasFailing : own.some((result) => result.row?.failing_since === null))
      yield noteHealthCall(projectId, endpointId, isHealthy, now);
    const reasons = own.flatMap(({ disables }) => disables ?? []);
    const reason = reasons.includes('gone') ? 'gone' : isHealthy ? undefined : reasons[0];
    if (reason === undefined) continue;
    const data = {
      endpoint_id: endpointId,
      host: hostOf(row!.url),
      reason,
      failing_since: row!.failing_since?.toISOString() ?? null,
    };
    yield disableCall(projectId, {
      endpointId,
      reason,
      now,
      failingBefore: new Date(now.getTime() - FAILING_MS),
      event: outboxEvent(cipher, 'webhook.endpoint_disabled', null, data, now),
      auditId: newId(now.getTime()),
    });
  }
}
