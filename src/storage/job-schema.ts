import type pg from 'pg';
import { getConstructionPlans, getMigrationPlans, PgBoss } from 'pg-boss';

/*
 * The tables of the job queue (pg-boss), in a schema of their own. They hold ids only, and belong to no project: the
 * one exception to keys that begin with the project and to row-level security, so only vouchgraph_system may use them.
 */

export const JOB_SCHEMA = 'vouchgraph_jobs';

/** Verifications with images that wait for reading: see verification/check-queue-store.ts. */
export const VERIFICATION_QUEUE = 'verification';

/** What pending work on the queue's tables is called among migrations. */
export const JOB_MIGRATION = 'job queue';

const QUEUE = {
  // Of a verification one job waits or runs at a time.
  policy: 'exclusive',
  // Verifications set their own time limit.
  expireInSeconds: 60,
  retryLimit: 1000,
  retentionSeconds: 400 * 86_400,
  deleteAfterSeconds: 3600,
} as const;

const GRANTS = `
  GRANT USAGE ON SCHEMA ${JOB_SCHEMA} TO vouchgraph_system;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${JOB_SCHEMA} TO vouchgraph_system;
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${JOB_SCHEMA} TO vouchgraph_system;
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${JOB_SCHEMA} TO vouchgraph_system;`;

const CREATE = getConstructionPlans(JOB_SCHEMA);
/** Version of the tables that this release works with. */
const VERSION = Number(/version\(version\) VALUES \('(\d+)'\)/.exec(CREATE)?.[1]);

/** Whether the tables or the queue are missing, or the tables are older than this release needs. */
export async function isJobSchemaPending(client: pg.ClientBase): Promise<boolean> {
  const version = await readVersion(client);
  if (version === null || version < VERSION) return true;
  const { rows } = await client.query(`SELECT 1 FROM ${JOB_SCHEMA}.queue WHERE name = $1`, [
    VERIFICATION_QUEUE,
  ]);
  return rows.length === 0;
}

/** Creates the tables, or brings them up to this release, and the queue. As the owner, under the lock of migrations. */
export async function installJobSchema(client: pg.ClientBase): Promise<void> {
  const version = await readVersion(client);
  if (version === null) await client.query(CREATE);
  else if (version < VERSION) await client.query(getMigrationPlans(JOB_SCHEMA, version));
  const boss = new PgBoss({
    schema: JOB_SCHEMA,
    migrate: false,
    supervise: false,
    schedule: false,
    db: { executeSql: (text, values) => client.query(text, values as unknown[]) },
  });
  boss.on('error', () => {});
  await startBoss(boss);
  try {
    await boss.createQueue(VERIFICATION_QUEUE, QUEUE);
  } finally {
    await boss.stop({ graceful: false });
  }
  await client.query(GRANTS);
}

/** Starts a queue; one that fails to start leaves no timers behind. */
export async function startBoss(boss: PgBoss): Promise<void> {
  await boss.start().catch(async (error: unknown) => {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  });
}

async function readVersion(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query(`SELECT to_regclass('${JOB_SCHEMA}.version') IS NOT NULL AS installed`);
  if (!rows[0].installed) return null;
  const found = await client.query(`SELECT version FROM ${JOB_SCHEMA}.version`);
  return Number(found.rows[0]?.version);
}
