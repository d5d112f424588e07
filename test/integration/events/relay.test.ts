import { randomUUID } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { EVENTS_WITH_POSITIONS, insertEmptyEvents } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
const clients: pg.Client[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await gateway.close();
});

async function connect(): Promise<pg.Client> {
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  clients.push(client);
  return client;
}

const INSERT = insertEmptyEvents(
  't.type',
  'from unnest($2::text[]) as t (type)',
  'coalesce($3::timestamptz, now())',
);

type Numbered = { type: string; position: string };

async function numbered(client: pg.Client, projectId: string): Promise<Numbered[]> {
  await gateway.app.settleEvents();
  const { rows } = await client.query<Numbered>(
    `select type, position from ${EVENTS_WITH_POSITIONS} where project_id = $1 order by position`,
    [projectId],
  );
  return rows;
}

const typesOf = (rows: readonly Numbered[]) => rows.map(({ type }) => type);
const positionsOf = (rows: readonly Numbered[]) => rows.map(({ position }) => Number(position));

describe('the positions of events', () => {
  it('start with 1 in each project, without a gap', async () => {
    const client = await connect();
    const [one, two] = [randomUUID(), randomUUID()];
    await client.query(INSERT, [one, ['a', 'b'], null]);
    await client.query(INSERT, [two, ['c'], null]);
    await client.query(INSERT, [one, ['d'], null]);
    expect(await numbered(client, one)).toEqual([
      { type: 'a', position: '1' },
      { type: 'b', position: '2' },
      { type: 'd', position: '3' },
    ]);
    expect(await numbered(client, two)).toEqual([{ type: 'c', position: '1' }]);
  });

  it('skip rolled-back changes, and place later commits after them', async () => {
    const [client, slow, undone] = [await connect(), await connect(), await connect()];
    const project = randomUUID();
    await slow.query('begin');
    await slow.query(INSERT, [project, ['slow'], null]);
    await undone.query('begin');
    await undone.query(INSERT, [project, ['undone'], null]);
    await client.query(INSERT, [project, ['quick'], null]);
    // The slow transaction does not delay others.
    const { rows } = await waitFor(client, project, 1);
    expect(typesOf(rows)).toEqual(['quick']);
    await undone.query('rollback');
    await slow.query('commit');
    await client.query(INSERT, [project, ['last'], null]);
    const all = await numbered(client, project);
    expect(typesOf(all)).toEqual(['quick', 'slow', 'last']);
    expect(positionsOf(all)).toEqual([1, 2, 3]);
  });

  it('keep the order of changes of an account, even when the later change has the older transaction and the older time', async () => {
    const [client, first, second] = [await connect(), await connect(), await connect()];
    const project = randomUUID();
    await second.query('begin');
    await second.query('select txid_current()');
    await first.query('begin');
    await first.query('select pg_advisory_xact_lock(4711)');
    await first.query(INSERT, [project, ['first'], null]);
    const waiting = second.query('select pg_advisory_xact_lock(4711)');
    await first.query('commit');
    await waiting;
    await second.query(INSERT, [project, ['second'], new Date(Date.now() - 60_000)]);
    await second.query('commit');
    expect(typesOf(await numbered(client, project))).toEqual(['first', 'second']);
  });

  it('have no gaps when many writers commit and some roll back concurrently', async () => {
    const client = await connect();
    const project = randomUUID();
    const writers = await Promise.all(Array.from({ length: 6 }, connect));
    const kept = await Promise.all(
      writers.map(async (writer, index) => {
        let committed = 0;
        for (let round = 0; round < 40; round += 1) {
          await writer.query('begin');
          await writer.query(INSERT, [project, [`${index}`, `${index}`], null]);
          const isKept = (round + index) % 3 !== 0;
          await writer.query(isKept ? 'commit' : 'rollback');
          committed += isKept ? 2 : 0;
        }
        return committed;
      }),
    );
    const total = kept.reduce((sum, count) => sum + count, 0);
    expect(positionsOf(await numbered(client, project))).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    );
    const { rows } = await client.query('select position from outbox_positions where project_id = $1', [
      project,
    ]);
    expect(Number(rows[0].position)).toBe(total);
  });

  it('are not delayed by an unrelated open transaction', async () => {
    const [client, elsewhere] = [await connect(), await connect()];
    await elsewhere.query('begin');
    await elsewhere.query('select txid_current()');
    await elsewhere.query(INSERT, [randomUUID(), ['open'], null]);
    const project = randomUUID();
    await client.query(INSERT, [project, ['x'], null]);
    expect(typesOf((await waitFor(client, project, 1)).rows)).toEqual(['x']);
    await elsewhere.query('rollback');
  });
});

