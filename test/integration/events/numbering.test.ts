import { randomBytes, randomUUID } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  countEvents,
  type EventRange,
  readEvents,
  readEventsBack,
} from '../../../src/domain/events/event-store.ts';
import { insertEventsCall } from '../../../src/domain/events/insert-events-store.ts';
import type { ProjectDatabase, Statement } from '../../../src/storage/database.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* Positions are those of writes: each is the events of one statement. */

let gateway: Gateway;
let database: ProjectDatabase;
const clients: pg.Client[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey: generateMasterKey() });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await gateway.close();
});
beforeEach(() => {
  database = gateway.app.database.forProject(randomUUID());
});

async function connect(): Promise<pg.Client> {
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  clients.push(client);
  return client;
}

type Written = { account?: string; other?: string; session?: string | null; now?: Date };

/** Writes events of these types by one statement. */
async function write(
  client: pg.Client,
  types: readonly string[],
  { account, other, session = null, now = new Date() }: Written = {},
): Promise<void> {
  const events = types.map((type) => ({
    ...{ eventId: randomUUID(), type: type as never, sessionId: session, payload: Buffer.alloc(0) },
    ...{ accountId: account ?? null, ...(other ? { otherAccount: other } : {}) },
  }));
  const [{ text }, values] = insertEventsCall(database.projectId, events, { requestId: null, now });
  await client.query(text, [...values]);
}

const summary = (rows: readonly { position: string; type: string }[]) =>
  rows.map(({ position, type }) => `${position} ${type}`);
async function read(range: Partial<EventRange> = {}): Promise<string[]> {
  return summary(await readEvents(database, { after: 0, limit: 100, ...range }));
}
async function readBack(range: Partial<EventRange> = {}): Promise<string[]> {
  return summary(await readEventsBack(database, { after: 0, limit: 100, ...range }));
}

describe('numbering', () => {
  it('numbers a later write that is committed first before the earlier one, and a reader misses neither', async () => {
    const [slow, quick] = [await connect(), await connect()];
    await slow.query('begin');
    await write(slow, ['slow', 'slow']);
    await write(quick, ['quick', 'quick', 'quick']);
    await expect.poll(() => read()).toEqual(['1 quick', '2 quick', '3 quick']);
    await slow.query('commit');
    await gateway.app.settleEvents();
    expect(await read({ after: 3 })).toEqual(['4 slow', '5 slow']);
    expect(await readBack()).toEqual(['5 slow', '4 slow', '3 quick', '2 quick', '1 quick']);
  });

  it('changes no row of an event', async () => {
    const client = await connect();
    const rows = async () =>
      (
        await client.query(
          'select ctid, xmin, xmax, event_id from outbox_events where project_id = $1 order by ctid',
          [database.projectId],
        )
      ).rows;
    await client.query('begin');
    await write(client, ['a', 'b']);
    const written = await rows();
    await client.query('commit');
    await gateway.app.settleEvents();
    expect(await read()).toHaveLength(2);
    expect(await rows()).toEqual(written);
  });

  it('leaves no unnumbered write, and positions without a gap', async () => {
    const client = await connect();
    for (let index = 0; index < 30; index += 1) await write(client, Array(1 + (index % 3)).fill('x'));
    await gateway.app.settleEvents();
    const { rows } = await client.query(
      `select sum(events)::int as events, (select position::int from outbox_positions where project_id = $1) as position,
         bool_and(first_position = 1 + coalesce(before, 0)) as follows
       from (select *, sum(events) over (order by write_id rows between unbounded preceding and 1 preceding) as before
         from outbox_writes where project_id = $1) w`,
      [database.projectId],
    );
    expect(rows).toEqual([{ events: 60, position: 60, follows: true }]);
  });
});

