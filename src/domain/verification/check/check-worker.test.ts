import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Project } from '../../projects/project.ts';
import type { CheckKind, CheckQueue, ClaimedCheck } from './check-queue-store.ts';
import { startCheckRunner } from './check-worker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const jobOf = (at: number): ClaimedCheck => ({
  jobId: `job ${at}`,
  projectId: 'p',
  sessionId: `s ${at}`,
  retries: 0,
});

function start(jobs: ClaimedCheck[], simulated: ClaimedCheck[] = []) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  const queue = {
    claim: vi.fn(async (kind: CheckKind, limit: number) =>
      (kind === 'real' ? jobs : simulated).splice(0, limit),
    ),
    finish: vi.fn(async () => {}),
    release: vi.fn(async () => {}),
    handOver: vi.fn(async () => {}),
  };
  const onError = vi.fn();
  const stopReading = vi.fn(async () => {
    for (const { reject } of running.values()) reject(new Error('closed'));
  });
  const runner = startCheckRunner({
    queue: queue as unknown as CheckQueue,
    checks: {
      check: (_project, sessionId) => {
        running.set(sessionId, Promise.withResolvers<void>());
        return running.get(sessionId)!.promise;
      },
    },
    atOnce: { real: 2, simulated: 1 },
    stopReading,
    getProject: async () => ({}) as Project,
    onError,
  });
  return { queue, running, runner, onError, stopReading };
}

describe('the runner', () => {
  it('runs as many checks as it has workers, and continues with the waiting ones', async () => {
    const { running, runner } = start([jobOf(1), jobOf(2), jobOf(3)]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([...running.keys()]).toEqual(['s 1', 's 2']);
    running.get('s 2')!.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([...running.keys()]).toEqual(['s 1', 's 2', 's 3']);
    for (const { resolve } of running.values()) resolve();
    await runner.close();
  });

  it('runs simulated checks when all workers are busy, and no real ones', async () => {
    const { running, runner } = start([jobOf(1), jobOf(2), jobOf(3)], [jobOf(4), jobOf(5)]);
    await vi.advanceTimersByTimeAsync(2000);
    expect([...running.keys()]).toEqual(['s 1', 's 2', 's 4']);
    running.get('s 4')!.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([...running.keys()]).toEqual(['s 1', 's 2', 's 4', 's 5']);
    for (const { resolve } of running.values()) resolve();
    await runner.close();
  });

  it('releases checks that do not finish within seconds of shutdown', async () => {
    const { queue, running, runner, onError, stopReading } = start([jobOf(1), jobOf(2)]);
    await vi.advanceTimersByTimeAsync(0);
    const closing = runner.close();
    running.get('s 1')!.resolve();
    await vi.advanceTimersByTimeAsync(4900);
    expect(queue.handOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await closing;
    expect(queue.finish.mock.calls).toEqual([['job 1']]);
    expect(queue.handOver.mock.calls).toEqual([['job 2']]);
    expect(stopReading).toHaveBeenCalledOnce();
    // A terminated reader is not a failure of the check.
    expect(queue.release).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it('releases a failed check and waits for its release at shutdown', async () => {
    const { queue, running, runner, onError } = start([jobOf(1), jobOf(2)]);
    await vi.advanceTimersByTimeAsync(0);
    const error = new Error('a reader died');
    running.get('s 1')!.reject(error);
    await vi.advanceTimersByTimeAsync(0);
    expect(queue.release.mock.calls).toEqual([['job 1']]);
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
