import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import type { ClientsAnswer, ClientsQuestion } from '../../support/socket-clients.ts';
import { EVENTS, headOf, socketUrl } from '../../support/subscriptions.ts';

/*
 * Sockets that connect, receive events, complete their subscriptions and disconnect, repeatedly: they may leave
 * no memory. SOCKETS is their number; each needs a file of this process and one of the clients' (ulimit -n).
 */
const SOCKETS = Number(process.env.SOCKETS ?? 1000);
/** Memory that may remain: a part of the sockets' memory, plus normal variation. */
const MAX_LEFT = { ofTaken: 0.1, bytes: 2 * 2 ** 20 };
/** Memory that sockets leave grows in each round; other growth does not. */
const ROUNDS = 3;
const WAIT_TIMEOUT_MS = 30_000 + SOCKETS * 20;
const NOBODY = { projects: 0, groups: 0, subscribers: 0, sockets: 0, streams: 0 };

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let clients: ChildProcess;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  clients = fork(new URL('../../support/socket-clients.ts', import.meta.url), { execArgv: [] });
});
afterAll(async () => {
  clients.disconnect();
  await once(clients, 'exit');
  await gateway.close();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function ask(question: ClientsQuestion): Promise<void> {
  const answered = once(clients, 'message');
  clients.send(question);
  expect(((await answered) as [ClientsAnswer])[0].mistakes).toEqual([]);
}

const until = (expected: Partial<typeof NOBODY>) =>
  vi.waitFor(() => expect(gateway.app.realtimeCounts()).toMatchObject(expected), {
    timeout: WAIT_TIMEOUT_MS,
    interval: 10,
  });

/** Resources of the process: bytes, and handles with callbacks. */
function held() {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const sockets = resources.filter((name) => /^TCP/.test(name)).length;
  return {
    bytes: heapUsed + external,
    sockets,
    timers: resources.filter((name) => name === 'Timeout').length,
  };
}

async function round(write: Awaited<ReturnType<typeof createEventWriter>>, count: number): Promise<number> {
  const after = await headOf(project);
  const url = socketUrl(gateway.baseUrl);
  await ask({ kind: 'open', url, key: project.key, count, query: EVENTS, after });
  await until({ projects: 1, groups: 1, subscribers: count, sockets: count });
  const { bytes } = held();
  await write([{ type: 'rule.custom', data: { n: 1 } }]);
  await ask({ kind: 'await', n: 1 });
  // Every second one has completed its subscription, and receives no further events.
  await until({ subscribers: Math.ceil(count / 2), sockets: count });
  await write([{ type: 'rule.custom', data: { n: 2 } }]);
  await ask({ kind: 'await', n: 2 });
  await ask({ kind: 'drop' });
  await until(NOBODY);
  await gateway.app.settleEvents();
  return bytes;
}

/** Null when no additional resource is left. */
async function lookedAt(before: ReturnType<typeof held>, open: number): Promise<unknown> {
  const maxLeft = Math.max(0, open - before.bytes) * MAX_LEFT.ofTaken + MAX_LEFT.bytes;
  const failed = await vi
    .waitFor(
      () => {
        const after = held();
        expect(after.bytes).toBeLessThanOrEqual(before.bytes + maxLeft);
        expect(after.sockets).toBeLessThanOrEqual(before.sockets);
        expect(after.timers).toBeLessThanOrEqual(before.timers + 2);
      },
      { timeout: 50_000, interval: 100 },
    )
    .then(
      () => null,
      (error: unknown) => error,
    );
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  process.stdout.write(
    `${SOCKETS} sockets: ${megabytes(before.bytes)} MB before, ${megabytes(open)} MB with all, ` +
      `${megabytes(held().bytes)} MB after; timers ${before.timers} and ${held().timers}\n`,
  );
  return failed;
}

describe(`${SOCKETS} sockets`, () => {
  it('receive no events after completion, and leave neither memory nor listeners', {
    timeout: WAIT_TIMEOUT_MS * (2 + ROUNDS),
  }, async () => {
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    // The first rounds allocate permanent resources: code, connections to the database, statements.
    for (const part of [0.2, 0.2, 0.5]) await round(write, Math.round(SOCKETS * part));
    for (let turn = 1; ; turn += 1) {
      const before = held();
      const open = await round(write, SOCKETS);
      const looked = await lookedAt(before, open);
      if (looked === null) break;
      if (turn === ROUNDS) throw looked;
    }
  });
});
