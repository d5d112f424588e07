import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Clock } from '@vouchgraph/platform/clock';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { type MembershipEvent, membershipEvent } from './list-events.ts';
import {
  claimExpiredMembers,
  type ExpiredMember,
  findProjectsWithExpired,
  removeExpiredCall,
} from './member-expiry-store.ts';

const EVERY_MS = 1000;
const AT_ONCE = 500;

/**
 * Removes expired members from the lists of a project and emits their events. Readers ignore expired members. Concurrent
 * processes claim different rows. False when it was stopped early.
 */
async function removeExpiredMembers(project: Project, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  let isWhole = false;
  while (!isWhole) {
    if (signal?.aborted) return false;
    isWhole = (await removeSome(project, clock.now())) < AT_ONCE;
  }
  return true;
}

function removeSome(project: Project, now: Date): Promise<number> {
  const { database, projectId } = project;
  return database.transaction(async (transaction) => {
    const members = await claimExpiredMembers(database, transaction, now, AT_ONCE);
    if (members.length === 0) return 0;
    const events = members.flatMap((member) => eventOf(project, member, now));
    await transaction.commit(removeExpiredCall(projectId, members, events, now));
    return members.length;
  });
}

/** Empty for an account that no longer exists. */
function eventOf({ cipher }: Project, member: ExpiredMember, now: Date): MembershipEvent[] {
  const { id, accountId, list } = member;
  if (accountId === null) return [];
  const change = { id, accountId, list, source: 'system', reason: 'expired' } as const;
  return [membershipEvent(cipher, 'list.account_removed', change, now)];
}

export type MemberExpiry = {
  /** Removes the expired members of one project; resolves afterwards. */
  expire(project: Project): Promise<void>;
  /** Stops; resolves when the current run has finished. */
  close(): Promise<void>;
};

/** Searches every second for expired members. */
export function startMemberExpiry(deps: {
  database: Database;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  /** False: members are removed when `expire` is called, and at no other time. */
  runsAlone?: boolean | undefined;
  onError: (error: unknown) => void;
}): MemberExpiry {
  const { database, clock, getProject, runsAlone, onError } = deps;

  async function expireAll(signal: AbortSignal): Promise<void> {
    for (const projectId of await findProjectsWithExpired(database.system, clock.now())) {
      if (signal.aborted) return;
      await expireIn(projectId, signal).catch(onError);
    }
  }

  async function expireIn(projectId: string, signal: AbortSignal): Promise<void> {
    const project = await getProject(projectId);
    if (project) await removeExpiredMembers(project, clock, signal);
  }

  const loop = startBackgroundLoop({ everyMs: EVERY_MS, isAutomatic: runsAlone, work: expireAll, onError });
  return {
    async expire(project) {
      // Also waits for the run that is already under way.
      await loop.idle();
      await removeExpiredMembers(project, clock);
    },
    close: loop.close,
  };
}
