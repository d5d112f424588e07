import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { Database } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import type { AccountService } from './account-service.ts';
import { rewriteMatchKeys } from './match-key-service.ts';
import { BECOME_REKEYER, findProjectsWithEarlierKeys } from './match-key-store.ts';

/*
 * Rewrites the identifiers of accounts that earlier rules made of their fields.
 *
 * First every account of a project gets the identifiers of the present rules besides its own, then the earlier ones are
 * dropped: a link that both rules make never ends in between. Each account is one transaction that also writes which
 * rules it has, so that a process that ends loses nothing and any other one continues.
 */

export type MatchKeyRewriting = {
  /** Rewrites what is left and waits for it; another process that is at it is waited for. */
  settle(): Promise<void>;
  /** Stops behind the account under way. The next gateway continues. */
  close(): Promise<void>;
};

type Dependencies = {
  database: Pick<Database, 'system'>;
  accounts: Pick<AccountService, 'rekey'>;
  getProject: (projectId: string) => Promise<Project | null>;
  log: Logger;
  /** False: accounts are rewritten when `settle` is called, and at no other time. */
  runsAlone?: boolean;
  onError: (error: unknown) => void;
};

const EVERY_MS = 60_000;
const BUSY_MS = 250;
const LOG_EVERY_MS = 30_000;

/** Rewrites accounts in the background, in one of all gateways; looks every minute for what earlier versions wrote. */
export function startMatchKeys(deps: Dependencies): MatchKeyRewriting {
  const { runsAlone = true, onError } = deps;
  const stop = new AbortController();
  /** Accounts that this process failed to read: it does not try them again. */
  const unreadable = new Set<string>();
  let running: Promise<Outcome> | null = null;

  function run(): Promise<Outcome> {
    running ??= rewriteAll(deps, unreadable, stop.signal)
      .catch((error): Outcome => {
        if (!stop.signal.aborted) onError(error);
        return 'failed';
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  const timer = runsAlone ? setInterval(run, EVERY_MS).unref() : null;
  if (runsAlone) void run();
  return {
    async settle() {
      // One that is under way may have passed what was written since it began.
      await running;
      while ((await run()) === 'busy') await delay(BUSY_MS);
    },
    async close() {
      if (timer) clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}

type Outcome = 'done' | 'busy' | 'failed';

/** `busy`: another process is at it. */
async function rewriteAll(
  deps: Dependencies,
  unreadable: Set<string>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { system } = deps.database;
  if ((await findProjectsWithEarlierKeys(system)).length === 0 || signal.aborted) return 'done';
  const client = await system.connect();
  try {
    const { rows } = await client.query(BECOME_REKEYER);
    if (!rows[0].held) return 'busy';
    // Again: another process may have ended its work before this one had the lock.
    for (const projectId of await findProjectsWithEarlierKeys(system)) {
      const project = signal.aborted ? null : await deps.getProject(projectId);
      if (project) await rewriteLogged(deps, project, unreadable, signal);
    }
    return 'done';
  } finally {
    // Closed for good: its lock ends with it.
    client.release(true);
  }
}

async function rewriteLogged(
  { accounts, log, onError }: Dependencies,
  project: Project,
  unreadable: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const viewer: Viewer = { project, kind: 'key', role: 'operator', actor: 'system', limitKey: 'system' };
  const facts = { projectId: project.projectId };
  let logged = performance.now();
  const { rewritten, failed } = await rewriteMatchKeys(viewer, accounts, {
    signal,
    isPaced: true,
    unreadable,
    onError,
    onProgress(count) {
      if (performance.now() - logged < LOG_EVERY_MS) return;
      logged = performance.now();
      log.info({ ...facts, accounts: count }, 'rewriting match keys');
    },
  });
  if (rewritten + failed === 0) return;
  const message = signal.aborted ? 'rewriting match keys interrupted' : 'match keys rewritten';
  log.info({ ...facts, accounts: rewritten, failed }, message);
}
