import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Database, Transaction } from '../../storage/database.ts';
import { commitmentsOf, initialHash, NO_COMMITMENTS, nextHash } from './audit-chain.ts';
import {
  insertLinksCall,
  isFullBatch,
  type LastLink,
  lockUnchained,
  type NewLink,
  readLastLinks,
  type Unchained,
} from './audit-chain-store.ts';

export type AuditChainWorker = {
  /** Adds all committed entries to the chains, unless another process does, and waits for it. */
  settle(): Promise<void>;
  /** Stops the worker; resolves when the current transaction has ended. */
  close(): Promise<void>;
};

type System = Pick<Database['system'], 'queueTransaction'>;

type WorkerDependencies = {
  system: System;
  /** False: entries are added only when `settle` is called. */
  runsAlone?: boolean | undefined;
  onError: (error: unknown) => void;
};

const EVERY_MS = 1000;

/**
 * Adds committed entries to the chains of all projects. As for events, no writer assigns positions: transactions commit out of order,
 * and writers of a chain would wait for each other. Every process runs this worker; a lock allows one at a time.
 */
export function startAuditChain({ system, runsAlone, onError }: WorkerDependencies): AuditChainWorker {
  const loop = startBackgroundLoop({
    everyMs: EVERY_MS,
    isAutomatic: runsAlone,
    async work(signal) {
      while (!signal.aborted && (await chainEntries(system)));
    },
    onError,
  });
  return {
    async settle() {
      await loop.idle();
      await loop.run();
    },
    close: loop.close,
  };
}

/** Adds the next entries to the chains, in one transaction. True if more may be pending. */
export function chainEntries(system: System): Promise<boolean> {
  return system.queueTransaction(async (transaction) => {
    const entries = await lockUnchained(transaction);
    if (entries.length === 0) {
      await transaction.commit();
      return false;
    }
    await transaction.commit(insertLinksCall(await linksOf(transaction, entries)));
    return isFullBatch(entries);
  });
}

async function linksOf(transaction: Transaction, entries: readonly Unchained[]): Promise<NewLink[]> {
  const projectIds = [...new Set(entries.map(({ project_id }) => project_id))];
  const last = await readLastLinks(transaction, projectIds);
  return entries.map((entry) => {
    const { project_id: projectId, number, audit_id: auditId } = entry;
    const commitments = entry.salt === null ? NO_COMMITMENTS : commitmentsOf(entry);
    const next = linkAfter(
      last.get(projectId) ?? { position: 0n, hash: initialHash(projectId) },
      commitments,
    );
    last.set(projectId, next);
    return { ...next, projectId, number, auditId, commitments };
  });
}

function linkAfter({ position, hash }: LastLink, commitments: Buffer): LastLink {
  const next = position + 1n;
  return { position: next, hash: nextHash(hash, next, commitments) };
}
