import { setTimeout as delay } from 'node:timers/promises';
import type { Project } from '../projects/project.ts';
import { findCompletedIds } from './email-check-store.ts';

/** Interval of polling, since another process may complete the check. */
const POLL_MS = 250;

export type CompletionWatch = {
  /** Resolves when a check or batch is completed, here or in another process, after the time, or when the signal aborts. */
  waitFor(project: Project, id: string, milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Notifies waiters of checks and batches that this process completed. */
  notify(ids: readonly string[]): void;
  /** Ends all current and future waits. */
  stop(): void;
};

/**
 * Waits for the completion of checks and batches. All waiters of a project poll with one statement every quarter of a
 * second; no connection is held in between.
 */
export function createCompletionWatch(): CompletionWatch {
  const stopped = new AbortController();
  const listeners = new Map<string, Set<() => void>>();
  /** Ids with waiters, by project. Each project has one polling loop. */
  const asked = new Map<string, Set<string>>();

  function notify(ids: readonly string[]): void {
    for (const id of ids) for (const wakeUp of listeners.get(id) ?? []) wakeUp();
  }

  async function poll(project: Project, ids: Set<string>): Promise<void> {
    for (;;) {
      await delay(POLL_MS, undefined, { ref: false });
      if (ids.size === 0) break;
      // A failed statement is repeated. Waiting requests receive the failure when they read the check.
      notify(await findCompletedIds(project, [...ids]).catch(() => []));
    }
    asked.delete(project.projectId);
  }

  function idsOf(project: Project): Set<string> {
    let ids = asked.get(project.projectId);
    if (!ids) {
      ids = new Set();
      asked.set(project.projectId, ids);
      void poll(project, ids);
    }
    return ids;
  }

  async function waitFor(
    project: Project,
    id: string,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const done = new AbortController();
    const wakeUp = () => done.abort();
    const ends = AbortSignal.any([stopped.signal, done.signal, ...(signal ? [signal] : [])]);
    const until = performance.now() + milliseconds;
    const own = listeners.get(id) ?? new Set();
    listeners.set(id, own.add(wakeUp));
    const ids = idsOf(project).add(id);
    try {
      const isCompleted = ends.aborted || (await findCompletedIds(project, [id])).length > 0;
      const remaining = until - performance.now();
      if (!isCompleted && remaining > 0) await delay(remaining, undefined, { signal: ends }).catch(() => {});
    } finally {
      own.delete(wakeUp);
      if (own.size === 0) {
        listeners.delete(id);
        ids.delete(id);
      }
    }
  }

  return { waitFor, notify, stop: () => stopped.abort() };
}
