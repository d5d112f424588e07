import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { accounts, list } from '../../support/lists.ts';
import { createEventWriter, EVENTS_WITH_POSITIONS, insertEmptyEvents } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import { collect, EVENTS, headOf, overSocket } from '../../support/subscriptions.ts';

/* Two gateways that never poll for events: arrivals come from notifications. The first is the relay. */
const NEVER_MS = 3_600_000;
/** More than the relay numbers at once. */
const MANY_WRITES = 10_500;
const masterKey = generateMasterKey();
let relay: Gateway;
let other: Gateway;
let owner: pg.Client;
let system: pg.Client;

beforeAll(async () => {
  relay = await startGateway({ masterKey, relay: { pollMs: NEVER_MS } });
  owner = await connectAs(relay.database, 'owner');
  system = await connectAs(relay.database, 'vouchgraph_system');
  await vi.waitFor(async () => expect(await relayPid()).not.toBeNull(), { timeout: 50_000 });
  other = await startGateway({ database: relay.database, masterKey, relay: { pollMs: NEVER_MS } });
});
afterAll(async () => {
  await owner.end();
  await system.end();
  await other.close();
  await relay.close();
});

async function relayPid(): Promise<number | null> {
  const { rows } = await owner.query<{ pid: number }>(
    `select l.pid from pg_locks l where l.locktype = 'advisory' and l.granted
       and l.objid = (hashtext('vouchgraph_relay')::bigint & 4294967295)::bigint::oid
       and l.database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.pid ?? null;
}

const at = (gateway: Gateway, { projectId, key }: TestProject) =>
  projectClient(gateway.baseUrl, projectId, key);

async function subscribe(gateway: Gateway, project: TestProject) {
  const after = await headOf(project);
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  const collected = collect(client, EVENTS, { after });
  return { ...collected, until: collected.until, close: () => client.dispose() };
}

/** Positions of a project's events in their order, once this number is assigned. */
async function positions(projectId: string, count: number): Promise<number[]> {
  return vi.waitFor(
    async () => {
      const { rows } = await system.query(
        `select position from ${EVENTS_WITH_POSITIONS} where project_id = $1 and position is not null order by position`,
        [projectId],
      );
      expect(rows).toHaveLength(count);
      return rows.map(({ position }) => Number(position));
    },
    { timeout: 50_000 },
  );
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('an event reaches subscribers of every gateway as soon as it is committed', () => {
  it('by the gateway that is the relay', async () => {
    const project = await relay.project();
    const subscriptions = await Promise.all([relay, other].map((gateway) => subscribe(gateway, project)));
    await project.authenticate({ id: unique('here') });
    for (const { until } of subscriptions) await until(2);
    await Promise.all(subscriptions.map(({ close }) => close()));
  });

  it('by a gateway that is not the relay', async () => {
    const project = await relay.project();
    const subscriptions = await Promise.all([relay, other].map((gateway) => subscribe(gateway, project)));
    other.takeRelayStatements();
    await at(other, project).authenticate({ id: unique('there') });
    for (const { until } of subscriptions) await until(2);
    expect(other.takeRelayStatements()).toContain('outbox.notify_written');
    await Promise.all(subscriptions.map(({ close }) => close()));
  });

  it('for every event type and writer', async () => {
    const project = at(other, await relay.project());
    const { events, until, close } = await subscribe(relay, project);
    const hasArrived = (type: string) =>
      vi.waitFor(() => expect(events.map((event) => event.type)).toContain(type), { timeout: 50_000 });
    const [id] = (await accounts(project, 1)) as [string];
    await until(2);
    await list(project, [id]);
    await hasArrived('LIST_ACCOUNT_ADDED');
    await project.rest('DELETE', `/account/${id}`);
    await hasArrived('ACCOUNT_DELETED');
    await close();
  });
});

describe('the relay', () => {
  it('numbers a backlog of 60,000 events of one project, as an import leaves it, in order', async () => {
    const { projectId } = await relay.project();
    await system.query(
      insertEmptyEvents("'rule.custom'", `from generate_series(1, ${60_000 - MANY_WRITES})`),
      [projectId],
    );
    await system.query(
      `with ids as (
         select nextval('outbox_unnumbered_writes_write_id_seq') as id from generate_series(1, ${MANY_WRITES})
       ), events as (
         insert into outbox_events (project_id, event_id, write_id, place, type, payload)
         select $1, gen_random_uuid(), id, 0, 'rule.custom', '' from ids returning created_at, write_id
       )
       insert into outbox_unnumbered_writes (project_id, write_id, created_from, created_to, events)
       select $1, write_id, created_at, created_at, 1 from events`,
      [projectId],
    );
    await relay.app.settleEvents();
    const { rows } = await system.query(
      `select count(*)::int as events, count(distinct position)::int as positions, min(position)::int as first,
         max(position)::int as last, count(*) filter (where position <> expected)::int as misplaced
       from (select position, row_number() over (order by write_id, place) as expected from ${EVENTS_WITH_POSITIONS} where project_id = $1) e`,
      [projectId],
    );
    expect(rows[0]).toEqual({ events: 60_000, positions: 60_000, first: 1, last: 60_000, misplaced: 0 });
  });

  it('numbers a burst of 500 commits in at most 40 runs a second', async () => {
    const project = await relay.project();
    const write = await createEventWriter(relay, masterKey, project.projectId);
    const listener = await connectAs(relay.database, 'owner');
    let notified = 0;
    listener.on('notification', () => {
      notified += 1;
    });
    await listener.query('listen vouchgraph_events');
    relay.takeRelayStatements();
    const startedAt = performance.now();
    let left = 500;
    const writer = async () => {
      while (left-- > 0) await write([{ type: 'rule.custom', data: { left } }]);
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    expect(await positions(project.projectId, 500)).toEqual(upTo(500));
    const allowed = (performance.now() - startedAt) / 25 + 1;
    await listener.end();
    expect(notified).toBeGreaterThan(0);
    expect(notified).toBeLessThanOrEqual(allowed);
    const runs = relay.takeRelayStatements();
    expect(new Set(runs)).toEqual(new Set(['outbox.number']));
    expect(runs.length).toBeLessThanOrEqual(allowed);
  });

  it('loses nothing when its connection is terminated repeatedly', async () => {
    const project = at(other, await relay.project());
    const { events, until, close } = await subscribe(other, project);
    const write = await createEventWriter(other, masterKey, project.projectId);
    const terminated = new Set<number>();
    for (let n = 0; n < 200; n += 1) {
      await write([{ type: 'rule.custom', data: { n } }]);
      if (n % 40 !== 20) continue;
      const pid = await vi.waitFor(
        async () => {
          const holder = await relayPid();
          expect(holder).not.toBeNull();
          expect(terminated).not.toContain(holder);
          return holder!;
        },
        { timeout: 50_000 },
      );
      await owner.query('select pg_terminate_backend($1)', [pid]);
      terminated.add(pid);
    }
    await until(200);
    expect(events.map(({ data }) => data.n)).toEqual(upTo(200).map((n) => n - 1));
    expect(await positions(project.projectId, 200)).toEqual(upTo(200));
    await close();
  });
});

describe('an idle gateway', () => {
  it('polls for events of other processes once a second, and tries to become the relay as often', async () => {
    const first = await startGateway({ masterKey });
    const client = await connectAs(first.database, 'vouchgraph_system');
    await vi.waitFor(() => expect(first.takeRelayStatements()).toContain('outbox.number'), 50_000);
    const second = await startGateway({ database: first.database, masterKey });
    // At its start, for notifications that a connection before it may have lost.
    await vi.waitFor(() => expect(second.takeRelayStatements()).toContain('outbox.notify_written'), 50_000);
    await first.app.settleEvents();
    const sent = [first, second].map(() => [] as string[]);
    for (const gateway of [first, second]) gateway.takeRelayStatements();
    const startedAt = performance.now();
    await vi.waitFor(
      () => {
        for (const [index, gateway] of [first, second].entries())
          sent[index]!.push(...gateway.takeRelayStatements());
        for (const names of sent) expect(names.length).toBeGreaterThanOrEqual(3);
      },
      { timeout: 60_000 },
    );
    const allowed = (performance.now() - startedAt) / 1000 + 1;
    expect(new Set(sent[0])).toEqual(new Set(['outbox.number']));
    expect(new Set(sent[1])).toEqual(new Set(['outbox.become_relay']));
    for (const names of sent) expect(names.length).toBeLessThanOrEqual(allowed);
    // Committed without a notification, as by the command line.
    const project = await first.project();
    await client.query(insertEmptyEvents("'rule.custom'"), [project.projectId]);
    await vi.waitFor(
      async () => {
        const { rows } = await client.query(
          `select position from ${EVENTS_WITH_POSITIONS} where project_id = $1`,
          [project.projectId],
        );
        expect(rows).toEqual([{ position: '1' }]);
      },
      { timeout: 50_000 },
    );
    await client.end();
    await second.close();
    await first.close();
  });
});
