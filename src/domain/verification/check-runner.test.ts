import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Project } from '../projects/project.ts';
import type { CheckQueue, TakenCheck } from './check-queue-store.ts';
import { startCheckRunner } from './check-runner-service.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const jobOf = (at: number): TakenCheck => ({ jobId: `job ${at}`, projectId: 'p', sessionId: `s ${at}` });

function start(jobs: TakenCheck[], atOnce = 2) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  const queue = {
    take: vi.fn(async (limit: number) => jobs.splice(0, limit)),
    finish: vi.fn(async () => {}),
    giveBack: vi.fn(async () => {}),
  };
  const onError = vi.fn();
  const runner = startCheckRunner({
    queue: queue as unknown as CheckQueue,
    checks: {
      check: (_project, sessionId) => {
        running.set(sessionId, Promise.withResolvers<void>());
        return running.get(sessionId)!.promise;
      },
      fail: async () => {},
    },
    atOnce,
    getProject: async () => ({}) as Project,
    onError,
  });
  return { queue, running, runner, onError };
}

describe('the runner', () => {
  it('takes no more than it can do at once, and goes on with what waits', async () => {
    const { running, runner } = start([jobOf(1), jobOf(2), jobOf(3)]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([...running.keys()]).toEqual(['s 1', 's 2']);
    running.get('s 2')!.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([...running.keys()]).toEqual(['s 1', 's 2', 's 3']);
    for (const { resolve } of running.values()) resolve();
    await runner.close();
  });

  it('gives back what failed, and waits for its end when it closes', async () => {
    const { queue, running, runner, onError } = start([jobOf(1), jobOf(2)]);
    await vi.advanceTimersByTimeAsync(0);
    const error = new Error('a reader died');
    running.get('s 1')!.reject(error);
    await vi.advanceTimersByTimeAsync(0);
    expect(queue.giveBack.mock.calls).toEqual([['job 1']]);
    expect(onError.mock.calls).toEqual([[error]]);
    let isClosed = false;
    const closing = runner.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isClosed).toBe(false);
    running.get('s 2')!.resolve();
    await closing;
    expect(queue.finish.mock.calls).toEqual([['job 2']]);
  });
});
