import { setTimeout as delay } from 'node:timers/promises';
import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import type { IdentityChange } from '@vouchgraph/linking';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { Project } from '../projects/project.ts';
import { claimPendingIdentities, deletePendingIdentities, writeIdentities } from './identity-change-store.ts';
import { exploreIdentities, type IdentityUpdate } from './identity-exploration-service.ts';
import { isOver, type Limits } from './rescore-service.ts';

/** Pending recalculations per transaction. */
const BATCH_SIZE = 500;

/**
 * Processes one batch of pending recalculations. `more`: further ones can be pending. `busy`: another process has the lock of the
 * project.
 */
async function recalculateIdentityBatch(project: Project, now: Date): Promise<'more' | 'busy' | 'none'> {
  const { database, cipher, projectId } = project;
  return database.transaction(async (transaction) => {
    const pending = await claimPendingIdentities(database, transaction, BATCH_SIZE);
    if (!pending) return 'busy';
    if (pending.ids.length === 0) return 'none';
    const outcome = pending.ids.length < BATCH_SIZE ? 'none' : 'more';
    const update = await exploreIdentities(database, transaction, pending, () => newId(now.getTime()));
    if (update === null || isUnchanged(update)) {
      await transaction.commit(deletePendingIdentities(projectId, pending.ids));
      return outcome;
    }
    const { plan, members } = update;
    const changes = plan.changes.map((change) => ({ ...change, changeId: newId(now.getTime()) }));
    const events = changes.flatMap((change) => eventOf(cipher, change, now));
    const writes = { pendingIds: pending.ids, plan, members, changes, events };
    await transaction.commit(writeIdentities(projectId, writes, now));
    return outcome;
  });
}

function isUnchanged({ plan: { removed, groups, dissolved, changes }, members }: IdentityUpdate): boolean {
  return removed.length + groups.length + dissolved.length + changes.length + members.length === 0;
}

function eventOf(
  cipher: Project['cipher'],
  { action, groupId, otherGroupId, size }: IdentityChange,
  now: Date,
): OutboxEvent[] {
  if (action === 'merged') {
    const facts = { identityGroupId: groupId, mergedGroupId: otherGroupId!, accounts: size };
    return [outboxEvent(cipher, 'identity_group.merged', null, facts, now)];
  }
  if (action === 'split') {
    const facts = { identityGroupId: otherGroupId!, newGroupId: groupId, accounts: size };
    return [outboxEvent(cipher, 'identity_group.split', null, facts, now)];
  }
  return [];
}

const BUSY_PAUSE_MS = 20;

/** Processes the pending recalculations of identities of a project, until none is left or a limit is reached. */
export async function recalculateIdentities(
  project: Project,
  clock: Clock,
  limits: Limits = {},
): Promise<void> {
  while (!isOver(limits)) {
    const outcome = await recalculateIdentityBatch(project, clock.now());
    if (outcome === 'none') return;
    if (outcome === 'busy') await delay(BUSY_PAUSE_MS);
  }
}
