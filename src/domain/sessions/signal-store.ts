import type { Database, ProjectDatabase, Statement } from '../../storage/database.ts';
import type { StoredSession } from './session-store.ts';
import { SESSION_COLUMNS } from './session-store.ts';

/*
 * Sessions of earlier versions, without the columns that searches need. The partial index `sessions_signals` finds the
 * remaining ones. A row is only written while it has the result that was read: a transaction that changes the result also
 * writes the columns.
 */

const FIND_PROJECTS: Statement = {
  name: 'session.find_projects_without_signals',
  text: `select p.project_id from projects p where exists (
           select 1 from sessions s where s.project_id = p.project_id and s.signals is null)`,
};

/** Projects that have such sessions; sees them all. */
export async function findProjectsWithoutSignals(system: Database['system']): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(FIND_PROJECTS, []);
  return rows.map(({ project_id }) => project_id);
}

const FIND: Statement = {
  name: 'session.find_without_signals',
  text: `select ${SESSION_COLUMNS.join(', ')} from sessions
         where project_id = $1 and signals is null and (start_time, session_id) < ($2, $3)
         order by start_time desc, session_id desc limit $4`,
};

/** Position of a session among the remaining ones, the newest first. */
export type Place = { readonly startTime: Date | 'infinity'; readonly sessionId: string };

/** Some of these sessions behind a place. */
export function findSessionsWithoutSignals(
  database: ProjectDatabase,
  { startTime, sessionId }: Place,
  limit: number,
): Promise<StoredSession[]> {
  return database.query(FIND, [database.projectId, startTime, sessionId, limit]);
}

const WRITE: Statement = {
  name: 'session.write_signals',
  text: `update sessions s set signals = w.signals, address_hash = w.address_hash, subnet_hash = w.subnet_hash
         from (
           select l.session_id, e.signals, e.address_hash, e.subnet_hash
           from unnest($2::uuid[], $3::bytea[], $4::int[], $5::bytea[], $6::bytea[])
             as e (session_id, result, signals, address_hash, subnet_hash)
           join sessions l on l.project_id = $1 and l.session_id = e.session_id and l.signals is null
             and l.result = e.result
           for update of l skip locked
         ) w
         where s.project_id = $1 and s.session_id = w.session_id`,
};

export type SignalColumns = {
  readonly row: StoredSession;
  readonly signals: number;
  readonly address_hash: Buffer | null;
  readonly subnet_hash: Buffer | null;
};

/** Writes the columns; rows that others hold are left. */
export async function writeSignals(
  database: ProjectDatabase,
  sessions: readonly SignalColumns[],
): Promise<void> {
  await database.query(WRITE, [
    database.projectId,
    sessions.map(({ row }) => row.session_id),
    sessions.map(({ row }) => row.result),
    sessions.map(({ signals }) => signals),
    sessions.map((each) => each.address_hash),
    sessions.map((each) => each.subnet_hash),
  ]);
}
