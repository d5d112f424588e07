import { AppError } from '@vouchgraph/platform/errors';
import { describe, expect, test } from 'vitest';
import {
  immediateRun,
  noCounts,
  type RecomputeRun,
  type RowOutcome,
  recomputeRows,
} from './recompute-rows.ts';

const idOf = (number: number) => `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`;
const rowsUpTo = (count: number) => Array.from({ length: count }, (_, index) => ({ id: idOf(index + 1) }));
const pageOf = (rows: readonly { id: string }[]) => async (after: string, limit: number) =>
  rows.filter(({ id }) => id > after).slice(0, limit);
const unavailable = () => new AppError('database.unavailable', 'unavailable', 'unavailable');

/** A run that collects errors. */
function collectingRun(failed = new Set<string>()) {
  const errors: unknown[] = [];
  const stop = new AbortController();
  const run: RecomputeRun = {
    counts: noCounts(),
    signal: stop.signal,
    failed,
    pause: async () => {},
    onError: (error) => void errors.push(error),
  };
  return { run, errors, stop };
}

describe('stale rows', () => {
  test('are recomputed once each, in order, over any number of pages', async () => {
    for (const count of [0, 1, 100, 101, 250]) {
      const { run } = collectingRun();
      const seen: string[] = [];
      const isComplete = await recomputeRows(run, pageOf(rowsUpTo(count)), async ({ id }) => {
        seen.push(id);
        return 'recomputed';
      });
      expect(seen).toEqual(rowsUpTo(count).map(({ id }) => id));
      expect({ isComplete, ...run.counts }).toEqual({
        ...{ isComplete: true, recomputed: count },
        ...{ unreadable: 0, failed: 0 },
      });
    }
  });

  test('are counted by their outcome', async () => {
    const { run } = collectingRun();
    const outcomes: RowOutcome[] = ['recomputed', 'unchanged', 'unreadable', 'recomputed'];
    expect(await recomputeRows(run, pageOf(rowsUpTo(4)), async () => outcomes.shift()!)).toBe(true);
    expect(run.counts).toEqual({ recomputed: 2, unreadable: 1, failed: 0 });
  });

  test('with a permanent error are skipped by further runs of the process', async () => {
    const { run, errors } = collectingRun();
    const damaged = new Error('damaged');
    const recompute = async ({ id }: { id: string }): Promise<RowOutcome> => {
      if (id === idOf(2)) throw damaged;
      return 'recomputed';
    };
    expect(await recomputeRows(run, pageOf(rowsUpTo(3)), recompute)).toBe(true);
    expect(run.counts).toEqual({ recomputed: 2, unreadable: 0, failed: 1 });
    expect(errors).toEqual([damaged]);
    const next = collectingRun(run.failed);
    expect(await recomputeRows(next.run, pageOf([{ id: idOf(2) }]), recompute)).toBe(true);
    expect({ ...next.run.counts, errors: next.errors }).toEqual({ ...noCounts(), errors: [] });
  });

  test('with a temporary error are left to the next run', async () => {
    const { run } = collectingRun();
    const isComplete = await recomputeRows(run, pageOf(rowsUpTo(3)), async ({ id }) => {
      if (id === idOf(1)) throw unavailable();
      return 'recomputed';
    });
    expect({ isComplete, failed: run.failed.size }).toEqual({ isComplete: false, failed: 0 });
    expect(run.counts).toEqual({ recomputed: 2, unreadable: 0, failed: 1 });
  });
});

describe('a run', () => {
  test('ends at a busy row', async () => {
    const { run } = collectingRun();
    const outcomes: RowOutcome[] = ['recomputed', 'busy', 'recomputed'];
    expect(await recomputeRows(run, pageOf(rowsUpTo(3)), async () => outcomes.shift()!)).toBe(false);
    expect(outcomes).toEqual(['recomputed']);
    expect(run.counts).toEqual({ recomputed: 1, unreadable: 0, failed: 0 });
  });

  test('ends after an abort, whose error is not reported', async () => {
    const { run, errors, stop } = collectingRun();
    let calls = 0;
    const isComplete = await recomputeRows(run, pageOf(rowsUpTo(3)), async () => {
      calls += 1;
      if (calls === 1) return 'recomputed';
      stop.abort();
      throw new Error('closed');
    });
    expect({ isComplete, calls, errors, ...run.counts }).toEqual({
      ...{ isComplete: false, calls: 2, errors: [] },
      ...{ recomputed: 1, unreadable: 0, failed: 0 },
    });
  });

  test('without pauses ends with the first error', async () => {
    const damaged = new Error('damaged');
    let calls = 0;
    const running = recomputeRows(immediateRun(), pageOf(rowsUpTo(3)), async () => {
      calls += 1;
      throw damaged;
    });
    await expect(running).rejects.toBe(damaged);
    expect(calls).toBe(1);
  });

  test('awaits a pause after each row', async () => {
    const { run } = collectingRun();
    const events: string[] = [];
    const paused: RecomputeRun = {
      ...run,
      async pause() {
        events.push('pause');
      },
    };
    await recomputeRows(paused, pageOf(rowsUpTo(2)), async () => {
      events.push('row');
      return 'recomputed';
    });
    expect(events).toEqual(['row', 'pause', 'row', 'pause']);
  });
});
