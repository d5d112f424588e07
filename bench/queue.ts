import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { CHECK_QUEUES, claimableAfter } from '../src/domain/verification/check/check-queue-store.ts';
import { readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * The queue of submitted verifications, whose rows are its jobs, and the same queue in pg-boss, in the same rounds on one
 * connection: jobs per second and statements of a job. Adding includes the change of the row, in one transaction. Commits do
 * not wait for the disk, whose speed would hide the rest. Each round checks that every job was claimed once.
 */
const options = readOptions();
const JOBS = options.quick ? 600 : 2000;
const ROUNDS = options.quick ? 2 : 5;
const WORKERS = 4;
const RENEWED = 100;

const SUBMIT = `update verification_sessions set state = 'processing', ${claimableAfter(0)}
  where project_id = $1 and session_id = $2 returning session_id`;
/** The change of the row alone. */
const SUBMIT_ROW = `update verification_sessions set state = 'processing'
  where project_id = $1 and session_id = $2 returning session_id`;
const RESET = `update verification_sessions set state = 'capturing', lease_id = null, claimable_at = null where project_id = $1`;

type Rows = { rows: Record<string, unknown>[] };
/** Sends a statement, which is prepared if it has a name. */
export type Execute = (statement: { name?: string; text: string; values?: unknown[] }) => Promise<Rows>;

type Queue<Job> = {
  readonly name: string;
  add(sessionId: string): Promise<unknown>;
  claim(limit: number): Promise<Job[]>;
  idOf(job: Job): string;
  renew(jobs: Job[]): Promise<unknown>;
  end(job: Job): Promise<unknown>;
};

/** The library with its own tables; jobs are ids. */
export type PgBossQueue = Omit<Queue<string>, 'name' | 'add' | 'idOf'> & {
  readonly createMs: number;
  readonly startMs: number;
  add(inTransaction: Execute, projectId: string, sessionId: string): Promise<unknown>;
  close(): Promise<void>;
};
/** The packages of peers are not those of the gateway: they are loaded at run time, and not part of the check of types. */
const peer: { openPgBoss(execute: Execute): Promise<PgBossQueue> } = await import(
  new URL('./peers/pg-boss-queue.ts', import.meta.url).href
);

const STEPS = ['add', 'claim and end one', `claim ${WORKERS}, end each`, `renew ${RENEWED}`] as const;
type Step = (typeof STEPS)[number];

/** Rates and statements of each step, by queue. */
const measured = new Map<string, { rates: number[]; statements: number }>();
let statements = 0;

async function measure(queue: string, step: Step, jobs: number, work: () => Promise<void>): Promise<void> {
  const key = `${queue}\t${step}`;
  const entry = measured.get(key) ?? { rates: [], statements: 0 };
  statements = 0;
  const began = performance.now();
  await work();
  entry.rates.push((jobs * 1000) / (performance.now() - began));
  entry.statements = statements / jobs;
  measured.set(key, entry);
}

async function runRound<Job>(queue: Queue<Job>, sessions: readonly string[]): Promise<void> {
  const half = JOBS / 2;
  const claimed: string[] = [];
  const claim = async (limit: number) => {
    const jobs = await queue.claim(limit);
    claimed.push(...jobs.map(queue.idOf));
    return jobs;
  };
  await measure(queue.name, 'add', JOBS, async () => {
    for (const id of sessions) await queue.add(id);
  });
  await measure(queue.name, 'claim and end one', half, async () => {
    for (let count = 0; count < half; count += 1) for (const job of await claim(1)) await queue.end(job);
  });
  const held = await claim(RENEWED);
  await measure(queue.name, `renew ${RENEWED}`, RENEWED, async () => void (await queue.renew(held)));
  for (const job of held) await queue.end(job);
  await measure(queue.name, `claim ${WORKERS}, end each`, half - RENEWED, async () => {
    for (let jobs = await claim(WORKERS); jobs.length > 0; jobs = await claim(WORKERS))
      for (const job of jobs) await queue.end(job);
  });
  if (claimed.length !== JOBS || new Set(claimed).size !== JOBS)
    throw new Error(`${queue.name}: ${claimed.length} claims of ${new Set(claimed).size} of ${JOBS} jobs`);
}

await withWorkbench(
  options,
  async (bench) => {
    const client = new pg.Client({ connectionString: bench.superuserUrl });
    await client.connect();
    const execute: Execute = (statement) => {
      statements += 1;
      return client.query(statement);
    };
    const { projectId } = bench.project;
    const sessions = Array.from({ length: JOBS }, () => randomUUID());
    await client.query(
      `insert into verification_sessions (project_id, session_id, kind, secret_hash, request_id, created_at, expires_at, state)
     select $1, id, 'face', '', gen_random_uuid(), now(), now(), 'capturing' from unnest($2::uuid[]) as s (id)`,
      [projectId, sessions],
    );
    const boss = await peer.openPgBoss(execute);
    const system = {
      query: async <T>({ name, text }: { name: string; text: string }, values: readonly unknown[]) =>
        (await execute({ name, text, values: [...values] })).rows as T[],
    };
    const checks = CHECK_QUEUES.real;
    const rows: Queue<Awaited<ReturnType<typeof checks.claim>>[number]> = {
      name: 'rows',
      add: (id) => execute({ name: 'submit', text: SUBMIT, values: [projectId, id] }),
      claim: (limit) => checks.claim(system, null, limit),
      idOf: ({ id }) => id,
      renew: (jobs) => checks.renew(system, jobs),
      end: (job) => checks.end(system, [job]),
    };
    const library: Queue<string> = {
      name: 'pg-boss',
      async add(id) {
        await execute({ text: 'begin' });
        await execute({ name: 'submit_row', text: SUBMIT_ROW, values: [projectId, id] });
        await boss.add(execute, projectId, id);
        await execute({ text: 'commit' });
      },
      claim: boss.claim,
      idOf: (id) => id,
      renew: boss.renew,
      end: boss.end,
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await runRound(rows, sessions);
      await client.query(RESET, [projectId]);
      await runRound(library, sessions);
      await client.query(RESET, [projectId]);
      await bench.analyze();
    }
    const { rows: objects } = await client.query(
      `select count(*)::int as count from pg_class where relnamespace = 'bench_jobs'::regnamespace`,
    );
    await boss.close();
    await client.end();
    printTable(
      ['step', 'rows: jobs/s', 'statements', 'pg-boss: jobs/s', 'statements', 'ratio'],
      STEPS.map((step) => {
        const [own, other] = [rows.name, library.name].map((name) => measured.get(`${name}\t${step}`)!);
        const [ownRate, otherRate] = [median(own!.rates), median(other!.rates)];
        return [
          step,
          ownRate.toFixed(0),
          own!.statements.toFixed(2),
          otherRate.toFixed(0),
          other!.statements.toFixed(2),
          (ownRate / otherRate).toFixed(1),
        ];
      }),
    );
    console.log(
      `pg-boss: ${boss.createMs.toFixed(0)} ms for its schema of ${objects[0].count} tables and indexes, ` +
        `${boss.startMs.toFixed(0)} ms for a start`,
    );
    console.log(describeMachine());
  },
  { synchronous_commit: 'off' },
);
