import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
} from '../../support/gateway.ts';
import { createEventWriter, EVENTS_WITH_POSITIONS, type WrittenEvent } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import { collect, EVENTS, headOf, overSocket, overStream } from '../../support/subscriptions.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let write: (events: readonly WrittenEvent[]) => Promise<void>;
const open: { dispose(): void | Promise<void> }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  write = await createEventWriter(gateway, masterKey, project.projectId);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});
afterAll(() => gateway.close());

const opened = <Client extends { dispose(): void | Promise<void> }>(client: Client): Client => {
  open.push(client);
  return client;
};
const params = () => ({ 'x-api-key': project.key });

let written = 0;
/** Events with the number that they were written as. */
async function writeSome(count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    written += 1;
    return { type: 'rule.custom', data: { n: written } } as const;
  });
  await write(events);
}
const numbersOf = (events: readonly Body[]): number[] => events.map(({ data }) => data.n);
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

const FACES = [
  { face: 'a WebSocket', connect: () => opened(overSocket(gateway.baseUrl, params())) },
  { face: 'an event stream', connect: () => opened(overStream(gateway.baseUrl, params())) },
];

describe.each(FACES)('a cursor over $face', ({ connect }) => {
  it('sends missed events in pages, in order, followed by live events', async () => {
    const after = await headOf(project);
    const first = written + 1;
    await writeSome(350);
    await gateway.app.settleEvents();
    const collected = collect(connect(), EVENTS, { after });
    await collected.until(350);
    await writeSome(5);
    await collected.until(355);
    expect(numbersOf(collected.events)).toEqual(from(first, 355));
    collected.stop();
  });

  it('of any event resumes after that event', async () => {
    const after = await headOf(project);
    const first = written + 1;
    await writeSome(10);
    const collected = collect(connect(), EVENTS, { after });
    const [, , , fourth] = await collected.until(10);
    collected.stop();
    const again = collect(connect(), EVENTS, { after: fourth.cursor });
    await again.until(6);
    expect(numbersOf(again.events)).toEqual(from(first + 4, 6));
    again.stop();
  });

  it('joins live events without a gap or a repetition', async () => {
    const after = await headOf(project);
    const writer = await createEventWriter(gateway, masterKey, project.projectId);
    const total = 800;
    let next = 0;
    const begun = Promise.withResolvers<void>();
    const writing = (async () => {
      while (next < total) {
        await writer(
          Array.from({ length: 4 }, () => {
            next += 1;
            return { type: 'rule.custom', data: { n: next } };
          }),
        );
        if (next === 100) begun.resolve();
      }
    })();
    await begun.promise;
    // Events arrive while it is written, and start at different positions.
    const subscribers = [];
    for (let count = 0; count < 20; count += 1) {
      const collected = collect(connect(), EVENTS, { after });
      await collected.until(count * 5);
      subscribers.push(collected);
    }
    await writing;
    for (const collected of subscribers) {
      await collected.until(total);
      expect(numbersOf(collected.events)).toEqual(from(1, total));
      collected.stop();
    }
  });
});

describe('a client that reconnects automatically', () => {
  it('misses nothing and receives nothing twice while its gateway is restarted', async () => {
    const shared = { masterKey, database: gateway.database };
    let served = await startGateway(shared);
    const restarted = Promise.withResolvers<void>();
    const client = opened(
      overSocket(() => served.baseUrl, params(), { retryAttempts: 5, retryWait: () => restarted.promise }),
    );
    const collected = collect(client, EVENTS, { after: await headOf(project) });
    const first = written + 1;
    await writeSome(20);
    await collected.until(20);
    const writing = (async () => {
      for (let count = 0; count < 180; count += 1) await writeSome(1);
    })();
    await collected.until(40);
    await served.close();
    served = await startGateway(shared);
    restarted.resolve();
    await writing;
    await collected.until(200);
    expect(numbersOf(collected.events)).toEqual(from(first, 200));
    collected.stop();
    await client.dispose();
    await served.close();
  });

  it('over an event stream does the same: a disconnected stream is not complete', async () => {
    const shared = { masterKey, database: gateway.database };
    let served = await startGateway(shared);
    const restarted = Promise.withResolvers<void>();
    const client = opened(
      overStream(() => served.baseUrl, params(), { retryAttempts: 5, retry: () => restarted.promise }),
    );
    const collected = collect(client, EVENTS, { after: await headOf(project) });
    const first = written + 1;
    await writeSome(5);
    await collected.until(5);
    await served.close();
    await writeSome(5);
    served = await startGateway(shared);
    restarted.resolve();
    await collected.until(10);
    expect(numbersOf(collected.events)).toEqual(from(first, 10));
    collected.stop();
    await served.close();
  });
});

