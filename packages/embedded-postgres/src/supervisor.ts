import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { RunningServer } from './server-start.ts';

/*
 * Restarts a server that exited, on the same port: pools open new connections for lost ones, and the server replays its log
 * with all acknowledged changes. Limited to a few restarts: a server that exits repeatedly has a cause that another start
 * does not remove.
 */

const MAX_RESTARTS = 5;
/** A server that ran for this time counts as healthy: earlier restarts are forgotten. */
const STABLE_MS = 60_000;
/** The first restart is immediate, each further one waits twice as long. */
const FIRST_BACKOFF_MS = 500;

export type SupervisorDeps = {
  /** Starts the server again; ends early when the signal is aborted. */
  restart(signal: AbortSignal): Promise<RunningServer>;
  log(line: string): void;
  /** Receives the reason, once, when the server is not started again. */
  onLost(error: EmbeddedPostgresError): void;
};

export type Supervisor = {
  /** From now on, a server that ends remains ended. */
  expectEnd(): void;
  /** Stops the server, or the attempt to start it again. */
  stop(): Promise<void>;
};

export function superviseServer(first: RunningServer, deps: SupervisorDeps): Supervisor {
  const stopping = new AbortController();
  let current = first;
  let restarts = 0;

  async function watch(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      await current.process.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt >= STABLE_MS) restarts = 0;
      const next = await startAgain();
      if (next === null) return;
      current = next;
      if (stopping.signal.aborted) return current.process.stop();
      deps.log('PostgreSQL runs again');
    }
  }

  /** The server that runs again; null when it is given up, or is to stop. */
  async function startAgain(): Promise<RunningServer | null> {
    let problem: unknown = new Error('it stopped after each restart');
    while (restarts < MAX_RESTARTS) {
      restarts += 1;
      deps.log(`PostgreSQL ended unexpectedly: starting it again (${restarts} of ${MAX_RESTARTS})`);
      await backOff();
      if (stopping.signal.aborted) return null;
      try {
        return await deps.restart(stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return null;
        problem = error;
      }
    }
    deps.onLost(givenUp(problem));
    return null;
  }

  async function backOff(): Promise<void> {
    if (restarts === 1) return;
    const milliseconds = FIRST_BACKOFF_MS * 2 ** (restarts - 2);
    await delay(milliseconds, undefined, { signal: stopping.signal }).catch(() => {});
  }

  const watching = watch();
  return {
    expectEnd: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await current.process.stop();
      await watching;
    },
  };
}

function givenUp(problem: unknown): EmbeddedPostgresError {
  const reason = problem instanceof Error ? problem.message : String(problem);
  return new EmbeddedPostgresError(
    `PostgreSQL stopped and did not stay up after ${MAX_RESTARTS} restarts: ${reason}`,
    { cause: problem },
  );
}
