import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type EventRow, toPublicEvent } from '../events/event.ts';
import { eventBody, isPayloadFormat } from '../events/event-body.ts';
import type { Project } from '../projects/project.ts';
import { postpone, putOff, type Result, writeResults } from './delivery-results-service.ts';
import { type DueRow, READ_DUE } from './delivery-store.ts';
import { type DisabledReason, isSuccess, type Outcome } from './endpoint.ts';
import type { Jobs, QueueName, SystemTransaction, TakenJob } from './job-store.ts';
import { RateLimits } from './rate-limits.ts';
import { FAILING_MS, judge } from './schedule.ts';
import type { Sender } from './sender-service.ts';
import { type Message, signedHeaders } from './signature.ts';
import { LEAST_ROOM, type Slot, Slots } from './slots.ts';

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
const BATCHES = [48, 32, 16];
/** An attempt that lasts longer makes room for others. */
const SLOW_MS = 2000;
/** So many results are written at once, or what there is after a moment: what ends together is one transaction. */
const GATHERED = 32;
const GATHER_MS = 5;
/** Bodies of events that other endpoints may be told of next. */
const MOST_REMEMBERED = 200;
/** How long what is under way may go on when the process ends. */
const CLOSE_MS = 5000;
/** What cannot be tried for a reason of our own, such as a key that does not open, is looked at again after. */
const BROKEN_MS = 60_000;

/** A delivery that is taken, or let go without an attempt. */
type Taken = { job: TakenJob; row: DueRow };
type Admitted = Taken & { project: Project; slot: Slot };

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
      // Whoever ends makes room, and asks again.
      if (slots.room < LEAST_ROOM && slots.busy > 0) return;
      const queue = nextQueue();
      const size = BATCHES.find((batch) => batch <= slots.batch) ?? LEAST_ROOM;
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
    let admitted: Map<TakenJob, Slot> = new Map();
    const freeAll = () => {
      for (const slot of admitted.values()) slot.free();
      admitted = new Map();
    };
    try {
      const { count, due } = await jobs.transaction(
        async (transaction) => {
          freeAll();
          const taken = await transaction.takeJobs(queue, size, without);
          for (const job of taken) {
            const slot = slots.take(job.projectId, job.endpointId);
            if (slot) admitted.set(job, slot);
          }
          const full = taken.filter((job) => !admitted.has(job));
          if (full.length > 0) await postpone(transaction, full, 0);
          const due: (Taken & { project: Project })[] = [];
          for (const [projectId, own] of Map.groupBy(admitted.keys(), (job) => job.projectId))
            due.push(...(await readOf(transaction, projectId, own)));
          return { count: taken.length, due };
        },
        { isRepeatable: true },
      );
      for (const each of due) {
        const slot = admitted.get(each.job)!;
        admitted.delete(each.job);
        start({ ...each, slot });
      }
      return count;
    } finally {
      freeAll();
    }
  }

  function start(each: Admitted): void {
    const work: Promise<void> = attempt(each)
      .catch((error) => {
        onError(error);
        // The others go on; this one is looked at again.
        note({ ...nothingOf(each), state: 'given_back', nextAttemptAt: later(clock.now(), BROKEN_MS) });
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  /** Those of one project; should its key not open, they wait, and the others go on. */
  async function readOf(transaction: SystemTransaction, projectId: string, own: readonly TakenJob[]) {
    let project: Project | null;
    try {
      project = await getProject(projectId);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      onError(error);
      await postpone(transaction, own, BROKEN_MS);
      return [];
    }
    if (project) return (await readDue(transaction, project, own)).map((each) => ({ ...each, project }));
    await transaction.removeJobs(own);
    return [];
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

  const nothingOf = ({ job, row }: Taken) => {
    const { attempts } = row;
    return { job, row, now: clock.now(), attempts, nextAttemptAt: null, attempt: null, disables: null };
  };

  async function attempt({ project, slot, ...taken }: Admitted): Promise<void> {
    const slow = setTimeout(() => {
      slot.markSlow();
      goOn();
    }, SLOW_MS);
    try {
      const result = await tryOnce(project, taken);
      if (result.attempt?.outcome.error === 'timeout') slot.markSlow();
      note(result);
    } finally {
      clearTimeout(slow);
      slot.free();
      if (slots.busy === 0) stopGathering();
      goOn();
    }
  }

  async function tryOnce(project: Project, taken: Taken): Promise<Result> {
    const { row } = taken;
    const now = clock.now();
    const nothing = nothingOf(taken);
    if (row.event_id === null) return { ...nothing, state: 'dropped' };
    const allowedAt = limits.take(row.endpoint_id, row.rate_per_minute, now);
    if (allowedAt !== null) return { ...nothing, state: 'given_back', nextAttemptAt: allowedAt };
    // Set by a newer version, whose gateways can deliver it: it waits for them.
    if (!isPayloadFormat(row.payload_format))
      throw new Error(`Webhook endpoint ${row.endpoint_id} has payload format ${row.payload_format}`);
    let message: Message;
    try {
      message = messageOf(project, row);
    } catch (error) {
      // It would never open: what comes behind it goes on.
      onError(error);
      return { ...nothing, state: 'dead' };
    }
    const outcome = await sender.send({
      url: row.url,
      headers: signedHeaders(message, liveSecrets(project, row, now), row.signature_format, now),
      body: message.body,
      allowsLoopback: allowsLoopback(project),
      signal: interrupt.signal,
    });
    return resultOf(taken, outcome, now);
  }

  /** An event is opened once for all who are told of it at the time. */
  function messageOf({ cipher, projectId }: Project, row: DueRow & EventRow): Message {
    const { payload_format: format } = row;
    const key = `${projectId} ${row.event_id} ${format}`;
    const known = messages.get(key);
    if (known) return known;
    const event = toPublicEvent(cipher, projectId, row);
    const message = { id: event.id, type: event.type, body: eventBody(event, format) };
    messages.set(key, message);
    return message;
  }

  function resultOf(taken: Taken, outcome: Outcome, at: Date): Result {
    const base = nothingOf(taken);
    const { row, now } = base;
    // The process ends: another one takes it up, as if nothing had been tried.
    if (outcome.error === 'interrupted') return { ...base, state: 'given_back', nextAttemptAt: now };
    const attempts = row.attempts + 1;
    const verdict = judge(outcome, attempts, now, Math.random());
    return {
      ...base,
      state: verdict.state,
      attempts,
      nextAttemptAt: verdict.state === 'waiting' ? verdict.nextAttemptAt : null,
      attempt: { at, outcome },
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
    await jobs.transaction((transaction) => writeResults(transaction, project, own, clock.now()), {
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

const later = (from: Date, ms: number) => new Date(from.getTime() + ms);
const isUnavailable = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

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
