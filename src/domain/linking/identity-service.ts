import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import type { Project } from '../projects/project.ts';
import { forgetIdentityMarks, takeMarks, writeIdentities } from './identity-change-store.ts';
import { exploreMarks, type IdentityUpdate } from './identity-exploration-service.ts';
import type { IdentityChange } from './identity-groups.ts';
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
    const update = await exploreMarks(database, transaction, marks, () => newId(now.getTime()));
    if (update === null || isUnchanged(update)) {
      await transaction.commit(forgetIdentityMarks(projectId, marks.ids));
      return 'done';
    }
    const { plan, members } = update;
    const changes = plan.changes.map((change) => ({ ...change, changeId: newId(now.getTime()) }));
    const events = changes.flatMap((change) => eventOf(cipher, change, now));
    const writes = { markIds: marks.ids, plan, members, changes, events };
    await transaction.commit(writeIdentities(projectId, writes, now));
    return 'done';
  });
}

function isUnchanged({ plan: { left, groups, dissolved, changes }, members }: IdentityUpdate): boolean {
  return left.length + groups.length + dissolved.length + changes.length + members.length === 0;
}

function eventOf(
  cipher: Project['cipher'],
  { action, groupId, otherGroupId, size }: IdentityChange,
  now: Date,
): OutboxEvent[] {
  if (action === 'merged') {
    const facts = { identityGroupId: groupId, mergedGroupId: otherGroupId, accounts: size };
    return [outboxEvent(cipher, 'identity_group.merged', null, facts, now)];
  }
  if (action === 'split') {
    const facts = { identityGroupId: otherGroupId, newGroupId: groupId, accounts: size };
    return [outboxEvent(cipher, 'identity_group.split', null, facts, now)];
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
