import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createProjectService } from '../../../src/domain/projects/project-service.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { unique } from '../../support/gateway.ts';
import { EVENTS_WITH_POSITIONS } from '../../support/outbox.ts';

/*
 * Two gateways are killed alternately while accounts are authenticated: every acknowledged event is sent to a
 * webhook receiver and to a subscriber that resumes with its cursor. CRASHES and AUTHENTICATES extend it.
 */
const CRASHES = Number(process.env.CRASHES ?? 4);
const AUTHENTICATES = Number(process.env.AUTHENTICATES ?? 160);
/** A share of all events; with few events the number that can be running when a gateway is killed. */
const MAX_REPEATED = { part: 0.01, few: 16 };
const WAIT_TIMEOUT_MS = 120_000 + CRASHES * 6_000;

type Collected = {
  id: string;
  type: string;
  cursor: string;
  accountId: string | null;
  sessionId: string | null;
};
type Running = { process: GatewayProcess; baseUrl: string };

const masterKey = generateMasterKey();
let testDatabase: TestDatabase;
let database: Database;
let removeFolder: () => Promise<void>;
let environment: Record<string, string>;
let receiver: Server;
const gateways: (Running | null)[] = [null, null];
/** Events in the order of the webhook receiver. */
const received: { id: string; type: string; account: string | null }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const made = await makeFolder();
  removeFolder = made.remove;
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 });
  environment = {
    DATABASE_URL: testDatabase.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: made.folder,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    LOG_LEVEL: 'silent',
  };
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const event = JSON.parse(body);
      received.push({ id: event.id, type: event.type, account: event.metadata.account_id });
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  for (const gateway of gateways) gateway?.process.signal('SIGKILL');
  await Promise.all(gateways.map((gateway) => gateway?.process.exited));
  receiver.close();
  receiver.closeAllConnections();
  await database.close();
  await testDatabase.drop();
  await removeFolder();
});

async function startOne(index: number): Promise<Running> {
  const process = run(['serve'], environment);
  const address = async () => {
    if (process.child.exitCode !== null) throw new Error(process.output());
    return /answers on (http:\S+)/.exec(process.output())?.[1];
  };
  const baseUrl = await until('an address', address, WAIT_TIMEOUT_MS);
  const running = { process, baseUrl };
  gateways[index] = running;
  return running;
}

async function kill(index: number): Promise<void> {
  const gateway = gateways[index];
  gateways[index] = null;
  gateway?.process.signal('SIGKILL');
  await gateway?.process.exited;
}

