import { Worker } from 'node:worker_threads';
import type { JudgmentContext } from './documents/judge-document.ts';
import type { DocumentReading, DocumentTask, FaceReading, FaceTask } from './readings.ts';
import type { JudgedDocument, VisionAnswer, VisionResult, VisionTask } from './vision-worker.ts';

/**
 * Why a task has no reading although its images may be fine, so that it can be tried again. `crashed`: its thread
 * ended. `timed_out`: it ran too long. `failed`: it threw. `busy`: too many wait. `closed`: the pool is going down.
 */
export type VisionFailure = 'crashed' | 'timed_out' | 'failed' | 'busy' | 'closed';

export class VisionWorkerError extends Error {
  readonly failure: VisionFailure;

  constructor(failure: VisionFailure, detail?: string) {
    super(`The images could not be read: ${failure}${detail ? ` (${detail})` : ''}`);
    this.name = 'VisionWorkerError';
    this.failure = failure;
  }
}

export type VisionPool = {
  readFaces: (task: FaceTask) => Promise<FaceReading>;
  readDocument: (task: DocumentTask) => Promise<DocumentReading>;
  /** Reads a document and judges it in the same thread. */
  judgeDocument: (task: DocumentTask, context: JudgmentContext) => Promise<JudgedDocument>;
  /** Stops the threads: waiting tasks fail immediately, running ones have `graceMs` to finish. */
  close: (graceMs?: number) => Promise<void>;
  /** The most threads. */
  size: number;
  /** Threads alive now. */
  threads: () => number;
};

export type VisionPoolOptions = {
  size: number;
  /** Receives every failure, in addition to the caller. Contains no personal data and no paths. */
  onError: (error: VisionWorkerError) => void;
  taskLimitMs?: number;
  /** After so long without a task a thread ends and its memory goes back; the next task pays for loading again. */
  idleMs?: number;
  /** Tasks that may wait; beyond them a task fails with `busy`, since their images are held in memory. */
  maxWaiting?: number;
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

/** Threads that read images, started when there is something to read, one task each at a time. */
export function createVisionPool(options: VisionPoolOptions): VisionPool {
  const pool = new ThreadPool(options);
  return {
    readFaces: async (task) => {
      const frames = task.frames.map(({ bytes, step }) => ({ bytes: own(bytes), step }));
      const buffers = frames.map(({ bytes }) => bytes.buffer);
      return (await pool.run({ kind: 'faces', task: { ...task, frames } }, buffers)) as FaceReading;
    },
    readDocument: async (given) => {
      const { task, buffers } = ownSides(given);
      return (await pool.run({ kind: 'document', task }, buffers)) as DocumentReading;
    },
    judgeDocument: async (given, context) => {
      const { task, buffers } = ownSides(given);
      return (await pool.run({ kind: 'judged_document', task, context }, buffers)) as JudgedDocument;
    },
    close: (graceMs) => pool.close(graceMs),
    size: options.size,
    threads: () => pool.threads,
  };
}

class ThreadPool {
  readonly #options: Required<VisionPoolOptions>;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #isClosed = false;
  #whenQuiet: (() => void) | undefined;

  constructor({
    taskLimitMs = 60_000,
    idleMs = 5 * 60_000,
    maxWaiting = 64,
    program = new URL('./vision-worker.ts', import.meta.url),
    ...given
  }: VisionPoolOptions) {
    this.#options = { ...given, taskLimitMs, idleMs, maxWaiting, program };
  }

  get threads(): number {
    return this.#threads.size;
  }

  run(request: VisionTask, transfer: ArrayBuffer[]): Promise<VisionResult> {
    return new Promise<VisionResult>((resolve, reject) => {
      const fail = (error: VisionWorkerError) => {
        this.#options.onError(error);
        reject(error);
      };
      if (this.#isClosed) return fail(new VisionWorkerError('closed'));
      if (this.#waiting.length >= this.#options.maxWaiting) return fail(new VisionWorkerError('busy'));
      this.#waiting.push({ request, transfer, resolve, reject: fail });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idleThread();
      if (!thread) return;
      this.#give(thread, this.#waiting.shift()!);
    }
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (!thread.job) return thread;
    return this.#threads.size < this.#options.size ? this.#start() : undefined;
  }

  #start(): Thread {
    const worker = new Worker(this.#options.program, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    });
    const thread: Thread = { worker, job: null, timer: undefined };
    worker.on('message', (answer: VisionAnswer) => this.#finish(thread, answer));
    // The exit event follows, also for threads that exit without an error.
    worker.on('error', () => {});
    worker.on('exit', () => this.#drop(thread, 'crashed'));
    this.#threads.add(thread);
    return thread;
  }

  #give(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(() => this.#drop(thread, 'timed_out'), this.#options.taskLimitMs);
    thread.worker.ref();
    thread.worker.postMessage(job.request, job.transfer);
  }

  #finish(thread: Thread, answer: VisionAnswer): void {
    const { job } = thread;
    // Dropped for its time just before it answered.
    if (!job || !this.#threads.has(thread)) return;
    clearTimeout(thread.timer);
    thread.job = null;
    // A thread without work keeps no program alive.
    thread.worker.unref();
    thread.timer = setTimeout(() => this.#drop(thread, 'closed'), this.#options.idleMs).unref();
    if (answer.ok) job.resolve(answer.reading);
    else job.reject(new VisionWorkerError('failed', answer.failure));
    this.#settle();
  }

  /** Terminates a thread. Its task fails, and waiting ones are assigned to another thread. */
  #drop(thread: Thread, failure: VisionFailure): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.reject(new VisionWorkerError(failure));
    thread.job = null;
    this.#settle();
  }

  #settle(): void {
    if (!this.#isClosed) this.#dispatch();
    else if ([...this.#threads].every(({ job }) => !job)) this.#whenQuiet?.();
  }

  /** Waiting tasks fail immediately, running ones have `graceMs` to finish. */
  async close(graceMs = 5000): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(new VisionWorkerError('closed'));
    if ([...this.#threads].some(({ job }) => job)) {
      const quiet = new Promise<void>((resolve) => {
        this.#whenQuiet = resolve;
      });
      const timer = setTimeout(() => this.#whenQuiet?.(), graceMs);
      await quiet;
      clearTimeout(timer);
    }
    const ended = [...this.#threads].map(({ worker }) => worker.terminate());
    for (const thread of [...this.#threads]) this.#drop(thread, 'closed');
    await Promise.all(ended);
  }
}

function ownSides({ front, back }: DocumentTask) {
  const task = { front: own(front), back: back && own(back) };
  return { task, buffers: [task.front.buffer, ...(task.back ? [task.back.buffer] : [])] };
}

/** A separate copy, which can be transferred: Node's buffers are often slices of a shared one. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
