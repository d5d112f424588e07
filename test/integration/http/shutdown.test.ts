import { once } from 'node:events';
import { Agent, get, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  type GatewayProcess,
  makeFolder,
  type Sandbox,
  start,
  until,
} from '../../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { PROTOCOL } from '../../support/websocket.ts';

/*
 * A gateway process that is stopped while clients use it. RUNS=20 repeats the stop under load, and prints the failures.
 * With READINESS=ignored the load continues until an answer closes its connection.
 */
const RUNS = Number(process.env.RUNS ?? 1);
const REQUESTS_PER_SECOND = 200;
/** Of the load balancer; further requests wait in it, and would go to another gateway. */
const MAX_CONNECTIONS = 50;
/** A gateway stops within ten seconds. On a busy machine it has less of the processor. */
const MAX_STOP_MS = 30_000;

let database: TestDatabase;
let folder: string;
let removeFolder: () => Promise<void>;
const started: GatewayProcess[] = [];
const masterKey = generateMasterKey();

beforeAll(async () => {
  database = await createTestDatabase();
  ({ folder, remove: removeFolder } = await makeFolder());
});
afterEach(async () => {
  for (const gateway of started.splice(0)) {
    gateway.signal('SIGKILL');
    await gateway.exited;
  }
});
afterAll(async () => {
  await database.drop();
  await removeFolder();
});

async function startHere(drainDelayMs: number) {
  const result = await start(folder, {
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: masterKey,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    DRAIN_DELAY_MS: String(drainDelayMs),
  });
  started.push(result.gateway);
  return result;
}

type Answer = { status: number; connection: string; body: string };

/** One request on a connection of the agent. */
function ask(sandbox: Sandbox, path: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = sandbox.base_url + path;
    const request = get(url, { agent, headers: { 'x-api-key': sandbox.api_key } }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, connection: response.headers.connection ?? '', body }),
      );
    });
    request.on('error', reject);
  });
}

/**
 * A load balancer in front of the gateway: it sends requests at a rate on persistent connections, and polls
 * readiness. Once the gateway is not ready, or closes a connection with a response, it gets no new requests.
 */
