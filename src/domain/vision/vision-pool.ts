import { Worker } from 'node:worker_threads';
import type { JudgementContext } from './documents/judge-document.ts';
import type { DocumentReading, DocumentTask, FaceReading, FaceTask } from './readings.ts';
import type { JudgedDocument, VisionAnswer, VisionResult, VisionTask } from './vision-worker.ts';

/**
 * Why a task has no reading although its pictures may be fine, so that it can be tried again. `crashed`: its thread
 * ended. `timed_out`: it ran too long. `failed`: it threw. `busy`: too many wait. `closed`: the pool is going down.
 */
export type VisionFailure = 'crashed' | 'timed_out' | 'failed' | 'busy' | 'closed';

export class VisionWorkerError extends Error {
  readonly failure: VisionFailure;

  constructor(failure: VisionFailure, detail?: string) {
    super(`The pictures could not be read: ${failure}${detail ? ` (${detail})` : ''}`);
    this.name = 'VisionWorkerError';
    this.failure = failure;
  }
}

export type VisionPool = {
  readFaces: (task: FaceTask) => Promise<FaceReading>;
  readDocument: (task: DocumentTask) => Promise<DocumentReading>;
  /** Reads a document and judges it in the same thread. */
  judgeDocument: (task: DocumentTask, context: JudgementContext) => Promise<JudgedDocument>;
  /** Ends the threads: tasks that wait fail at once, those that run have `graceMs` to finish. */
  close: (graceMs?: number) => Promise<void>;
  /** The most threads. */
  size: number;
  /** Threads alive now. */
  threads: () => number;
};

export type VisionPoolOptions = {
  size: number;
  /** Told of every failure, besides the caller; never holds personal data or paths. */
  onError: (error: VisionWorkerError) => void;
  taskLimitMs?: number;
  /** After so long without a task a thread ends and its memory goes back; the next task pays for loading again. */
  idleMs?: number;
  /** Tasks that may wait; beyond them a task fails with `busy`, since their pictures are held in memory. */
  mostWaiting?: number;
  /** The thread's program; tests give another. */
  program?: URL;
};

type Job = {
  request: VisionTask;
  transfer: ArrayBuffer[];
  resolve: (reading: VisionResult) => void;
  reject: (error: VisionWorkerError) => void;
};
type Thread = { worker: Worker; job: Job | null; timer: NodeJS.Timeout | undefined };

/** JavaScript's own memory of one thread; that of the networks lies outside of it. */
const HEAP_LIMIT_MB = 768;

/** Threads that read pictures, started when there is something to read, one task each at a time. */
export function createVisionPool({
  size,
  onError,
  taskLimitMs = 60_000,
  idleMs = 5 * 60_000,
  mostWaiting = 64,
  program = new URL('./vision-worker.ts', import.meta.url),
}: VisionPoolOptions): VisionPool {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let isClosed = false;
  let whenQuiet: (() => void) | undefined;

  const run = (request: VisionTask, transfer: ArrayBuffer[]) =>
    new Promise<VisionResult>((resolve, reject) => {
      const fail = (error: VisionWorkerError) => {
        onError(error);
        reject(error);
      };
      if (isClosed) return fail(new VisionWorkerError('closed'));
      if (waiting.length >= mostWaiting) return fail(new VisionWorkerError('busy'));
      waiting.push({ request, transfer, resolve, reject: fail });
      dispatch();
    });

  function dispatch(): void {
    while (waiting.length > 0) {
      const thread = idleThread();
      if (!thread) return;
      give(thread, waiting.shift()!);
    }
  }

  function idleThread(): Thread | undefined {
    for (const thread of threads) if (!thread.job) return thread;
    return threads.size < size ? start() : undefined;
  }

  function start(): Thread {
    const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB } });
    const thread: Thread = { worker, job: null, timer: undefined };
    worker.on('message', (answer: VisionAnswer) => finish(thread, answer));
    // The exit follows, and says the same of threads that end without an error.
    worker.on('error', () => {});
    worker.on('exit', () => drop(thread, 'crashed'));
    threads.add(thread);
    return thread;
  }

  function give(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(() => drop(thread, 'timed_out'), taskLimitMs);
    thread.worker.ref();
    thread.worker.postMessage(job.request, job.transfer);
  }

  function finish(thread: Thread, answer: VisionAnswer): void {
    const { job } = thread;
    // Dropped for its time just before it answered.
    if (!job || !threads.has(thread)) return;
    clearTimeout(thread.timer);
    thread.job = null;
    // A thread without work keeps no program alive.
    thread.worker.unref();
    thread.timer = setTimeout(() => drop(thread, 'closed'), idleMs).unref();
    if (answer.ok) job.resolve(answer.reading);
    else job.reject(new VisionWorkerError('failed', answer.failure));
    settle();
  }

  /** Ends a thread, whatever it does; its task fails, and those that wait get another one. */
  function drop(thread: Thread, failure: VisionFailure): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.reject(new VisionWorkerError(failure));
    thread.job = null;
    settle();
  }

  function settle(): void {
    if (!isClosed) dispatch();
    else if ([...threads].every(({ job }) => !job)) whenQuiet?.();
  }

  async function close(graceMs = 5000): Promise<void> {
    isClosed = true;
    for (const job of waiting.splice(0)) job.reject(new VisionWorkerError('closed'));
    if ([...threads].some(({ job }) => job)) {
      const quiet = new Promise<void>((resolve) => {
        whenQuiet = resolve;
      });
      const timer = setTimeout(() => whenQuiet?.(), graceMs);
      await quiet;
      clearTimeout(timer);
    }
    const ended = [...threads].map(({ worker }) => worker.terminate());
    for (const thread of [...threads]) drop(thread, 'closed');
    await Promise.all(ended);
  }

  return {
    readFaces: async (task) => {
      const frames = task.frames.map(({ bytes, step }) => ({ bytes: own(bytes), step }));
      const buffers = frames.map(({ bytes }) => bytes.buffer);
      return (await run({ kind: 'faces', task: { ...task, frames } }, buffers)) as FaceReading;
    },
    readDocument: async (given) => {
      const { task, buffers } = ownSides(given);
      return (await run({ kind: 'document', task }, buffers)) as DocumentReading;
    },
    judgeDocument: async (given, context) => {
      const { task, buffers } = ownSides(given);
      return (await run({ kind: 'judged_document', task, context }, buffers)) as JudgedDocument;
    },
    close,
    size,
    threads: () => threads.size,
  };
}

function ownSides({ front, back }: DocumentTask) {
  const task = { front: own(front), back: back && own(back) };
  return { task, buffers: [task.front.buffer, ...(task.back ? [task.back.buffer] : [])] };
}

/** A copy of its own, which can be handed over: Node's buffers are often slices of a shared one. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
