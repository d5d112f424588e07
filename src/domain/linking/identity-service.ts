import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import type { Project } from '../projects/project.ts';
import { componentsOf, type IdentityChange, planIdentities } from './identity-groups.ts';
import {
  type Reached,
  readBridges,
  readGroups,
  readReach,
  takeMarks,
  writeIdentities,
} from './identity-store.ts';
import { isOver, type Limits } from './rescore-service.ts';

/** So many marks are followed together. */
const MARKS_AT_ONCE = 500;

/** Follows the marks that wait with the groups of their accounts. `busy`: another process is at it. */
async function followMarks(project: Project, now: Date): Promise<'done' | 'busy' | 'none'> {
  const { database, cipher, projectId } = project;
  return database.transaction(async (transaction) => {
    const marks = await takeMarks(database, transaction, MARKS_AT_ONCE);
    if (!marks) return 'busy';
    if (marks.ids.length === 0) return 'none';
    const { reached, sizes } = await reachOf(project, transaction, marks);
    const bridges = await readBridges(
      database,
      transaction,
      reached.map(({ id }) => id),
    );
    const memberships = new Map(
      reached.flatMap(({ id, group_id }) => (group_id === null ? [] : [[id, group_id] as const])),
    );
    const plan = planIdentities(componentsOf(bridges), memberships, sizes, () => newId(now.getTime()));
    const changes = plan.changes.map((change) => ({ ...change, changeId: newId(now.getTime()) }));
    const events = changes.flatMap((change) => eventOf(cipher, change, now));
    await transaction.commit(writeIdentities(projectId, marks.ids, plan, changes, events, now));
    return 'done';
  });
}

/** Everything that the groups of the marked accounts depend on: every group that is touched, with all its accounts. */
async function reachOf(
  { database }: Project,
  transaction: Transaction,
  { accounts, groups }: { accounts: readonly string[]; groups: readonly string[] },
): Promise<{ reached: Reached[]; sizes: Map<string, number> }> {
  const asked = new Set(groups);
  for (;;) {
    const reached = await readReach(database, transaction, accounts, [...asked]);
    const here = Map.groupBy(reached, ({ group_id }) => group_id);
    const touched = [...here.keys()].filter((groupId) => groupId !== null);
    const stored = await readGroups(database, transaction, [...new Set([...asked, ...touched])]);
    const partial = stored.filter(
      ({ group_id, members }) => !asked.has(group_id) && members !== here.get(group_id)?.length,
    );
    if (partial.length === 0) {
      return { reached, sizes: new Map(stored.map(({ group_id, size }) => [group_id, size])) };
    }
    for (const { group_id } of partial) asked.add(group_id);
  }
}

function eventOf(
  cipher: Project['cipher'],
  { action, groupId, otherGroupId, size }: IdentityChange,
  now: Date,
): OutboxEvent[] {
  if (action === 'merged') {
    const data = { identity_group_id: groupId, merged_group_id: otherGroupId, accounts: size };
    return [outboxEvent(cipher, 'identity_group.merged', null, data, now)];
  }
  if (action === 'split') {
    const data = { identity_group_id: otherGroupId, new_group_id: groupId, accounts: size };
    return [outboxEvent(cipher, 'identity_group.split', null, data, now)];
  }
  return [];
}

const BUSY_PAUSE_MS = 20;

/** Follows the marks of the project until none is left, or it is over. */
export async function settleIdentities(project: Project, clock: Clock, limits: Limits = {}): Promise<void> {
  while (!isOver(limits)) {
    const outcome = await followMarks(project, clock.now());
    if (outcome === 'none') return;
    if (outcome === 'busy') await delay(BUSY_PAUSE_MS);
  }
}