class LoadBalancer {
  readonly #sandbox: Sandbox;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  readonly #underWay = new Set<Promise<void>>();
  #isUsed = true;
  sent = 0;
  readonly failed: string[] = [];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Until the gateway is out of use and all requests have ended. */
  async run(): Promise<void> {
    const checks = process.env.READINESS === 'ignored' ? undefined : this.#checkReadiness();
    const startedAt = performance.now();
    while (this.#isUsed) {
      const due = ((performance.now() - startedAt) / 1000) * REQUESTS_PER_SECOND;
      while (this.#isUsed && this.sent < due && this.#underWay.size < MAX_CONNECTIONS) this.#send();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await checks;
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  async #checkReadiness(): Promise<void> {
    const agent = new Agent();
    while (this.#isUsed) {
      const { status } = await ask(this.#sandbox, '/readyz', agent).catch(() => ({ status: 0 }));
      if (status !== 200) this.#isUsed = false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #send(): void {
    this.sent += 1;
    const one = ask(this.#sandbox, '/account/nobody', this.#agent).then(
      ({ status, connection }) => {
        if (status !== 400) this.failed.push(String(status));
        if (connection === 'close') this.#isUsed = false;
      },
      (error: NodeJS.ErrnoException) => void this.failed.push(String(error.code)),
    );
    this.#underWay.add(one);
    void one.finally(() => this.#underWay.delete(one));
  }
}

describe('a gateway that is stopped under load', () => {
  it('answers every request, and exits', {
    timeout: 60_000 + RUNS * 30_000,
  }, async () => {
    const runs = [];
    for (let index = 0; index < RUNS; index += 1) {
      const { gateway, sandbox } = await startHere(3000);
      const balancer = new LoadBalancer(sandbox);
      const running = balancer.run();
      await until('some load', async () => balancer.sent > REQUESTS_PER_SECOND);
      const stoppedAt = performance.now();
      gateway.signal('SIGTERM');
      await running;
      const code = await gateway.exited;
      const stopMs = Math.round(performance.now() - stoppedAt);
      runs.push({ code, failed: balancer.failed, isInTime: stopMs < MAX_STOP_MS });
      if (process.env.RUNS)
        process.stdout.write(
          `run ${index + 1}: ${balancer.sent} sent, ${balancer.failed.length} failed (${[...new Set(balancer.failed)]}), ended with ${code} after ${stopMs} ms\n`,
        );
    }
    expect(runs).toEqual(runs.map(() => ({ code: 0, failed: [], isInTime: true })));
  });
});

describe('a gateway that receives SIGTERM', () => {
  it('is immediately not ready, still alive, and announces the close of the connection in its response', async () => {
    const { gateway, sandbox } = await startHere(2000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const own = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(sandbox, '/account/nobody', own)).connection).toBe('keep-alive');
    gateway.signal('SIGTERM');
    const notReady = await until('the end of readiness', async () => {
      const answer = await ask(sandbox, '/readyz', agent);
      return answer.status === 503 && answer;
    });
    expect(notReady).toEqual({ status: 503, connection: 'keep-alive', body: '{"status":"stopping"}' });
    expect((await ask(sandbox, '/livez', agent)).status).toBe(200);
    await until('an answer that closes the connection', async () => {
      const answer = await ask(sandbox, '/account/nobody', own);
      expect(answer.status).toBe(400);
      return answer.connection === 'close';
    });
    expect(await gateway.exited).toBe(0);
  });

  it('closes WebSockets with 1001, completes event streams, and answers running requests', async () => {
    const { gateway, sandbox } = await startHere(0);
    const socket = new WebSocket(`${sandbox.base_url.replace('http', 'ws')}/graphql`, [PROTOCOL]);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': sandbox.api_key } }));
    await once(socket, 'message');
    const closed = once(socket, 'close');
    const stream = await fetch(`${sandbox.base_url}/graphql`, {
      method: 'POST',
      headers: {
        'x-api-key': sandbox.api_key,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: 'subscription { events { type } }' }),
    });
    const body = JSON.stringify({ query: '{ __typename }' });
    const half = openRequest(`${sandbox.base_url}/graphql`, {
      method: 'POST',
      headers: {
        'x-api-key': sandbox.api_key,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    half.write(body.slice(0, 5));
    const answered = once(half, 'response');
    await until('the connection', async () => half.socket?.bytesWritten);
    // Answered after the incomplete request, which has been read by then.
    await fetch(`${sandbox.base_url}/livez`);
    gateway.signal('SIGTERM');
    expect((await closed)[0]).toBe(1001);
    expect(await stream.text()).toMatch(/^(:\n\n)+$/);
    half.end(body.slice(5));
    const [response] = await answered;
    expect(response).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
    response.resume();
    expect(await gateway.exited).toBe(0);
  });

  it('does not wait for load balancers after a second signal', async () => {
    const { gateway, sandbox } = await startHere(5000);
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    await until(
      'the end of readiness',
      async () => (await fetch(`${sandbox.base_url}/readyz`)).status === 503,
    );
    gateway.signal('SIGINT');
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
  });

  it('treats simultaneous signals as one: npm forwards the signal of its whole group', async () => {
    const { gateway } = await startHere(3000);
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    await until('the first line of the stop', async () => gateway.output().includes('Stopping'));
    gateway.signal('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(3000);
  });

  it('ends when a client never finishes its request', async () => {
    const { gateway, sandbox } = await startHere(3000);
    const { hostname, port } = new URL(sandbox.base_url);
    const client = connect(Number(port), hostname);
    client.on('error', () => {});
    client.write(
      `PUT /account/x HTTP/1.1\r\nHost: x\r\nx-api-key: ${sandbox.api_key}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await fetch(`${sandbox.base_url}/livez`);
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(MAX_STOP_MS);
    client.destroy();
  });
});
