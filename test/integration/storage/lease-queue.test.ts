import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createLeaseQueue, type Lease } from '../../../src/storage/queue/lease-queue.ts';
import { type QueueWorker, startQueueWorker } from '../../../src/storage/queue/queue-worker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectAs } from '../../support/sql.ts';

/* A queue on a table of its own: each test uses its own project. */
const LONG = 600;
const WAIT = { timeout: 50_000, interval: 5 };
const table = { subject: 'test', table: 'test_jobs', key: 'job_id' } as const;
const queue = createLeaseQueue<{ tries: number }>({
  ...table,
  jobs: 'jobs',
  leaseSeconds: LONG,
  claimed: 'tries = x.tries + 1',
  columns: 'x.tries',
});
/** Its leases are renewed every second. */
const brief = createLeaseQueue({ ...table, jobs: 'brief_jobs', leaseSeconds: 3 });

let testDatabase: TestDatabase;
let owner: pg.Client;
let database: Database;
let other: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  owner = await connectAs(testDatabase, 'owner');
  await owner.query(`create table test_jobs (
      project_id uuid, job_id uuid, lease_id uuid, claimable_at timestamptz, tries int not null default 0,
      primary key (project_id, job_id)
    );
    grant select, insert, update on test_jobs to vouchgraph_system`);
  [database, other] = [1, 2].map(() =>
    openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 }),
  ) as [Database, Database];
});
afterAll(async () => {
  await Promise.all([database.close(), other.close()]);
  await owner.end();
  await testDatabase.drop();
});

async function added(count: number, projectId: string = randomUUID()): Promise<string> {
  await owner.query(
    'insert into test_jobs select $1, gen_random_uuid(), null, now() from generate_series(1, $2)',
    [projectId, count],
  );
  return projectId;
}
async function jobsOf(projectId: string): Promise<{ lease_id: string | null; seconds: number | null }[]> {
  const text = `select lease_id, extract(epoch from claimable_at - now())::float8 as seconds from test_jobs
    where project_id = $1`;
  return (await owner.query(text, [projectId])).rows;
}
const claim = (projectId: string, limit = 100, from = database) => queue.claim(from.system, projectId, limit);
/** The process that has the leases is dead, and its leases have expired. */
const expire = (projectId: string) =>
  owner.query('update test_jobs set claimable_at = now() where project_id = $1', [projectId]);

