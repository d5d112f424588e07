import { AppError } from '@vouchgraph/platform/errors';
import { NIL_UUID } from '@vouchgraph/platform/ids';

/** Numbers of rows of one run. */
export type RecomputeCounts = {
  recomputed: number;
  /** Rows whose source is missing or cannot be read, which is stored with the row. */
  unreadable: number;
  /** Rows with an error. */
  failed: number;
};

/** One run over the stale rows of a project. */
export type RecomputeRun = {
  readonly counts: RecomputeCounts;
  readonly signal: AbortSignal;
  /** Ids of rows with a permanent error: this process does not retry them. */
  readonly failed: Set<string>;
  /** Awaited after each row, with the milliseconds that it took. */
  readonly pause: (workedMs: number) => Promise<void>;
  /** Receives the error of a row. The run ends if it throws. */
  readonly onError: (error: unknown) => void;
};

/** `unchanged`: nothing to count. `busy`: the run ends, and the next one continues with this row. */
export type RowOutcome = 'recomputed' | 'unreadable' | 'unchanged' | 'busy';

const PAGE = 100;

export const noCounts = (): RecomputeCounts => ({ recomputed: 0, unreadable: 0, failed: 0 });

/** A run without pauses that ends with the first error. */
export function immediateRun(): RecomputeRun {
  return {
    counts: noCounts(),
    signal: new AbortController().signal,
    failed: new Set(),
    pause: async () => {},
    onError(error) {
      throw error;
    },
  };
}

/**
 * Recomputes stale rows in the order of their ids. `findPage` returns the rows after an id. The result is false if rows are left
 * for another run: after an abort, `busy`, or an error that a retry can resolve.
 */
export async function recomputeRows<Row extends { readonly id: string }>(
  run: RecomputeRun,
  findPage: (after: string, limit: number) => Promise<readonly Row[]>,
  recompute: (row: Row) => Promise<RowOutcome>,
): Promise<boolean> {
  let isComplete = true;
  for (let after: string = NIL_UUID; ; ) {
    const rows = await findPage(after, PAGE);
    for (const row of rows) {
      if (run.signal.aborted) return false;
      if (run.failed.has(row.id)) continue;
      const began = performance.now();
      const outcome = await recomputeRow(run, row, recompute);
      if (outcome === 'stop') return false;
      if (outcome === 'retry') isComplete = false;
      await run.pause(performance.now() - began);
    }
    if (rows.length < PAGE) return isComplete;
    after = rows.at(-1)!.id;
  }
}

async function recomputeRow<Row extends { readonly id: string }>(
  { counts, signal, failed, onError }: RecomputeRun,
  row: Row,
  recompute: (row: Row) => Promise<RowOutcome>,
): Promise<'done' | 'retry' | 'stop'> {
  try {
    const outcome = await recompute(row);
    if (outcome === 'busy') return 'stop';
    if (outcome !== 'unchanged') counts[outcome] += 1;
    return 'done';
  } catch (error) {
    if (signal.aborted) return 'stop';
    onError(error);
    counts.failed += 1;
    // The database was unavailable, or a lock timed out.
    if (error instanceof AppError && error.kind === 'unavailable') return 'retry';
    failed.add(row.id);
    return 'done';
  }
}