/** Waits until a project has this number of numbered events; the relay numbers them automatically. */
async function waitFor(client: pg.Client, projectId: string, count: number) {
  for (;;) {
    const result = await client.query<Numbered>(
      `select type, position from ${EVENTS_WITH_POSITIONS} where project_id = $1 and position is not null order by position`,
      [projectId],
    );
    if (result.rows.length >= count) return result;
  }
}

describe('the relay', () => {
  it('is taken over when its process exits', async () => {
    const client = await connect();
    const other = await startGateway({ database: gateway.database, masterKey });
    const relays = () =>
      client.query<{ pid: number }>(
        `select l.pid from pg_locks l where l.locktype = 'advisory' and l.granted
           and l.objid = (hashtext('vouchgraph_relay')::bigint & 4294967295)::bigint::oid
           and l.database = (select oid from pg_database where datname = current_database())`,
      );
    const [before] = (await relays()).rows;
    expect((await relays()).rows).toHaveLength(1);
    const owner = new pg.Client({ connectionString: gateway.database.ownerUrl });
    await owner.connect();
    await owner.query('select pg_terminate_backend($1)', [before!.pid]);
    await owner.end();
    const project = randomUUID();
    await client.query(INSERT, [project, ['after'], null]);
    await waitFor(client, project, 1);
    const [after] = (await relays()).rows;
    expect(after!.pid).not.toBe(before!.pid);
    await other.close();
  });

  it('numbers the events that a gateway writes', async () => {
    const client = await connect();
    const project: TestProject = await gateway.project();
    await project.authenticate({ id: unique('event') });
    expect(typesOf(await numbered(client, project.projectId))).toEqual([
      'session.completed',
      'account.authenticated',
    ]);
  });
});

describe('expired events', () => {
  it('are purged by the day, and the purge is recorded', async () => {
    const client = await connect();
    const { projectId: project } = await gateway.project();
    const old = new Date(Date.now() - 40 * 86_400_000);
    await client.query(INSERT, [project, ['old', 'old'], old]);
    await client.query(INSERT, [project, ['young'], null]);
    expect(positionsOf(await numbered(client, project))).toEqual([1, 2, 3]);
    await gateway.app.purge();
    expect(typesOf(await numbered(client, project))).toEqual(['young']);
    const { rows } = await client.query(
      'select purged_through, position from outbox_positions where project_id = $1',
      [project],
    );
    expect(rows).toEqual([{ purged_through: '2', position: '3' }]);
    const writes = await client.query(
      'select first_position, events from outbox_writes where project_id = $1',
      [project],
    );
    expect(writes.rows).toEqual([{ first_position: '3', events: 1 }]);
  });

  it('remain during a long read, which blocks neither writers nor a start', async () => {
    const [owner, reader] = [
      await connectAs(gateway.database, 'owner'),
      await connectAs(gateway.database, 'owner'),
    ];
    clients.push(owner, reader);
    const project = await gateway.project();
    await owner.query(`create table outbox_events_20250102 partition of outbox_events
      for values from ('2025-01-02 00:00:00+00') to ('2025-01-03 00:00:00+00')`);
    const partitions = async () =>
      (await owner.query("select to_regclass('outbox_events_20250102')::text as name")).rows[0].name;
    await reader.query('begin');
    await reader.query('lock table outbox_events in access share mode');
    const startedAt = performance.now();
    const starting = startGateway({ database: gateway.database, masterKey });
    let isStarted = false;
    starting.finally(() => {
      isStarted = true;
    });
    let slowestMs = 0;
    while (!isStarted) {
      const writtenAt = performance.now();
      await project.authenticate({ id: unique('meanwhile') });
      slowestMs = Math.max(slowestMs, performance.now() - writtenAt);
    }
    const other = await starting;
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(slowestMs).toBeLessThan(30_000);
    expect(await partitions()).toBe('outbox_events_20250102');
    await other.close();
    await reader.query('commit');
    // A purge waits shortly for the lock, and leaves the partition to the next one when others read at that moment.
    const next = async () => {
      await gateway.app.purge();
      return partitions();
    };
    await expect.poll(next).toBeNull();
  });
});
