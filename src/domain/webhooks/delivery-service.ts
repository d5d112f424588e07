import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type EventRow, eventBody, toPublicEvent } from '../events/event.ts';
import type { Project } from '../projects/project.ts';
import { putOff, type Result, writeResults } from './delivery-results-service.ts';
import { type DueRow, READ_DUE } from './delivery-store.ts';
import { type DisabledReason, isSuccess, type Outcome } from './endpoint.ts';
import type { Jobs, QueueName, SystemTransaction, TakenJob } from './job-store.ts';
import { RateLimits } from './rate-limits.ts';
import { FAILING_MS, judge } from './schedule.ts';
import type { Sender } from './sender-service.ts';
import { type Message, signedHeaders } from './signature.ts';
import { Slots } from './slots.ts';

/*
 * Makes the attempts. Jobs say which deliveries to look at, and a job that is taken is nobody else's; the delivery's row says
 * whether it is due. Results are written in batches, each in one transaction with the jobs that they end and those for the
 * next attempts. Whoever dies in between leaves a job that is given to another process a minute later.
 */

export type Deliverer = {
  /** Looks for jobs of a queue at once. */
  wake(queue: QueueName): void;
  /** Begins all that can be begun, and waits until nothing is under way in this process. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

type DelivererDependencies = {
  jobs: Jobs;
  sender: Sender;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  allowsLoopback: (project: Project) => boolean;
  /** Told of projects whose endpoints have room again. */
  onRoom: (projectIds: readonly string[]) => void;
  onError: (error: unknown) => void;
};

const EVERY_MS = 1000;
/** How many jobs are taken at once: few sizes, since each is a statement of its own. */
const BATCHES = [64, 32, 16];
/** Smaller batches are not worth a statement, unless there is nothing else to do. */
const LEAST_ROOM = 16;
/** An attempt that lasts longer makes room for others. */
const SLOW_MS = 2000;
/** So many results are written at once, or what there is after a moment: what ends together is one transaction. */
const GATHERED = 32;
const GATHER_MS = 5;
/** Bodies of events that other endpoints may be told of next. */
const MOST_REMEMBERED = 200;
/** How long what is under way may go on when the process ends. */
const CLOSE_MS = 5000;

/** A delivery that is taken, or let go without an attempt. */
type Taken = { job: TakenJob; row: DueRow };

