import { backOffMs } from './back-off.ts';
import type { MediaName } from './progress.ts';

/** Result of an upload: sent, to be retried, or finally rejected with a code. */
export type Sent = 'sent' | 'again' | { refused: string };

export type QueueState = {
  sentBytes: number;
  totalBytes: number;
  /** `stalled` after too many consecutive failures, until it is resumed. */
  phase: 'idle' | 'sending' | 'stalled' | 'refused';
  refusal: string | null;
};

export type UploadQueue = {
  add(name: MediaName, bytes: Blob): void;
  /** Resumes after a stall. */
  goOn(): void;
  /** Resolves when everything added so far is uploaded, or with the error code of a rejected upload. */
  drained(): Promise<string | null>;
  state(): QueueState;
};

const MAX_FAILURES = 5;

/** Uploads one file after the other, in order, and retries failures. */
export function createUploadQueue(deps: {
  send: (name: MediaName, bytes: Blob, onProgress: (sentBytes: number) => void) => Promise<Sent>;
  /** Called for each completed upload, whose file can be deleted. */
  onSent: (name: MediaName) => void;
  onChange: () => void;
  wait: (milliseconds: number) => Promise<void>;
}): UploadQueue {
  const waiting: { name: MediaName; bytes: Blob }[] = [];
  let listeners: ((refusal: string | null) => void)[] = [];
  let state: QueueState = { sentBytes: 0, totalBytes: 0, phase: 'idle', refusal: null };

  function change(next: Partial<QueueState>): void {
    state = { ...state, ...next };
    deps.onChange();
    if (state.phase !== 'idle' && state.phase !== 'refused') return;
    const notified = listeners;
    listeners = [];
    for (const notify of notified) notify(state.refusal);
  }

  async function run(): Promise<void> {
    if (state.phase === 'sending' || state.phase === 'refused') return;
    change({ phase: 'sending' });
    let failures = 0;
    while (waiting.length > 0) {
      const { name, bytes } = waiting[0]!;
      const before = state.sentBytes;
      const outcome = await deps.send(name, bytes, (sent) =>
        change({ sentBytes: before + Math.min(sent, bytes.size) }),
      );
      if (typeof outcome === 'object') return change({ phase: 'refused', refusal: outcome.refused });
      if (outcome === 'sent') {
        waiting.shift();
        failures = 0;
        deps.onSent(name);
        change({ sentBytes: before + bytes.size });
        continue;
      }
      failures += 1;
      change({ sentBytes: before });
      if (failures >= MAX_FAILURES) return change({ phase: 'stalled' });
      await deps.wait(backOffMs(failures));
    }
    change({ phase: 'idle' });
  }

  return {
    add(name, bytes) {
      waiting.push({ name, bytes });
      state = { ...state, totalBytes: state.totalBytes + bytes.size };
      void run();
    },
    goOn: () => void run(),
    drained() {
      if (state.phase === 'idle' || state.phase === 'refused') return Promise.resolve(state.refusal);
      return new Promise((resolve) => listeners.push(resolve));
    },
    state: () => state,
  };
}
