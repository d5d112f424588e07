import type { Clock } from '../../platform/clock.ts';
import { NIL_UUID } from '../../platform/ids.ts';
import type { Row } from '../../storage/database.ts';
import { FIND_NEXT, FIND_WITHOUT_JOBS, LOCK_SWEPT, PAGE_DUE, SET_RESUMING } from './delivery-store.ts';
import { type Jobs, type NewJob, orderOf, type SystemTransaction } from './job-store.ts';

/*
 * Gives deliveries that are due and have no job theirs: those of an endpoint that is resumed, and whatever else was left without.
 * In pages, each a transaction of its own under the endpoint's lock, so that nobody else gives them one meanwhile.
 */

export type Sweeper = {
  /** Looks at all endpoints soon. */
  wake(): void;
  /** The same, waited for; how many jobs there were to add. */
  sweep(): Promise<number>;
  close(): Promise<void>;
};

const EVERY_MS = 30_000;
const PAGE = 1000;

type Cursor = { at: Date; id: string };
const INITIAL_CURSOR: Cursor = { at: new Date(0), id: NIL_UUID };

export function startSweeper(deps: {
  jobs: Jobs;
  clock: Clock;
  /** Told that there are new jobs, and room for more of those that were resumed. */
  onJobs: () => void;
  onError: (error: unknown) => void;
}): Sweeper {
  const { jobs, clock, onJobs, onError } = deps;
  let isStopped = false;
  let isAsked = false;
  let running: Promise<void> | null = null;

  async function sweep(): Promise<number> {
    const found = await jobs.query(FIND_WITHOUT_JOBS, [clock.now()]);
    let added = 0;
    for (const { project_id, endpoint_id } of found)
      added += await sweepOne(project_id, endpoint_id).catch((error) => {
        onError(error);
        return 0;
      });
    return added;
  }

  async function sweepOne(projectId: string, endpointId: string): Promise<number> {
    const now = clock.now();
    let added = 0;
    for (let from: Cursor | null = INITIAL_CURSOR; from !== null && !isStopped; ) {
      const after: Cursor = from;
      const page = await jobs.transaction(
        (transaction) => sweepPage(transaction, projectId, endpointId, after, now),
        { isRepeatable: true },
      );
      added += page.added;
      from = page.next;
      onJobs();
    }
    return added;
  }

  async function run(): Promise<void> {
    while (isAsked && !isStopped) {
      isAsked = false;
      await sweep().catch(onError);
    }
  }

  function wake(): void {
    if (isStopped) return;
    isAsked = true;
    running ??= run().finally(() => {
      running = null;
    });
  }

  const timer = setInterval(wake, EVERY_MS);
  timer.unref();
  return {
    wake,
    async sweep() {
      await running;
      return sweep();
    },
    async close() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function sweepPage(
  transaction: SystemTransaction,
  projectId: string,
  endpointId: string,
  { at, id }: Cursor,
  now: Date,
): Promise<{ added: number; next: Cursor | null }> {
  const [endpoint] = await transaction.run(LOCK_SWEPT, [projectId, endpointId]);
  if (!endpoint) return { added: 0, next: null };
  const isResuming: boolean = endpoint.is_resuming;
  const until = isResuming ? null : now;
  const page = await transaction.run(PAGE_DUE, [projectId, endpointId, until, at, id, PAGE]);
  // Of an account that was at it when the endpoint was paused, the job may be just about to end without a next one: adding waits for it.
  const inOrder = page.filter(
    (row) => row.is_untried && row.account_id !== null && (isResuming || !row.has_job),
  );
  const alone = page.filter((row) => !(row.is_untried && row.account_id !== null) && !row.has_job);
  const accounts = [...new Set(inOrder.map((row): string => row.account_id))];
  const first = await transaction.run(FIND_NEXT, [
    projectId,
    accounts.map(() => endpointId),
    accounts,
    accounts.map(() => -1),
  ]);
  const jobOf = (row: Row): NewJob => ({
    projectId,
    endpointId,
    deliveryId: row.delivery_id,
    afterMs: row.next_attempt_at ? row.next_attempt_at.getTime() - now.getTime() : 0,
  });
  const [untried, tried] = [true, false].map((isUntried) =>
    alone.filter((row) => (row.attempts === 0) === isUntried).map(jobOf),
  );
  await transaction.addJobs('first', [
    ...first.map((row) => ({ ...jobOf(row), order: orderOf(row) })),
    ...untried!,
  ]);
  await transaction.addJobs('retry', tried!);
  const last = page.length === PAGE ? page.at(-1)! : null;
  if (isResuming && !last) await transaction.run(SET_RESUMING, [projectId, endpointId, false]);
  return {
    added: first.length + alone.length,
    next: last && { at: last.next_attempt_at, id: last.delivery_id },
  };
}