export function startDeliverer(deps: DelivererDependencies): Deliverer {
  const { jobs, sender, clock, getProject, allowsLoopback, onRoom, onError } = deps;
  const stop = new AbortController();
  const interrupt = new AbortController();
  const slots = new Slots();
  const limits = new RateLimits();
  const messages = new LRUCache<string, Message>({ max: MOST_REMEMBERED });
  const asked = new Set<QueueName>();
  const underWay = new Set<Promise<void>>();
  let pumping: Promise<void> | null = null;
  let lastQueue: QueueName = 'retry';
  let results: Result[] = [];
  let flushing: Promise<void> | null = null;
  let stopGathering = () => {};

  async function pump(): Promise<void> {
    while (asked.size > 0 && !stop.signal.aborted) {
      const room = slots.room;
      // Whoever ends makes room, and asks again.
      if (room < LEAST_ROOM && slots.busy > 0) return;
      const queue = nextQueue();
      const size = BATCHES.find((batch) => batch <= room) ?? LEAST_ROOM;
      // Before it is looked at: whoever asks meanwhile has a job that is not seen.
      asked.delete(queue);
      if ((await begin(queue, size)) > 0) asked.add(queue);
    }
  }

  /** They take turns. */
  function nextQueue(): QueueName {
    const other = lastQueue === 'first' ? 'retry' : 'first';
    lastQueue = asked.has(other) ? other : lastQueue;
    return lastQueue;
  }

  function wake(queue: QueueName): void {
    asked.add(queue);
    goOn();
  }

  function goOn(): void {
    if (stop.signal.aborted || asked.size === 0) return;
    pumping ??= pump()
      .catch((error) => {
        // Looked for again within a second, not at once and again.
        asked.clear();
        onError(error);
      })
      .finally(() => {
        pumping = null;
      });
  }

  /** Takes jobs with their deliveries, and begins an attempt of each; how many jobs there were. */
  async function begin(queue: QueueName, size: number): Promise<number> {
    const without = [...new Set([...slots.full(), ...limits.exhausted(clock.now())])];
    const { count, due } = await jobs.transaction(
      async (transaction) => {
        const taken = await transaction.takeJobs(queue, size, without);
        const due: [Project, Taken][] = [];
        for (const [projectId, own] of Map.groupBy(taken, (job) => job.projectId)) {
          const project = await getProject(projectId);
          if (!project) await transaction.removeJobs(own);
          else for (const each of await readDue(transaction, project, own)) due.push([project, each]);
        }
        return { count: taken.length, due };
      },
      { isRepeatable: true },
    );
    for (const [project, each] of due) {
      const work: Promise<void> = attempt(project, each)
        .catch(onError)
        .finally(() => underWay.delete(work));
      underWay.add(work);
    }
    return count;
  }

  async function readDue(
    transaction: SystemTransaction,
    { projectId }: Project,
    taken: readonly TakenJob[],
  ): Promise<Taken[]> {
    const now = clock.now();
    const others = new Map(taken.map((job) => [job.deliveryId, job]));
    const endpoints = [...new Set(taken.map(({ endpointId }) => endpointId))];
    const rows = await transaction.run<DueRow>(READ_DUE, [projectId, [...others.keys()], now, endpoints]);
    const due = rows.map((row) => ({ row, job: others.get(row.delivery_id)! }));
    for (const { job } of due) others.delete(job.deliveryId);
    if (others.size > 0) await putOff(transaction, projectId, [...others.values()], now);
    return due;
  }

  async function attempt(project: Project, { job, row }: Taken): Promise<void> {
    const now = clock.now();
    const { attempts } = row;
    const nothing = { job, row, now, attempts, nextAttemptAt: null, attempt: null, disables: null };
    if (row.event_id === null) return note({ ...nothing, state: 'dropped' });
    const allowedAt = limits.take(row.endpoint_id, row.rate_per_minute, now);
    if (allowedAt !== null) return note({ ...nothing, state: 'given_back', nextAttemptAt: allowedAt });
    const slot = slots.take(row.endpoint_id);
    const slow = setTimeout(() => {
      slot.markSlow();
      goOn();
    }, SLOW_MS);
    try {
      const message = messageOf(project, row);
      const outcome = await sender.send({
        url: row.url,
        headers: signedHeaders(message, liveSecrets(project, row, now), row.signature_format, now),
        body: message.body,
        allowsLoopback: allowsLoopback(project),
        signal: interrupt.signal,
      });
      note(resultOf(project, { job, row }, outcome, now));
    } finally {
      clearTimeout(slow);
      slot.free();
      if (slots.busy === 0) stopGathering();
      goOn();
    }
  }

  /** An event is opened once for all who are told of it at the time. */
  function messageOf({ cipher, projectId }: Project, row: EventRow): Message {
    const key = `${projectId} ${row.event_id}`;
    const known = messages.get(key);
    if (known) return known;
    const event = toPublicEvent(cipher, projectId, row);
    const message = { id: event.id, type: event.type, body: eventBody(event) };
    messages.set(key, message);
    return message;
  }

  function resultOf(project: Project, { job, row }: Taken, outcome: Outcome, at: Date): Result {
    const now = clock.now();
    const base = { job, row, now, disables: null };
    // The process ends: another one takes it up, as if nothing had been tried.
    if (outcome.error === 'interrupted')
      return { ...base, state: 'given_back', attempts: row.attempts, nextAttemptAt: now, attempt: null };
    const attempts = row.attempts + 1;
    const verdict = judge(outcome, attempts, now, Math.random());
    const attemptId = newId(at.getTime());
    const answer =
      outcome.answer === '' ? null : project.cipher.sealJson('webhook_attempts', attemptId, outcome.answer);
    return {
      ...base,
      state: verdict.state,
      attempts,
      nextAttemptAt: verdict.state === 'waiting' ? verdict.nextAttemptAt : null,
      attempt: { attemptId, at, outcome, answer },
      disables: disabledBy(verdict.state === 'dead' && verdict.isGone, row, outcome, now),
    };
  }

  function note(result: Result): void {
    results.push(result);
    flushing ??= flushAll().finally(() => {
      flushing = null;
    });
    if (results.length >= GATHERED) stopGathering();
  }

  /** Waits for more results, unless there are enough, or nothing is under way. */
  function gather(): Promise<void> {
    if (results.length >= GATHERED || slots.busy === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      stopGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What ends while a batch is being written is in the next one. */
  async function flushAll(): Promise<void> {
    while (results.length > 0) {
      await gather();
      const batch = results;
      results = [];
      for (const [projectId, own] of Map.groupBy(batch, ({ job }) => job.projectId))
        await flush(projectId, own).catch(onError);
    }
  }

  async function flush(projectId: string, own: readonly Result[]): Promise<void> {
    const project = await getProject(projectId);
    if (!project) return;
    await jobs.transaction((transaction) => writeResults(transaction, project, own), {
      isRepeatable: true,
    });
    onRoom([projectId]);
    // The endpoints have fewer jobs under way now, by which the queue counts: what was passed over may be next.
    for (const { job } of own) asked.add(job.queue);
    goOn();
  }

  const timer = setInterval(() => {
    wake('first');
    wake('retry');
  }, EVERY_MS);
  timer.unref();
  return {
    wake,
    async drain() {
      wake('first');
      wake('retry');
      for (;;) {
        const current = pumping ?? flushing ?? [...underWay][0];
        if (!current) return;
        await current;
      }
    },
    async close() {
      clearInterval(timer);
      stop.abort();
      await pumping;
      const limit = setTimeout(() => interrupt.abort(), CLOSE_MS);
      await Promise.all(underWay);
      clearTimeout(limit);
      await flushing;
    },
  };
}

/** 410 says that nobody is there any more; and five days of nothing but failures say the same. */
function disabledBy(isGone: boolean, row: DueRow, outcome: Outcome, now: Date): DisabledReason | null {
  if (isGone) return 'gone';
  if (isSuccess(outcome) || row.failing_since === null) return null;
  return now.getTime() - row.failing_since.getTime() >= FAILING_MS ? 'failing' : null;
}

function liveSecrets({ cipher }: Project, row: DueRow, now: Date): string[] {
  const open = (blob: Buffer) => cipher.openJson<string>('webhook_endpoints', row.endpoint_id, blob);
  const { secret, previous_secret: previous, previous_secret_until: until } = row;
  return previous && until && until > now ? [open(secret), open(previous)] : [open(secret)];
}