describe('an invalid cursor', () => {
  async function refusalOf(client: TestProject, after: string): Promise<string> {
    const collected = collect(opened(overSocket(gateway.baseUrl, { 'x-api-key': client.key })), EVENTS, {
      after,
    });
    await collected.ended;
    const polled = await client.rawGraphql(
      'query ($after: String) { events(after: $after) { headCursor } }',
      { after },
    );
    expect(polled.body.errors[0].extensions.code).toBe(collected.errors[0].extensions.code);
    return collected.errors[0].extensions.code;
  }

  it('is expired when the events after it are purged', async () => {
    const young = await gateway.project();
    const writeYoung = await createEventWriter(gateway, masterKey, young.projectId);
    const before = await headOf(young);
    await writeYoung(from(1, 4).map((n) => ({ type: 'rule.custom', data: { n } })));
    await gateway.app.settleEvents();
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    await system.query(
      `delete from outbox_events where event_id in (
        select event_id from ${EVENTS_WITH_POSITIONS} where project_id = $1 and position <= 3)`,
      [young.projectId],
    );
    await system.query('update outbox_positions set purged_through = 3 where project_id = $1', [
      young.projectId,
    ]);
    await system.end();
    expect(await refusalOf(young, before)).toBe('events.cursor_too_old');
    const { events } = await young.graphql('{ events { edges { cursor node { data } } } }');
    expect(events.edges).toHaveLength(1);
    const collected = collect(opened(overSocket(gateway.baseUrl, { 'x-api-key': young.key })), EVENTS, {
      after: events.edges[0].cursor,
    });
    await writeYoung([{ type: 'rule.custom', data: { n: 5 } }]);
    expect(numbersOf(await collected.until(1))).toEqual([5]);
    collected.stop();
  });

  it('is also expired when the events are purged while they are read', async () => {
    const young = await gateway.project();
    const writeYoung = await createEventWriter(gateway, masterKey, young.projectId);
    const after = await headOf(young);
    await writeYoung(from(1, 4).map((n) => ({ type: 'rule.custom', data: { n } })));
    await gateway.app.settleEvents();
    const [purging, watching] = [
      await connectAs(gateway.database, 'owner'),
      await connectAs(gateway.database, 'owner'),
    ];
    await purging.query('begin');
    await purging.query('lock table outbox_events in access exclusive mode');
    const polled = young.rawGraphql('query ($after: String) { events(after: $after) { headCursor } }', {
      after,
    });
    await vi.waitFor(
      async () => {
        const { rows } = await watching.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like 'select position, event_id%'`,
        );
        expect(rows).toHaveLength(1);
      },
      { timeout: 50_000, interval: 10 },
    );
    await purging.query('set local role vouchgraph_system');
    await purging.query('delete from outbox_events where project_id = $1', [young.projectId]);
    await purging.query('update outbox_positions set purged_through = 4 where project_id = $1', [
      young.projectId,
    ]);
    await purging.query('commit');
    expect((await polled).body.errors[0].extensions.code).toBe('events.cursor_too_old');
    await Promise.all([purging.end(), watching.end()]);
  });

  it('is unknown when it is ahead of all events, as after a restore of the database', async () => {
    const restored = await gateway.project();
    const writeOne = await createEventWriter(gateway, masterKey, restored.projectId);
    await writeOne([{ type: 'rule.custom', data: { n: 1 } }]);
    await gateway.app.settleEvents();
    const ahead = await headOf(restored);
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    await system.query('delete from outbox_events where project_id = $1', [restored.projectId]);
    await system.query('update outbox_positions set position = 0 where project_id = $1', [
      restored.projectId,
    ]);
    await system.end();
    expect(await refusalOf(restored, ahead)).toBe('events.cursor_unknown');
  });

  it('is rejected when it belongs to another project', async () => {
    const stranger = await gateway.project();
    expect(await refusalOf(stranger, await headOf(project))).toBe('input.invalid');
  });
});

describe('polling events', () => {
  const POLL = `query ($first: Int, $after: String, $types: [EventType!], $accountId: ID, $sessionId: ID) {
    events(first: $first, after: $after, types: $types, accountId: $accountId, sessionId: $sessionId) {
      edges { cursor node { cursor type accountId data } } pageInfo { hasNextPage endCursor } } }`;

  it('returns all of them once, in order', async () => {
    let after = await headOf(project);
    const first = written + 1;
    await writeSome(45);
    await gateway.app.settleEvents();
    const seen: Body[] = [];
    for (let more = true; more; ) {
      const { events } = await project.graphql(POLL, { first: 20, after });
      seen.push(...events.edges.map(({ node }: Body) => node));
      after = events.pageInfo.endCursor;
      more = events.pageInfo.hasNextPage;
    }
    expect(numbersOf(seen)).toEqual(from(first, 45));
    await writeSome(1);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(POLL, { after });
    expect(numbersOf(events.edges.map(({ node }: Body) => node))).toEqual([first + 45]);
    expect(events.edges[0].cursor).toBe(events.edges[0].node.cursor);
  });

  it('filters by type, account and session, and includes the events of erased accounts that a subscriber receives', async () => {
    const after = await headOf(project);
    const [mine, yours] = ['poll-mine', 'poll-yours'];
    const { session_id } = await project.authenticate({ id: mine });
    await project.authenticate({ id: yours });
    await gateway.app.settleEvents();
    const collected = collect(opened(overSocket(gateway.baseUrl, params())), EVENTS, {
      after,
      accountId: mine,
    });
    const of = async (variables: Record<string, unknown>) => {
      const { events } = await project.graphql(POLL, { after, first: 100, ...variables });
      return events.edges.map(({ node }: Body) => `${node.accountId} ${node.type}`);
    };
    expect(await of({ accountId: mine })).toEqual([`${mine} ACCOUNT_AUTHENTICATED`]);
    expect(await of({ sessionId: session_id, types: ['ACCOUNT_AUTHENTICATED'] })).toEqual([
      `${mine} ACCOUNT_AUTHENTICATED`,
    ]);
    expect(await of({ accountId: 'poll-nobody' })).toEqual([]);
    await collected.until(1);
    expect((await project.rest('DELETE', `/account/${mine}`)).status).toBe(200);
    await collected.until(2);
    expect(collected.events.map(({ type }) => type)).toEqual(['ACCOUNT_AUTHENTICATED', 'ACCOUNT_DELETED']);
    expect(await of({ accountId: mine })).toEqual([`${mine} ACCOUNT_DELETED`]);
    collected.stop();
  });

  it('is rejected for oversized pages and unknown types', async () => {
    for (const variables of [
      { first: 101 },
      { first: -1 },
      { types: [] },
      { types: ['x'] },
      { after: 'x' },
    ]) {
      const { body } = await project.rawGraphql(POLL, variables);
      expect(body.errors[0].extensions.code).toMatch(/^(input|graphql)\.invalid$/);
    }
  });

  it('reads many accounts in one statement', async () => {
    await writeSome(1);
    for (const id of ['batch-1', 'batch-2', 'batch-3']) await project.authenticate({ id });
    await gateway.app.settleEvents();
    gateway.takeStatements();
    const { events } = await project.graphql(
      '{ events(first: 100, types: [ACCOUNT_AUTHENTICATED]) { edges { node { account { accountId } session { sessionId } } } } }',
    );
    expect(events.edges.length).toBeGreaterThanOrEqual(3);
    const statements = gateway.takeStatements();
    expect(statements.filter((name) => name === 'account.find_many')).toHaveLength(1);
    expect(statements.filter((name) => name.startsWith('session.find'))).toHaveLength(1);
  });
});

it('a client of another gateway on the same database receives the same order', async () => {
  const other = await startGateway({ masterKey, database: gateway.database });
  await gateway.app.settleEvents();
  const after = await headOf(project);
  const here = collect(opened(overSocket(gateway.baseUrl, params())), EVENTS, {
    after,
    types: ['ACCOUNT_AUTHENTICATED'],
  });
  const there = collect(opened(overSocket(other.baseUrl, params())), EVENTS, {
    after,
    types: ['ACCOUNT_AUTHENTICATED'],
  });
  const elsewhere = projectClient(other.baseUrl, project.projectId, project.key);
  await Promise.all(
    from(0, 20).map((n) => (n % 2 === 0 ? project : elsewhere).authenticate({ id: `both-${n}` })),
  );
  await here.until(20);
  await there.until(20);
  expect(here.events).toHaveLength(20);
  expect(there.events.map(({ id }) => id)).toEqual(here.events.map(({ id }) => id));
  here.stop();
  there.stop();
  for (const one of open.splice(0)) await one.dispose();
  await other.close();
});

it('a connected client misses nothing while connections to the database fail', async () => {
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  const client = await connectAs(gateway.database, 'owner');
  const { pid } = (await system.query('select pg_backend_pid() as pid')).rows[0];
  const writer = await createEventWriter(gateway, masterKey, project.projectId, { client: system });
  await gateway.app.settleEvents();
  const after = await headOf(project);
  const live = collect(opened(overSocket(gateway.baseUrl, params())), EVENTS, { after });
  const stream = collect(opened(overStream(gateway.baseUrl, params())), EVENTS, { after });
  for (let round = 0; round < 6; round += 1) {
    await writer(from(round * 10, 10).map((n) => ({ type: 'rule.custom', data: { n } })));
    // Both have started: a subscription is rejected while nothing can be read.
    if (round === 0) await Promise.all([live.until(1), stream.until(1)]);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'vouchgraph' and pid <> $1`,
      [pid],
    );
  }
  for (const collected of [live, stream]) {
    await collected.until(60);
    expect(numbersOf(collected.events)).toEqual(from(0, 60));
    collected.stop();
  }
  await Promise.all([system.end(), client.end()]);
});

it('an event with an unreadable session is sent once it is readable, with its session', async () => {
  const after = await headOf(project);
  const { session_id } = await project.authenticate({ id: 'read-again' });
  const QUERY = EVENTS.replace('data\n', 'data session { sessionId }\n');
  const collected = collect(opened(overSocket(gateway.baseUrl, params())), QUERY, {
    after,
    types: ['RULE_CUSTOM'],
  });
  await vi.waitFor(() => expect(gateway.app.realtimeCounts().subscribers).toBe(1), { timeout: 50_000 });
  const [locking, watching] = [
    await connectAs(gateway.database, 'owner'),
    await connectAs(gateway.database, 'owner'),
  ];
  await locking.query('begin');
  await locking.query('lock table sessions in access exclusive mode');
  await write([{ type: 'rule.custom', sessionId: session_id, data: { n: 1 } }]);
  // Its connection ends repeatedly while it is read.
  let ended = 0;
  await vi.waitFor(
    async () => {
      const { rows } = await watching.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query like '%sessions%' and application_name = 'vouchgraph'`,
      );
      ended += rows.length;
      expect(ended).toBeGreaterThanOrEqual(2);
    },
    { timeout: 50_000, interval: 20 },
  );
  await locking.query('rollback');
  const [event] = await collected.until(1);
  expect(event).toMatchObject({ data: { n: 1 }, session: { sessionId: session_id } });
  collected.stop();
  await Promise.all([locking.end(), watching.end()]);
});
