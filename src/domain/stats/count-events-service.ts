import { setImmediate as nextTurn } from 'node:timers/promises';
import { decryptFacts } from '@vouchgraph/decisions';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { firstIdAt } from '@vouchgraph/platform/ids';
import type { Facts } from '@vouchgraph/rules';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import {
  ADVANCE,
  addCounts,
  type CountTransaction,
  countTransaction,
  READ_UNCOUNTED,
  TRY_LOCK_POSITION,
  type UncountedEvent,
} from './count-store.ts';
import {
  AUTHENTICATED,
  CHECK_ENDED,
  CHECKS_OF_EVENTS,
  type CheckRow,
  DECISIONS_OF_EVENTS,
  type DecisionRow,
  MATCHES_OF_EVENTS,
  type MatchRow,
  SESSION_COMPLETED,
  SESSIONS_OF_EVENTS,
} from './counted-rows-store.ts';
import { type CountedDecision, HourlyCounts } from './counters.ts';

const BATCH_SIZE = 1000;

type CountedProject = Pick<Project, 'projectId' | 'cipher'>;

/**
 * Counts the next events of a project and advances its position in one transaction, so that each event is counted exactly once,
 * also after crashes. Returns whether more events are pending.
 */
export async function countNextEvents(system: Database['system'], project: CountedProject): Promise<boolean> {
  const { projectId } = project;
  return countTransaction(system, async (transaction) => {
    const [at] = await transaction.run<{ position: string; head: string }>(TRY_LOCK_POSITION, [projectId]);
    if (!at || Number(at.position) >= Number(at.head)) return false;
    const values = [projectId, at.position, Number(at.head) + 1, BATCH_SIZE];
    const events = await transaction.run<UncountedEvent>(READ_UNCOUNTED, values);
    const counts = await countsOf(transaction, project, events);
    await addCounts(transaction, projectId, counts.rows());
    const isMore = events.length === BATCH_SIZE;
    await transaction.run(ADVANCE, [projectId, isMore ? events.at(-1)!.position : at.head]);
    return isMore;
  });
}

/** Counts of the rows of events. Rows erased since are not counted. */
async function countsOf(
  transaction: CountTransaction,
  { projectId, cipher }: CountedProject,
  events: readonly UncountedEvent[],
): Promise<HourlyCounts> {
  const counts = new HourlyCounts();
  const byType = Map.groupBy(events, ({ type }) => type);
  const authenticated = byType.get(AUTHENTICATED) ?? [];
  if (authenticated.length > 0)
    await countDecisions(transaction, { projectId, cipher }, authenticated, counts);
  const completed = byType.get(SESSION_COMPLETED) ?? [];
  if (completed.length > 0) {
    const rows = await transaction.run<{ completed_at: Date }>(SESSIONS_OF_EVENTS, [
      projectId,
      sessionsOf(completed),
    ]);
    for (const { completed_at } of rows) counts.addCompletedSessions(completed_at);
  }
  const checks = CHECK_ENDED.flatMap((type) => byType.get(type) ?? []);
  if (checks.length > 0) {
    const rows = await transaction.run<CheckRow>(CHECKS_OF_EVENTS, [projectId, sessionsOf(checks)]);
    for (const row of rows) counts.addChecks(row);
  }
  return counts;
}

async function countDecisions(
  transaction: CountTransaction,
  { projectId, cipher }: CountedProject,
  events: readonly UncountedEvent[],
  counts: HourlyCounts,
): Promise<void> {
  const accounts = events.map(({ account_id }) => account_id);
  const sessions = events.map(({ session_id }) => session_id);
  const times = events.map(({ created_at }) => created_at);
  const decisions = await transaction.run<DecisionRow>(
    ...DECISIONS_OF_EVENTS.call({
      projectId,
      accountIds: accounts,
      sessionIds: sessions,
      requestIds: events.map(({ request_id }) => request_id),
      times,
      firstIds: times.map((time) => firstIdAt(time)),
      endIds: times.map((time) => firstIdAt(new Date(time.getTime() + 1))),
    }),
  );
  // Two events of the same millisecond find the same rows.
  await countInSlices([...uniqueBy(decisions, ({ decision_id }) => decision_id)], cipher, counts);
  const matches = await transaction.run<MatchRow>(MATCHES_OF_EVENTS, [projectId, accounts, sessions, times]);
  for (const row of uniqueBy(matches, ({ match_id }) => match_id)) counts.addMatches(row);
}

/** Decisions decrypted before yielding to the event loop. */
const SLICE_SIZE = 50;

/** Counts decisions in slices, yielding to the event loop in between. */
export async function countInSlices(
  rows: readonly DecisionRow[],
  cipher: ProjectCipher,
  counts: HourlyCounts,
): Promise<void> {
  for (let from = 0; from < rows.length; from += SLICE_SIZE) {
    for (const row of rows.slice(from, from + SLICE_SIZE)) counts.addDecision(toCounted(cipher, row));
    await nextTurn();
  }
}

/** Converts a stored decision for counting. */
function toCounted(
  cipher: ProjectCipher,
  { decision_id, at, decision, inputs, bound_at }: DecisionRow,
): CountedDecision {
  const binds = bound_at !== null && bound_at.getTime() === at.getTime();
  return { at, decision, binds, facts: readableFacts(cipher, decision_id, inputs) };
}

/** No facts for a decision that cannot be decrypted: a retry would fail too and block the following events. */
function readableFacts(cipher: ProjectCipher, decisionId: string, inputs: Buffer): Facts {
  try {
    return decryptFacts(cipher, decisionId, inputs);
  } catch {
    return {};
  }
}

function uniqueBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<Row> {
  return new Map(rows.map((row) => [keyOf(row), row])).values();
}

const sessionsOf = (events: readonly UncountedEvent[]): string[] =>
  events.flatMap(({ session_id }) => (session_id === null ? [] : [session_id]));
