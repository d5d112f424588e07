import { print, printError } from '@vouchgraph/terminal';
import type { App } from '../../app.ts';
import type { Config } from '../../config.ts';
import { endProcess } from '../support/end-process.ts';
import { reportError } from '../support/report-error.ts';

/* How a gateway ends: by a signal, with the process that started it, or because of an error. */

/** Idle connections stay open for this long after their last response. */
const CLOSE_GRACE_MS = 1000;
/** The process ends before supervisors kill it, which is usually after ten seconds. */
const MAX_STOP_MS = 9500;

/** A signal to a group of processes arrives twice: from its sender, and from npm, which passes it on. */
const SAME_SIGNAL_MS = 1000;

/** SIGTERM drains; SIGINT (Ctrl-C) does not wait for load balancers, and a second signal waits for nothing idle. */
export function stopOnSignal(app: App, { drainDelayMs }: Config): void {
  const skipWaits = new AbortController();
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (first) {
      if (signal !== first.signal || performance.now() - first.at > SAME_SIGNAL_MS) skipWaits.abort();
      return;
    }
    first = { signal, at: performance.now() };
    const delayMs = signal === 'SIGINT' ? 0 : drainDelayMs;
    print('Stopping …');
    setTimeout(() => {
      printError('vouchgraph: stopped before everything was finished');
      endProcess(1);
    }, MAX_STOP_MS).unref();
    app.close({ delayMs, graceMs: CLOSE_GRACE_MS, skipWaits: skipWaits.signal }).then(
      () => endProcess(0),
      (error: unknown) => {
        reportError(error);
        endProcess(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

const CLOSE_MS = 10_000;

/** Closes what can still be closed, and ends with the reason why the gateway cannot continue. */
export function stopAfter(app: App, error: Error): void {
  reportError(error);
  setTimeout(() => endProcess(1), CLOSE_MS);
  void app.close().finally(() => endProcess(1));
}

const PARENT_CHECK_MS = 500;

/**
 * npm forwards signals to its child, which can be a shell that exits without forwarding them. npm itself can be killed. A
 * gateway whose parent exited stops as on SIGTERM.
 */
export function stopWithParent(): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  check.unref();
}