describe('a page', () => {
  it('ends and begins in the middle of a write', async () => {
    const client = await connect();
    for (const [index, count] of [2, 5, 1, 4].entries()) await write(client, Array(count).fill(`w${index}`));
    await gateway.app.settleEvents();
    const all = ['w0', 'w0', 'w1', 'w1', 'w1', 'w1', 'w1', 'w2', 'w3', 'w3', 'w3', 'w3'];
    const expected = all.map((type, index) => `${index + 1} ${type}`);
    for (let after = 0; after <= 12; after += 1) {
      for (const limit of [1, 3, 7]) {
        expect(await read({ after, limit })).toEqual(expected.slice(after, after + limit));
        expect(await readBack({ before: after + 1, limit })).toEqual(
          expected.slice(Math.max(0, after - limit), after).reverse(),
        );
      }
      expect(await readBack({ after, before: 10 })).toEqual(expected.slice(after, 9).reverse());
      expect(await countEvents(database, { after, limit: 100 })).toBe(12 - after);
    }
    expect(await read({ types: ['w3', 'w0'] as never, after: 1, limit: 2 })).toEqual(['2 w0', '9 w3']);
  });

  it('continues behind writes whose events were erased', async () => {
    const client = await connect();
    for (const type of ['a', 'gone', 'gone', 'b']) await write(client, [type, type]);
    await gateway.app.settleEvents();
    await client.query(`delete from outbox_events where project_id = $1 and type = 'gone'`, [
      database.projectId,
    ]);
    expect(await read({ limit: 3 })).toEqual(['1 a', '2 a', '7 b']);
    expect(await readBack({ limit: 3 })).toEqual(['8 b', '7 b', '2 a']);
  });
});

describe('the events of an account or a session', () => {
  it('are in the order of their positions, whatever their times are', async () => {
    const client = await connect();
    const [id, session] = [randomUUID(), randomUUID()];
    const account = { id, hash: randomBytes(16) };
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await write(client, ['own', 'own'], { account: id, session, now: ago(1) });
    await write(client, ['stranger'], { account: randomUUID(), session: randomUUID() });
    await write(client, ['named'], { account: randomUUID(), other: id, now: ago(3) });
    await write(client, ['account.deleted', 'verification.failed']);
    await write(client, ['last'], { account: id, now: ago(2) });
    const expected = ['1 own', '2 own', '4 named', '5 account.deleted', '7 last'];
    await client.query(
      `update outbox_events set account_hash = case when type = 'account.deleted' then $2::bytea else $3 end
       where project_id = $1 and type in ('account.deleted', 'verification.failed', 'last')`,
      [database.projectId, account.hash, randomBytes(16)],
    );
    await gateway.app.settleEvents();
    expect(await read({ account })).toEqual(expected);
    expect(await read({ account, after: 1, before: 7, limit: 2 })).toEqual(['2 own', '4 named']);
    expect(await readBack({ account, before: 7, limit: 3 })).toEqual([
      '5 account.deleted',
      '4 named',
      '2 own',
    ]);
    expect(await read({ account, sessionId: session })).toEqual(['1 own', '2 own']);
    expect(await read({ sessionId: session, after: 1 })).toEqual(['2 own']);
    expect(await read({ account, types: ['last', 'stranger'] as never })).toEqual(['7 last']);
    expect(await countEvents(database, { after: 1, limit: 100, account })).toBe(4);
  });
});

describe('the plans of reads that were made while the tables were empty', () => {
  it('use the indexes of writes in their order', async () => {
    const statements: Statement[] = [];
    const query = async (statement: Statement) => {
      statements.push(statement);
      return [{ count: 0 }];
    };
    const recorder = { projectId: database.projectId, query } as never;
    const account = { id: randomUUID(), hash: randomBytes(16) };
    for (const selected of [{}, { account }, { sessionId: randomUUID() }]) {
      await readEvents(recorder, { after: 0, limit: 1, ...selected });
      await readEventsBack(recorder, { after: 0, limit: 1, ...selected });
      await countEvents(recorder, { after: 0, limit: 1, ...selected });
    }
    expect(statements).toHaveLength(9);
    const client = await connectAs(gateway.database, 'owner');
    clients.push(client);
    await client.query('set role vouchgraph_app');
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const [index, { text }] of statements.entries()) {
      await client.query(`prepare read_${index} as ${text}`);
      const parameters = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
      const { rows } = await client.query(
        `explain execute read_${index}(${new Array(parameters).fill('null').join(', ')})`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index (Only )?Scan[^\n]* on outbox_writes/);
      expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on outbox_writes/);
    }
  });
});