/** Sends the request to either gateway until one responds. */
async function call(
  method: string,
  path: string,
  key: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  for (let turn = 0; ; turn += 1) {
    const gateway = gateways[turn % gateways.length];
    const response = gateway
      ? await fetch(gateway.baseUrl + path, {
          method,
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).catch(() => null)
      : null;
    if (response?.status === 200) {
      const answer = await response.json().catch(() => null);
      if (answer) return answer as Record<string, unknown>;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function firstEvent(key: string): Promise<Collected | undefined> {
  const query = '{ events(first: 1) { edges { cursor node { id: eventId type accountId sessionId } } } }';
  const { data } = (await call('POST', '/graphql', key, { query })) as {
    data: { events: { edges: { cursor: string; node: Omit<Collected, 'cursor'> }[] } };
  };
  const [edge] = data.events.edges;
  return edge && { ...edge.node, cursor: edge.cursor };
}

describe('events while gateways are killed', () => {
  it('all arrive in their order, by webhook and by subscription', {
    timeout: WAIT_TIMEOUT_MS * 2,
  }, async () => {
    await Promise.all([startOne(0), startOne(1)]);
    const projects = createProjectService({
      database,
      masterKey: new MasterKey(masterKey),
      clock: systemClock,
      actor: 'test',
    });
    const { projectId } = await projects.createProject('crashes', 'sandbox');
    const { key } = await projects.createKey(projectId, 'operator');
    const { port } = receiver.address() as AddressInfo;
    await call('POST', '/graphql', key, {
      query: 'mutation ($url: String!) { createWebhookEndpoint(input: {url: $url}) { endpoint { id } } }',
      variables: { url: `http://127.0.0.1:${port}/` },
    });
    // The subscriber resumes after the first event, which is read: its events do not depend on the time of its
    // connection.
    await call('POST', '/session', key, {});
    const first = await until('the first event', () => firstEvent(key), WAIT_TIMEOUT_MS);
    const collected: Collected[] = [first];
    const subscriber = follow(key, collected);

    let done = 0;
    const acknowledged: string[] = [];
    const accounts = Array.from({ length: 20 }, () => unique('account'));
    const writer = async () => {
      while (done < AUTHENTICATES) {
        const id = accounts[done++ % accounts.length]!;
        const { session_id } = await call('POST', '/session', key, { ip_address: '192.0.2.1' });
        await call('POST', '/session/authenticate', key, { session_id, account: { id } });
        acknowledged.push(`${session_id} ${id}`);
      }
    };
    const writing = Promise.all([writer(), writer(), writer(), writer()]);
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const threshold = Math.floor(((crash + 1) * AUTHENTICATES) / (CRASHES + 1));
      await until('the next crash', async () => done >= threshold, WAIT_TIMEOUT_MS);
      await kill(crash % 2);
      await startOne(crash % 2);
    }
    await writing;

    await until('all positions', async () => {
      const unnumbered = {
        name: 'test.unnumbered',
        text: 'select 1 from outbox_unnumbered_writes limit 1',
      };
      return (await database.system.query(unnumbered, [])).length === 0;
    });
    const stored = await database.system.query(
      {
        name: 'test.events',
        text: `select event_id, type, position, account_id from ${EVENTS_WITH_POSITIONS} where project_id = $1`,
      },
      [projectId],
    );
    const committed = new Set(stored.map(({ event_id }) => event_id as string));
    expect(committed.size).toBeGreaterThanOrEqual(AUTHENTICATES * 2);
    const distinct = (ids: readonly { id: string }[]) => new Set(ids.map(({ id }) => id));
    await until(
      'all by subscription',
      async () => distinct(collected).size >= committed.size,
      WAIT_TIMEOUT_MS,
    );
    await until('all by webhook', async () => distinct(received).size >= committed.size, WAIT_TIMEOUT_MS);
    await subscriber.stop();

    expect(distinct(collected)).toEqual(committed);
    expect(distinct(received)).toEqual(committed);
    // Each acknowledged one, by its own event.
    const authenticated = collected.filter(({ type }) => type === 'ACCOUNT_AUTHENTICATED');
    const pairs = new Set(authenticated.map(({ sessionId, accountId }) => `${sessionId} ${accountId}`));
    expect(acknowledged.length).toBeGreaterThanOrEqual(AUTHENTICATES);
    expect(acknowledged.filter((one) => !pairs.has(one))).toEqual([]);
    // Resuming by cursor repeats nothing; a webhook is repeated only when its receipt was lost with a gateway.
    expect(collected.length).toBe(committed.size);
    const repeated = received.length - committed.size;
    process.stdout.write(
      `${CRASHES} crashes, ${AUTHENTICATES} authenticates: ${committed.size} events, ${repeated} webhooks repeated ` +
        `(${((100 * repeated) / committed.size).toFixed(2)} %)\n`,
    );
    expect(repeated).toBeLessThanOrEqual(Math.max(MAX_REPEATED.few, committed.size * MAX_REPEATED.part));
    // Positions without a gap, and subscribers receive them in that order.
    const positions = stored.map(({ position }) => Number(position)).sort((a, b) => a - b);
    expect(positions).toEqual(positions.map((_, index) => index + 1));
    const placeOf = new Map(stored.map(({ event_id, position }) => [event_id as string, Number(position)]));
    const places = collected.map(({ id }) => placeOf.get(id)!);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // First receipts are in order for each account, even when a gateway died before sending.
    const accountOf = new Map(stored.map((row) => [row.event_id as string, row.account_id as string | null]));
    const firsts = [...new Set(received.map(({ id }) => id))].filter((id) => accountOf.get(id) !== null);
    const byAccount = Map.groupBy(firsts, (id) => accountOf.get(id)!);
    expect(byAccount.size).toBe(accounts.length);
    for (const ids of byAccount.values()) {
      const arrived = ids.map((id) => placeOf.get(id)!);
      expect(arrived.length).toBeGreaterThan(1);
      expect(arrived).toEqual(arrived.toSorted((a, b) => a - b));
    }
  });
});

/** A client that continues after the last received event, at whichever gateway responds. */
function follow(key: string, collected: Collected[]) {
  let isOver = false;
  let turn = 0;
  let dispose: (() => unknown) | null = null;
  const following = (async () => {
    while (!isOver) {
      const gateway = gateways[turn++ % gateways.length];
      if (!gateway) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const client = createClient({
        url: `${gateway.baseUrl.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { 'x-api-key': key },
        retryAttempts: 0,
      });
      dispose = () => client.dispose();
      await new Promise<void>((resolve) => {
        client.subscribe(
          {
            query:
              'subscription ($after: String) { events(after: $after) { id: eventId type cursor accountId sessionId } }',
            variables: { after: collected.at(-1)?.cursor ?? null },
          },
          {
            next: ({ data }) => void collected.push((data as { events: Collected }).events),
            error: () => resolve(),
            complete: () => resolve(),
          },
        );
      });
      await client.dispose();
    }
  })();
  return {
    async stop() {
      isOver = true;
      await dispose?.();
      await following;
    },
  };
}