const workers: QueueWorker[] = [];
type Options = Parameters<typeof startQueueWorker<Lease>>[0];
function startWorker(options: Pick<Options, 'work'> & Partial<Options>): QueueWorker {
  const from = options.queue ?? queue;
  const worker = startQueueWorker<Lease>({
    queue: from,
    system: database.system,
    claim: (projectId, limit) =>
      (options.queue === brief ? brief : queue).claim(database.system, projectId, limit),
    atOnce: 1,
    everyMs: 1000,
    renewSeconds: LONG,
    isAutomatic: false,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  workers.push(worker);
  return worker;
}
afterAll(() => Promise.all(workers.map((worker) => worker.close())));

describe('a job', () => {
  it('is claimed by one of many processes at the same moment', async () => {
    const projectId = await added(200);
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, at) => claim(projectId, 7, at % 2 ? database : other)),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (let more = await claim(projectId, 7); more.length > 0; more = await claim(projectId, 7))
      ids.push(...more.map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
  });

  it('of a project is not claimed for another project', async () => {
    const [mine, theirs] = [await added(1), await added(1)];
    expect((await claim(mine)).map(({ projectId }) => projectId)).toEqual([mine]);
    expect(await claim(mine)).toEqual([]);
    expect(await claim(theirs)).toHaveLength(1);
  });

  it('of a dead process is claimed by another one, and the first cannot change it any more', async () => {
    const projectId = await added(1);
    const lost = await claim(projectId);
    expect(await claim(projectId)).toEqual([]);
    await expire(projectId);
    const [taken] = await claim(projectId, 1, other);
    expect(taken).toMatchObject({ id: lost[0]!.id, tries: 2 });
    const before = await jobsOf(projectId);
    await queue.renew(database.system, lost);
    await queue.release(database.system, lost);
    await queue.end(database.system, lost);
    expect(await jobsOf(projectId)).toMatchObject([{ lease_id: before[0]!.lease_id }]);
    expect(await claim(projectId)).toEqual([]);
    await queue.end(other.system, [taken!]);
    expect(await jobsOf(projectId)).toEqual([{ lease_id: null, seconds: null }]);
  });

  it('with the id of a lease cannot be changed under another project', async () => {
    const [mine, theirs] = [await added(1), await added(1)];
    const [job] = await claim(mine);
    await queue.end(database.system, [{ ...job!, projectId: theirs }]);
    expect(await jobsOf(mine)).toMatchObject([{ lease_id: job!.leaseId }]);
    expect(await claim(theirs)).toHaveLength(1);
  });

  it('is due again after its release, or after some seconds', async () => {
    const projectId = await added(2);
    const [first, second] = await claim(projectId);
    await queue.release(database.system, [first!]);
    await queue.release(database.system, [second!], LONG);
    expect((await claim(projectId)).map(({ id }) => id)).toEqual([first!.id]);
  });

  it('that a transaction has locked is neither claimed nor renewed, and delays no other', async () => {
    const projectId = await added(2);
    const leases = await claim(projectId);
    await owner.query('update test_jobs set claimable_at = now() where project_id = $1', [projectId]);
    const [locked, free] = leases;
    await owner.query('begin');
    try {
      await owner.query('select 1 from test_jobs where job_id = $1 for update', [locked!.id]);
      await queue.renew(database.system, leases);
      expect(await claim(projectId)).toEqual([]);
    } finally {
      await owner.query('rollback');
    }
    expect((await claim(projectId)).map(({ id }) => id)).toEqual([locked!.id]);
    expect(free).toBeDefined();
  });
});

describe('a worker', () => {
  it('renews the lease of a job that takes longer', async () => {
    const projectId = await added(1);
    const done = Promise.withResolvers<void>();
    const worker = startWorker({ queue: brief, work: () => done.promise });
    const settled = worker.settle(projectId);
    const text = `create or replace function note_renewal() returns trigger language plpgsql as $$ begin
        if new.lease_id = old.lease_id then new.tries := old.tries + 1; end if; return new; end $$;
      create or replace trigger note_renewal before update on test_jobs for each row execute function note_renewal()`;
    await owner.query(text);
    await vi.waitFor(async () => {
      const { rows } = await owner.query('select tries from test_jobs where project_id = $1', [projectId]);
      expect(rows[0].tries).toBeGreaterThanOrEqual(2);
    }, WAIT);
    await owner.query('drop trigger note_renewal on test_jobs');
    done.resolve();
    await settled;
  });

  it('runs no more calls at once than it may, and all jobs', async () => {
    const projectId = await added(20);
    let [running, most, total] = [0, 0, 0];
    const worker = startWorker({
      claim: (_all, limit) => claim(projectId, limit),
      atOnce: 3,
      perCall: 2,
      async work(jobs) {
        expect(jobs.length).toBeLessThanOrEqual(2);
        running += 1;
        most = Math.max(most, running);
        await queue.end(database.system, jobs);
        total += jobs.length;
        running -= 1;
      },
    });
    worker.wake();
    await worker.settle(projectId);
    expect([total, most]).toEqual([20, 3]);
    expect(await claim(projectId)).toEqual([]);
  });

  it('settles a job that a running call had locked when it was claimed', async () => {
    const projectId = await added(1);
    let rounds = 0;
    const worker = startWorker({
      atOnce: 2,
      // The first call ends while the claim that skips its row is under way.
      async claim(project, limit) {
        const jobs = await claim(project!, limit);
        if (jobs.length === 0 && rounds === 1) {
          released.resolve();
          await ended.promise;
        }
        return jobs;
      },
      async work(jobs) {
        rounds += 1;
        if (rounds > 1) return void (await queue.end(database.system, jobs));
        await released.promise;
        await queue.release(database.system, jobs);
        setImmediate(ended.resolve);
      },
    });
    const released = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await worker.settle(projectId);
    expect(rounds).toBe(2);
  });

  it('leaves a failed job until its lease expires, and settling throws its error', async () => {
    const projectId = await added(1);
    const worker = startWorker({ work: () => Promise.reject(new Error('failed')) });
    await expect(worker.settle(projectId)).rejects.toThrow('failed');
    expect((await jobsOf(projectId))[0]!.lease_id).not.toBeNull();
    await worker.settle(projectId);
    await expire(projectId);
    await expect(worker.settle(projectId)).rejects.toThrow('failed');
  });

  it('that closes aborts its jobs and releases them, also one that never ends', async () => {
    const projectId = await added(2);
    const began = Promise.withResolvers<void>();
    let count = 0;
    const worker = startWorker({
      atOnce: 2,
      async work(_, signal) {
        count += 1;
        const isFirst = count === 1;
        if (count === 2) began.resolve();
        await new Promise<void>((resolve) => {
          if (isFirst) signal.addEventListener('abort', () => resolve());
        });
      },
    });
    void worker.settle(projectId);
    await began.promise;
    expect(await claim(projectId)).toEqual([]);
    await worker.close();
    expect(await claim(projectId, 100, other)).toHaveLength(2);
  });

  it('that closes while settling claims a job releases the job, and does not run it', async () => {
    const projectId = await added(1);
    const [claiming, mayClaim] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runs: Lease[] = [];
    const worker = startWorker({
      claim: async (of, limit) => {
        claiming.resolve();
        await mayClaim.promise;
        return queue.claim(database.system, of, limit);
      },
      work: async (jobs) => void runs.push(...jobs),
    });
    const settled = worker.settle(projectId);
    await claiming.promise;
    const closed = worker.close();
    mayClaim.resolve();
    await Promise.all([settled, closed]);
    expect(runs).toEqual([]);
    expect((await claim(projectId)).map(({ tries }) => tries)).toEqual([2]);
  });

  it('that closes lets its jobs end during the grace period, and claims no other', async () => {
    const projectId = await added(2);
    const began = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const worker = startWorker({
      claim: (_all, limit) => claim(projectId, limit),
      graceMs: LONG * 1000,
      async work(jobs, signal) {
        began.resolve();
        await done.promise;
        expect(signal.aborted).toBe(false);
        await queue.end(database.system, jobs);
      },
    });
    worker.wake();
    await began.promise;
    const closing = worker.close();
    done.resolve();
    await closing;
    const ended = (await jobsOf(projectId)).filter(({ seconds }) => seconds === null);
    expect(ended).toHaveLength(1);
    expect(await claim(projectId)).toHaveLength(1);
  });

  it('runs work with leases that the process already has', async () => {
    const projectId = await added(1);
    const leases = await claim(projectId);
    const done = Promise.withResolvers<void>();
    const worker = startWorker({ work: async () => {} });
    worker.hold(leases, async () => {
      await queue.end(database.system, leases);
      done.resolve();
    });
    await done.promise;
    expect(await jobsOf(projectId)).toEqual([{ lease_id: null, seconds: null }]);
  });
});
