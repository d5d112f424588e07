import { outboxEvent } from '@vouchgraph/events';
import {
  type DeliveryState,
  type DisabledReason,
  type EndpointKey,
  FAILING_MS,
  hostOf,
  type Outcome,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { Call } from '../../storage/database.ts';
import type { Claimed } from './body-service.ts';
import { END_CLAIMS, type QueueDatabase, shareOrdersCall } from './delivery-queue-store.ts';
import { disableCall, noteHealthCall } from './endpoint-store.ts';

/* Writes what became of claimed deliveries, of all projects together: what ends at the same time is one transaction in one trip. */

/** Result of a claimed delivery to be written. */
export type Result = {
  readonly claimed: Claimed;
  readonly state: DeliveryState;
  /** False where it was not attempted, and keeps its place in the order of its account. */
  readonly isEnded: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly now: Date;
  readonly attempt: { readonly at: Date; readonly outcome: Outcome } | null;
  readonly disables: DisabledReason | null;
};

export type ResultWriter = {
  note(result: Result): void;
  /** Writes what there is without waiting for more. */
  flush(): void;
  /** Results that are being written. */
  readonly writing: Promise<void> | null;
};

/** Results per write: this many, or all after a moment. */
const BATCH_SIZE = 32;
const BATCH_DELAY_MS = 5;

export function createResultWriter(deps: {
  system: QueueDatabase;
  clock: Clock;
  /** The gateway that claimed. */
  gatewayId: string;
  /** Whether no attempt is under way, so that there is nothing to wait for. */
  isIdle: () => boolean;
  /** Receives results that are written, and the endpoints at which something became due. */
  onWritten: (results: readonly Result[], due: readonly EndpointKey[]) => void;
  onError: (error: unknown) => void;
}): ResultWriter {
  const { system, clock, gatewayId, isIdle, onWritten, onError } = deps;
  let results: Result[] = [];
  let writing: Promise<void> | null = null;
  let flush = () => {};

  /** Waits for more results, unless there are enough, or none will come. */
  function collectBatch(): Promise<void> {
    if (results.length >= BATCH_SIZE || isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, BATCH_DELAY_MS);
      flush = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What ends while a batch is being written is in the next one. */
  async function writeAll(): Promise<void> {
    while (results.length > 0) {
      await collectBatch();
      const batch = results;
      results = [];
      await write(batch).catch(onError);
    }
  }

  async function write(batch: readonly Result[]): Promise<void> {
    const health = [...healthCalls(batch)];
    const lock = shareOrdersCall(batch.map(({ claimed }) => claimed.row.project_id));
    const rows = await system.queueTransaction(async (transaction) => {
      // Endpoints are locked before the project, as in a dispatch: the two would deadlock otherwise.
      const written = await transaction.commit(...health, lock, endCall(gatewayId, batch, clock.now()));
      return written.at(-1)!;
    });
    onWritten(
      batch,
      rows.map((row) => ({ projectId: row.project_id, endpointId: row.endpoint_id })),
    );
  }

  return {
    note(result) {
      results.push(result);
      writing ??= writeAll().finally(() => {
        writing = null;
      });
      if (results.length >= BATCH_SIZE) flush();
    },
    flush: () => flush(),
    get writing() {
      return writing;
    },
  };
}

/** Whether what comes next in the order of its account may be sent now. */
const isOrderAdvanced = ({ isEnded, claimed }: Result) => isEnded && claimed.row.ordered_account_id !== null;

function endCall(gatewayId: string, ended: readonly Result[], now: Date): Call {
  // Ids in the order in which attempts are stored: a client that pages through attempts by id misses none that is stored later.
  const attemptIds = new Map(ended.map((result) => [result, newId(now.getTime())]));
  // Deliveries are locked by id, as in every transaction that shares the lock of the project.
  const results = ended.toSorted((a, b) => (a.claimed.row.delivery_id < b.claimed.row.delivery_id ? -1 : 1));
  const of = <T>(pick: (result: Result) => T) => results.map(pick);
  const attempts = results.map((result) => {
    const { attempt, claimed } = result;
    if (!attempt) return null;
    const attemptId = attemptIds.get(result)!;
    const { answer } = attempt.outcome;
    const { cipher } = claimed.project;
    const encrypted = answer === '' ? null : cipher.encryptJson('webhook_attempts', attemptId, answer);
    return { ...attempt, attemptId, answer: encrypted };
  });
  const ofAttempt = <T>(pick: (attempt: NonNullable<(typeof attempts)[number]>) => T) =>
    attempts.map((attempt) => attempt && pick(attempt));
  return END_CLAIMS.call({
    gatewayId,
    now,
    projectIds: of(({ claimed }) => claimed.row.project_id),
    deliveryIds: of(({ claimed }) => claimed.row.delivery_id),
    claimEnds: of(({ claimed }) => claimed.row.claimed_until),
    endpointIds: of(({ claimed }) => claimed.row.endpoint_id),
    orderedAccounts: of((result) => (isOrderAdvanced(result) ? result.claimed.row.ordered_account_id : null)),
    states: of(({ state }) => state),
    attemptCounts: of(({ attempts }) => attempts),
    nextAttempts: of(({ nextAttemptAt }) => nextAttemptAt),
    endTimes: of(({ state, now: endedAt }) => (state === 'waiting' ? null : endedAt)),
    areEnded: of(({ isEnded }) => isEnded),
    attemptIds: ofAttempt(({ attemptId }) => attemptId),
    attemptTimes: ofAttempt(({ at }) => at),
    statuses: ofAttempt(({ outcome }) => outcome.status),
    durations: ofAttempt(({ outcome }) => outcome.durationMs),
    errors: ofAttempt(({ outcome }) => outcome.error),
    answers: ofAttempt(({ answer }) => answer),
  });
}

/** Changes of the endpoints' health by the results; endpoints in one order, since each is locked. */
function* healthCalls(results: readonly Result[]): Generator<Call> {
  const tried = results.filter(({ attempt }) => attempt !== null);
  const byEndpoint = Map.groupBy(tried, ({ claimed }) => claimed.row.endpoint_id);
  for (const endpointId of [...byEndpoint.keys()].sort()) {
    const own = byEndpoint.get(endpointId)!;
    const { now, claimed } = own.at(-1)!;
    const { project, row } = claimed;
    const isHealthy = own.some(({ state }) => state === 'delivered');
    const wasFailing = own.some((result) => result.claimed.row.failing_since !== null);
    const wasHealthy = own.some((result) => result.claimed.row.failing_since === null);
    if (isHealthy ? wasFailing : wasHealthy)
      yield noteHealthCall(project.projectId, endpointId, isHealthy, now);
    const reasons = own.flatMap(({ disables }) => disables ?? []);
    const reason = reasons.includes('gone') ? 'gone' : isHealthy ? undefined : reasons[0];
    if (reason === undefined) continue;
    const facts = {
      endpointId,
      host: hostOf(row.url),
      reason,
      failingSince: row.failing_since?.toISOString() ?? null,
    };
    yield disableCall(project.projectId, {
      endpointId,
      reason,
      now,
      failingBefore: new Date(now.getTime() - FAILING_MS),
      event: outboxEvent(project.cipher, 'webhook.endpoint_disabled', null, facts, now),
      auditId: newId(now.getTime()),
    });
  }
}
