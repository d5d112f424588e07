import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Transaction } from '../../storage/database.ts';
import { accountLockOf, isOver, type Limits } from '../linking/rescore-service.ts';
import type { Project } from '../projects/project.ts';
import { parseSettings } from '../projects/settings.ts';
import { Account } from './account.ts';
import { type AccountStanding, standingOf } from './account-standing.ts';
import {
  claimStandingWork,
  endFlagsCall,
  type LockedAccounts,
  lockAndReadAccounts,
  moveOnCall,
  readStandingPage,
  type StandingWork,
  writeStandingsCall,
} from './standing-store.ts';

/*
 * Score and decision of an account depend on its row, its links, its lists and the settings of the project. A change of the
 * account writes its row of `account_standing` itself. Other changes insert a flag in the same transaction: a change of another
 * account for the accounts whose links it rescores, a change of lists for their members. A change of settings, and a release
 * that computes scores differently, make all accounts of a project due (`standing_recalculations`).
 *
 * A recalculation holds the locks of its accounts, so that it does not interleave with a change of an account.
 */

/** Accounts per transaction, which holds their locks while scores are computed. */
const BATCH_SIZE = 50;
const BUSY_PAUSE_MS = 20;

/** Recalculates the due accounts of a project, until none is left or a limit is reached. */
export async function recalculateStandings(project: Project, limits: Limits = {}): Promise<void> {
  while (!isOver(limits)) {
    const began = performance.now();
    const outcome = await recalculateNext(project);
    if (outcome === 'none') return;
    if (outcome === 'busy') await delay(BUSY_PAUSE_MS);
    // A recalculation of all accounts in the background leaves half of a connection to requests.
    if (outcome === 'page' && limits.until !== undefined) await delay(performance.now() - began);
  }
}

/**
 * One transaction: flagged accounts, and a page of all accounts if all are due. `none`: no further ones are due. `busy`: another
 * process has the locks.
 */
function recalculateNext(project: Project): Promise<'done' | 'page' | 'busy' | 'none'> {
  const { database, projectId } = project;
  return database.transaction(async (transaction) => {
    const work = await claimStandingWork(database, transaction, BATCH_SIZE);
    if (work === null) return 'busy';
    const { flags, flagged, recalculation } = work;
    if (flags.length === 0 && recalculation === null) return 'none';
    const page = recalculation?.mayRun
      ? await readStandingPage(database, transaction, recalculation.position, BATCH_SIZE)
      : null;
    const accounts = [...new Set([...flagged, ...(page ?? [])])];
    const { writes, busy } = await recalculate(project, transaction, work, accounts);
    const position = page?.length === BATCH_SIZE ? page.at(-1)! : null;
    await transaction.commit(
      ...writes,
      endFlagsCall(projectId, flags, busy),
      ...(recalculation && page ? [moveOnCall(projectId, recalculation, position)] : []),
    );
    if (page !== null) return 'page';
    if (busy.length > 0 && busy.length === accounts.length) return 'busy';
    const isLast = flags.length < BATCH_SIZE && busy.length === 0 && recalculation === null;
    return isLast ? 'none' : 'done';
  });
}

async function recalculate(
  project: Project,
  transaction: Transaction,
  { settings }: StandingWork,
  ids: readonly string[],
): Promise<{ writes: Call[]; busy: readonly string[] }> {
  if (ids.length === 0) return { writes: [], busy: [] };
  const lockOf = (accountId: string) => accountLockOf(project.cipher, accountId);
  const { accounts, busy } = await lockAndReadAccounts(project.database, transaction, ids, lockOf);
  // The current settings: this process may have cached earlier ones.
  const current = { ...project, settings: parseSettings(settings) };
  const standings = accounts.flatMap((account) => {
    const standing = readableStanding(current, account);
    return standing === null ? [] : [{ row: account.row, standing }];
  });
  return { writes: standings.length === 0 ? [] : [writeStandingsCall(project.projectId, standings)], busy };
}

/** Null for an account whose fields cannot be decrypted: its stored standing is kept. */
function readableStanding(
  project: Project,
  { row, links }: LockedAccounts['accounts'][number],
): AccountStanding | null {
  try {
    return standingOf(new Account(project, row), links);
  } catch {
    return null;
  }
}
