import type { Clock } from '@vouchgraph/platform/clock';
import { firstIdAt, timeOfId } from '@vouchgraph/platform/ids';
import type { Database } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { countInSlices, countNextEvents } from './count-events-service.ts';
import { type AddedCount, type CountTransaction, countTransaction, readSnapshot } from './count-store.ts';
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
import {
  applyStep,
  compareCounters,
  FIND_NEXT,
  READ_POSITION,
  type RebuildPosition,
  type RebuildStep,
} from './rebuild-store.ts';

/** Retention of completed sessions without an account. */
const SESSION_MS = DAY_MS;
/** Checks are deleted at the earliest 31 days after they ended. */
const CHECK_MS = 28 * DAY_MS;

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
   * Recounts hour by hour, each with the progress, so that an interrupted rebuild continues with its unfinished hour. Returns the
   * number of hours with decisions, or null when it was stopped.
   */
  async function rebuild(viewer: Viewer, { onHour, signal }: RebuildOptions = {}): Promise<number | null> {
    assertMay(viewer, 'stats.rebuild');
    const { project } = viewer;
    const { system, clock } = deps;
    while (await countNextEvents(system, project));
    let hours = 0;
    for (; ; hours += 1) {
      if (signal?.aborted) return null;
      const { hour } = await step(project, (snapshot) => recountHour(snapshot, project, hours === 0));
      if (hour === null) break;
      onHour?.(hour);
    }
    await step(project, (snapshot) => recountRecent(snapshot, project, clock.now()));
    return hours;
  }

  /** Recounts in a snapshot and applies the result; again if another rebuild of the project has made a step meanwhile. */
  async function step<Step extends RebuildStep>(
    { projectId }: Project,
    recount: (snapshot: CountTransaction) => Promise<Step>,
  ): Promise<Step> {
    for (;;) {
      const found = await readSnapshot(deps.system, recount);
      if (await countTransaction(deps.system, (transaction) => applyStep(transaction, projectId, found)))
        return found;
    }
  }

  return { rebuild };
}

/** Recounts the next hour with a decision, and the counters before it to their erased rows; null when no hour is left. */
async function recountHour(
  snapshot: CountTransaction,
  project: Project,
  isFirst: boolean,
): Promise<RebuildStep & { hour: Date | null }> {
  const { projectId } = project;
  const { position, rebuilds_from, rebuild_steps: steps } = await readPosition(snapshot, projectId);
  // Another rebuild of the project has completed.
  if (rebuilds_from === null && !isFirst) return { steps, rebuildsFrom: null, differences: [], hour: null };
  const from = rebuilds_from ?? EPOCH;
  const hour = await findNextHour(snapshot, projectId, from);
  const end = hour && new Date(hour.getTime() + HOUR_MS);
  const counts = new HourlyCounts();
  if (hour && end) await countHour(snapshot, project, position, [firstIdAt(hour), firstIdAt(end)], counts);
  // Stored outcomes are counted at read time: counters contain only erased ones.
  const kinds = ['decision', 'signal', 'rule', 'outcome'];
  const recounted = { from, before: end, kinds, sessionKey: 'bound' };
  const differences = await compareCounters(snapshot, projectId, recounted, counts.rows());
  return { steps, rebuildsFrom: end, differences, hour };
}

/** Counts the decisions and matches with ids of a range. */
async function countHour(
  snapshot: CountTransaction,
  { projectId, cipher }: Project,
  position: string,
  range: readonly [string, string],
  counts: HourlyCounts,
): Promise<void> {
  const matches = await snapshot.run<CountedMatch & { times: number }>(COUNTED_MATCHES, [
    ...[projectId, position, ...range],
  ]);
  for (const row of matches) counts.addMatches(row, row.times);
  for (let after: string = range[0]; ; ) {
    const page = await snapshot.run<DecisionRow & { is_counted: boolean }>(COUNTED_DECISIONS, [
      ...[projectId, position, after, range[1], PAGE_SIZE],
    ]);
    const counted = page.filter(({ is_counted }) => is_counted);
    await countInSlices(counted, cipher, counts);
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)!.decision_id;
  }
}

async function findNextHour(snapshot: CountTransaction, projectId: string, from: Date): Promise<Date | null> {
  const [next] = await snapshot.run<{ decision_id: string | null; match_id: string | null }>(FIND_NEXT, [
    projectId,
    firstIdAt(from),
  ]);
  const [first] = [next!.decision_id, next!.match_id].filter((id) => id !== null).sort();
  return first === undefined ? null : hourOf(timeOfId(first));
}

/** Recounts rows with a limited retention: whole hours in which no row can have expired. */
async function recountRecent(
  snapshot: CountTransaction,
  { projectId }: Project,
  now: Date,
): Promise<RebuildStep> {
  const { position, rebuilds_from, rebuild_steps: steps } = await readPosition(snapshot, projectId);
  const sessions = await recountSessions(snapshot, projectId, position, now);
  const checks = await recountChecks(snapshot, projectId, position, now);
  return { steps, rebuildsFrom: rebuilds_from, differences: [...sessions, ...checks] };
}

async function recountSessions(
  snapshot: CountTransaction,
  projectId: string,
  position: string,
  now: Date,
): Promise<AddedCount[]> {
  const counts = new HourlyCounts();
  const from = nextHour(now.getTime() - SESSION_MS);
  const createdFrom = new Date(from.getTime() - SESSION_MS);
  const sessions = await snapshot.run<{ completed_at: Date; times: number }>(COUNTED_SESSIONS, [
    ...[projectId, position, firstIdAt(createdFrom), from],
  ]);
  for (const { completed_at, times } of sessions) counts.addCompletedSessions(completed_at, times);
  const recounted = { from, before: null, kinds: [], sessionKey: 'completed' };
  return compareCounters(snapshot, projectId, recounted, counts.rows());
}

async function recountChecks(
  snapshot: CountTransaction,
  projectId: string,
  position: string,
  now: Date,
): Promise<AddedCount[]> {
  const counts = new HourlyCounts();
  const from = nextHour(now.getTime() - CHECK_MS);
  const checks = await snapshot.run<CheckRow>(COUNTED_CHECKS, [projectId, position, from, CHECK_ENDED]);
  for (const row of checks) counts.addChecks(row);
  const recounted = { from, before: null, kinds: ['check'], sessionKey: null };
  return compareCounters(snapshot, projectId, recounted, counts.rows());
}

const nextHour = (time: number) => new Date(hourOf(new Date(time)).getTime() + HOUR_MS);

async function readPosition(snapshot: CountTransaction, projectId: string): Promise<RebuildPosition> {
  const [position] = await snapshot.run<RebuildPosition>(READ_POSITION, [projectId]);
  return position!;
}
