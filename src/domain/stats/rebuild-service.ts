import type { Clock } from '../../platform/clock.ts';
import { firstIdAt, timeOfId } from '../../platform/ids.ts';
import type { Database } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { countInSlices, countNextEvents } from './count-events-service.ts';
import {
  addCounts,
  type CountPosition,
  type CountTransaction,
  countTransaction,
  LOCK_POSITION,
} from './count-store.ts';
import {
  CHECK_ENDED,
  type CheckRow,
  COUNTED_CHECKS,
  COUNTED_DECISIONS,
  COUNTED_MATCHES,
  COUNTED_SESSIONS,
  type DecisionRow,
} from './counted-rows-store.ts';
import { type CountedMatch, DAY_MS, HOUR_MS, HourlyCounts, hourOf } from './counters.ts';
import { CLEAR, FIND_NEXT, REMEMBER } from './rebuild-store.ts';

/** Retention of completed sessions without an account. */
const SESSION_MS = DAY_MS;
/** Failed checks are deleted 31 days after their creation, and end at most two days after it. */
const CHECK_MS = 28 * DAY_MS;
const CHECK_CREATED_MS = 31 * DAY_MS;

const PAGE_SIZE = 2000;
const EPOCH = new Date(0);

export type RebuildOptions = {
  /** Called after each recounted hour. */
  readonly onHour?: (hour: Date) => void;
  /** Stops after the current hour; the next rebuild continues there. */
  readonly signal?: AbortSignal;
};

type Deps = { readonly system: Database['system']; readonly clock: Clock };

/** Recounts a project from its tables, for the command line. */
export function createStatsRebuildService(deps: Deps) {
  /**
   * Recounts hour by hour, each in one transaction with the progress, so that an interrupted rebuild continues with its unfinished
   * hour. Returns the number of hours with decisions, or null when it was stopped.
   */
  async function rebuild(viewer: Viewer, { onHour, signal }: RebuildOptions = {}): Promise<number | null> {
    assertMay(viewer, 'stats.rebuild');
    const { project } = viewer;
    const { system, clock } = deps;
    while (await countNextEvents(system, project));
    for (let hours = 0; ; hours += 1) {
      if (signal?.aborted) return null;
      const hour = await countTransaction(system, (transaction) =>
        recountHour(transaction, project, hours === 0),
      );
      if (hour === null) {
        await countTransaction(system, (transaction) => recountRecent(transaction, project, clock.now()));
        return hours;
      }
      onHour?.(hour);
    }
  }

  return { rebuild };
}

/** Recounts the next hour with a decision, and clears the counters before it; null when no hour is left. */
async function recountHour(
  transaction: CountTransaction,
  { projectId, cipher }: Project,
  isFirst: boolean,
): Promise<Date | null> {
  const { position, rebuilds_from } = await lockPosition(transaction, projectId);
  // Another rebuild of the project has completed.
  if (rebuilds_from === null && !isFirst) return null;
  const from = rebuilds_from ?? EPOCH;
  const hour = await findNextHour(transaction, projectId, from);
  const end = hour && new Date(hour.getTime() + HOUR_MS);
  // Stored outcomes are counted at read time: counters contain only erased ones.
  const kinds = ['decision', 'signal', 'rule', 'outcome'];
  await transaction.run(CLEAR, [projectId, from, end ?? 'infinity', kinds, 'bound']);
  await transaction.run(REMEMBER, [projectId, end]);
  if (!hour || !end) return null;
  const counts = new HourlyCounts();
  const range = [firstIdAt(hour), firstIdAt(end)] as const;
  const matches = await transaction.run<CountedMatch & { times: number }>(COUNTED_MATCHES, [
    ...[projectId, position, ...range],
  ]);
  for (const row of matches) counts.addMatches(row, row.times);
  for (let after: string = range[0]; ; ) {
    const page = await transaction.run<DecisionRow & { is_counted: boolean }>(COUNTED_DECISIONS, [
      ...[projectId, position, after, range[1], PAGE_SIZE],
    ]);
    const counted = page.filter(({ is_counted }) => is_counted);
    await countInSlices(counted, cipher, counts);
    if (page.length < PAGE_SIZE) break;
    after = page.at(-1)!.decision_id;
  }
  await addCounts(transaction, projectId, counts);
  return hour;
}

async function findNextHour(
  transaction: CountTransaction,
  projectId: string,
  from: Date,
): Promise<Date | null> {
  const [next] = await transaction.run<{ decision_id: string | null; match_id: string | null }>(FIND_NEXT, [
    projectId,
    firstIdAt(from),
  ]);
  const [first] = [next!.decision_id, next!.match_id].filter((id) => id !== null).sort();
  return first === undefined ? null : hourOf(timeOfId(first));
}

/** Recounts rows with a limited retention: whole hours in which no row can have expired. */
async function recountRecent(
  transaction: CountTransaction,
  { projectId }: Project,
  now: Date,
): Promise<void> {
  const { position } = await lockPosition(transaction, projectId);
  const counts = new HourlyCounts();
  const sessionsFrom = nextHour(now.getTime() - SESSION_MS);
  await transaction.run(CLEAR, [projectId, sessionsFrom, 'infinity', [], 'completed']);
  const createdFrom = new Date(sessionsFrom.getTime() - SESSION_MS);
  const checksCreatedFrom = new Date(now.getTime() - CHECK_CREATED_MS);
  const sessions = await transaction.run<{ completed_at: Date; times: number }>(COUNTED_SESSIONS, [
    ...[projectId, position, firstIdAt(createdFrom), sessionsFrom, checksCreatedFrom],
  ]);
  for (const { completed_at, times } of sessions) counts.addCompletedSessions(completed_at, times);
  const checksFrom = nextHour(now.getTime() - CHECK_MS);
  await transaction.run(CLEAR, [projectId, checksFrom, 'infinity', ['check'], null]);
  const checks = await transaction.run<CheckRow>(COUNTED_CHECKS, [
    ...[projectId, position, checksCreatedFrom, checksFrom, CHECK_ENDED],
  ]);
  for (const row of checks) counts.addChecks(row);
  await addCounts(transaction, projectId, counts);
}

const nextHour = (time: number) => new Date(hourOf(new Date(time)).getTime() + HOUR_MS);

async function lockPosition(transaction: CountTransaction, projectId: string): Promise<CountPosition> {
  const [position] = await transaction.run<CountPosition>(LOCK_POSITION, [projectId]);
  return position!;
}
