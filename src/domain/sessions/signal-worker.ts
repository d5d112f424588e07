import { setTimeout as delay } from 'node:timers/promises';
import { MAX_UUID } from '../../platform/ids.ts';
import type { Database } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { networkHashes } from './network-hashes.ts';
import { Session } from './session.ts';
import type { StoredSession } from './session-store.ts';
import { signalBits } from './signal-bits.ts';
import {
  findProjectsWithoutSignals,
  findSessionsWithoutSignals,
  type Place,
  type SignalColumns,
  writeSignals,
} from './signal-store.ts';

const BATCH = 250;
const NEWEST: Place = { startTime: 'infinity', sessionId: MAX_UUID };

/** Leaves the processor and the pool to requests between two batches. */
const PAUSE_MS = 20;

/**
 * Completes sessions of earlier versions with the columns by which sessions are searched, in batches. It can be stopped at any
 * time: an index finds the remaining rows. Rows that another transaction has locked are left to the next run.
 */
export async function completeEarlierSessions(deps: {
  database: Database;
  getProject: (projectId: string) => Promise<Project | null>;
  signal: AbortSignal;
}): Promise<void> {
  const { database, getProject, signal } = deps;
  for (const projectId of await findProjectsWithoutSignals(database.system)) {
    const project = await getProject(projectId);
    for (let after: Place | null = NEWEST; project && after && !signal.aborted; await delay(PAUSE_MS)) {
      const rows: StoredSession[] = await findSessionsWithoutSignals(project.database, after, BATCH);
      if (rows.length > 0)
        await writeSignals(
          project.database,
          rows.map((row) => columnsOf(project, row)),
        );
      const last = rows.at(-1);
      const isFull = rows.length === BATCH;
      after = last && isFull ? { startTime: last.start_time, sessionId: last.session_id } : null;
    }
  }
}

function columnsOf(project: Project, row: StoredSession): SignalColumns {
  const result = decryptResult(project, row);
  if (!result) return { row, signals: 0, address_hash: null, subnet_hash: null };
  const { address_hash, subnet_hash } = networkHashes(project.cipher, result.network.ipAddress);
  return { row, signals: signalBits(result.riskSignals), address_hash, subnet_hash };
}

/** Null for a result that cannot be decrypted. Its row is not indexed, and the other rows are completed. */
function decryptResult(project: Project, row: StoredSession): Session['result'] | null {
  try {
    return new Session(project, row).result;
  } catch {
    return null;
  }
}
