import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { csvFields } from '@vouchgraph/platform/csv';
import { WebSocket } from 'ws';
import { RESULTS, readOptions } from './support/options.ts';
import type { ServerProcess } from './support/processes.ts';
import { processTime, residentMegabytes } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { quantile } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Files of 10,000 and 100,000 addresses (1,000 and 10,000 with --quick) from the first byte sent to the last
 * row of the result: uploaded to a gateway, and imported by the command in a separate process. Memory is that
 * of the process above its idle level, sampled every 20 ms. Every row of the result is compared with the row
 * that was sent. Then authenticates with and without a concurrent upload: the time from sending the request to
 * the arrival of its event over a WebSocket.
 */
const options = readOptions();
const [SMALL, LARGE] = options.quick ? [1000, 10_000] : [10_000, 100_000];
const BAD_EVERY = 500;
const AUTHENTICATES_A_SECOND = 20;
const BASE_SECONDS = options.quick ? 5 : 15;
const MAX_SECONDS = 60;
const MAX_MEGABYTES = 100;
const MAX_EVENT_RATIO = 2;

type Measured = {
  rows: number;
  seconds: number;
  /** Of the process itself, without the database. */
  processorSeconds: number;
  megabytesAboveIdle: number;
  mistakes: string[];
};

const addressOf = (index: number, run: string) => `user${index}.${run}@mail${index % 997}.example.com`;

/** A table with a bad row among 500. */
function writeTable(file: string, rows: number, run: string): void {
  const lines = Array.from({ length: rows }, (_none, index) => {
    const address = index % BAD_EVERY === 7 ? '' : addressOf(index, run);
    return `${index},${address},Ann,Example ${index},+4930${1_000_000 + index},DE\n`;
  });
  writeFileSync(file, `id,email,first name,last name,phone,country\n${lines.join('')}`);
}

/** Compares every line of a result with the line that was sent. */
async function checkResult(lines: AsyncIterable<string>, rows: number, run: string): Promise<string[]> {
  const mistakes: string[] = [];
  let index = -1;
  let statusAt = 0;
  for await (const line of lines) {
    const fields = csvFields(line);
    if (index < 0) statusAt = fields.indexOf('email_status');
    else {
      const isBad = index % BAD_EVERY === 7;
      const right = isBad
        ? fields[1] === '' && fields[statusAt] === 'error' && fields[statusAt + 9] === 'email_missing'
        : fields[1] === addressOf(index, run) &&
          fields[statusAt] === 'success' &&
          fields[statusAt + 8] === fields[1];
      if (!right || fields[0] !== String(index)) mistakes.push(`row ${index}: ${line}`);
    }
    index += 1;
  }
  if (index !== rows) mistakes.push(`${index} rows instead of ${rows}`);
  return mistakes;
}

/** Peak memory and processor time of a process until the watch ends. */
function watch(pid: number) {
  let megabytes = 0;
  const before = processTime(pid);
  let processorSeconds = 0;
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, residentMegabytes(pid) || 0);
    processorSeconds = Math.max(processorSeconds, (processTime(pid) - before) / 1e6 || 0);
  }, 20);
  return {
    end() {
      clearInterval(timer);
      return { megabytes, processorSeconds };
    },
  };
}

/* Upload */

type Client = { gateway: ServerProcess; key: string };

async function call({ gateway, key }: Client, method: string, target: string, body?: unknown) {
  const response = await fetch(new URL(target, gateway.url), {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Streams a file and waits until all its rows are checked; returns its id. */
async function uploadAndWait(client: Client, file: string): Promise<string> {
  const request = httpRequest(new URL('/email/imports', client.gateway.url), {
    method: 'POST',
    headers: {
      'x-api-key': client.key,
      'content-type': 'text/csv',
      'content-length': (await stat(file)).size,
    },
  });
  createReadStream(file).pipe(request);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode !== 200) throw new Error(`upload: ${response.statusCode} ${text}`);
  const { import_id: id } = JSON.parse(text) as { import_id: string };
  for (;;) {
    const { status } = await call(client, 'GET', `/email/imports/${id}`);
    if (status === 'completed') return id;
    await delay(50);
  }
}

async function measureUpload(
  client: Client,
  file: string,
  rows: number,
  run: string,
  idle: number,
): Promise<Measured> {
  const watched = watch(client.gateway.pid);
  const startedAt = performance.now();
  const id = await uploadAndWait(client, file);
  const response = await fetch(new URL(`/email/imports/${id}/result.csv`, client.gateway.url), {
    headers: { 'x-api-key': client.key },
  });
  const lines = createInterface({ input: Readable.fromWeb(response.body as never) });
  const mistakes = await checkResult(lines, rows, run);
  const seconds = (performance.now() - startedAt) / 1000;
  const { megabytes, processorSeconds } = watched.end();
  return show('upload', { rows, seconds, processorSeconds, megabytesAboveIdle: megabytes - idle, mistakes });
}

/* Command */

async function runCommand(
  bench: Workbench,
  file: string,
): Promise<{ seconds: number; megabytes: number; processorSeconds: number }> {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'email', 'import', bench.project.projectId, file, '--json'], {
    env: { ...process.env, ...bench.environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const watched = watch(child.pid!);
  const [code] = await once(child, 'close');
  if (code !== 0 && code !== 1) throw new Error(`the command ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1000, ...watched.end() };
}

async function measureCommand(
  bench: Workbench,
  file: string,
  rows: number,
  run: string,
  idle: number,
): Promise<Measured> {
  const { seconds, megabytes, processorSeconds } = await runCommand(bench, file);
  const lines = createInterface({ input: createReadStream(file.replace(/\.csv$/, '.results.csv')) });
  const mistakes = await checkResult(lines, rows, run);
  return show('command', { rows, seconds, processorSeconds, megabytesAboveIdle: megabytes - idle, mistakes });
}

/** Prints each line immediately, since a whole run takes minutes. */
function show(name: string, measured: Measured): Measured {
  const { rows, seconds, processorSeconds, megabytesAboveIdle, mistakes } = measured;
  console.log(
    `${name} of ${rows} rows: ${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} s of CPU), ` +
      `${megabytesAboveIdle.toFixed(0)} MB above idle, ${mistakes.length} wrong rows`,
  );
  return measured;
}

/* Events beside an import */

type Latencies = { answers: number[]; events: number[] };

/**
 * Authenticates at a constant rate until the signal; returns the latencies of responses and events from sending
 * the request.
 */
async function authenticateUntil(
  client: Client,
  arrivals: Map<string, number>,
  signal: AbortSignal,
  name: string,
): Promise<Latencies> {
  const found: Latencies = { answers: [], events: [] };
  const pending: Promise<void>[] = [];
  const one = async (index: number) => {
    const id = `${name}-${index}`;
    const { session_id } = await call(client, 'POST', '/session', { ip: '203.0.113.7' });
    const sentAt = performance.now();
    await call(client, 'POST', '/session/authenticate', {
      session_id,
      account: { id, email: `${id}@example.com` },
    });
    found.answers.push(performance.now() - sentAt);
    while (!arrivals.has(id)) await delay(1);
    found.events.push(arrivals.get(id)! - sentAt);
  };
  for (let index = 0; !signal.aborted; index += 1) {
    pending.push(one(index));
    await delay(1000 / AUTHENTICATES_A_SECOND);
  }
  await Promise.all(pending);
  return found;
}

async function followEvents({ gateway, key }: Client) {
  const arrivals = new Map<string, number>();
  const socket = new WebSocket(new URL('/graphql', gateway.url).href.replace('http', 'ws'), [
    'graphql-transport-ws',
  ]);
  await once(socket, 'open');
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data));
    if (type === 'connection_ack')
      socket.send(
        JSON.stringify({
          id: '1',
          type: 'subscribe',
          payload: { query: 'subscription { events { type accountId } }' },
        }),
      );
    const event = payload?.data?.events;
    if (event?.type === 'ACCOUNT_AUTHENTICATED') arrivals.set(event.accountId, performance.now());
  });
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': key } }));
  await delay(500);
  return { arrivals, close: () => socket.terminate() };
}

async function measureEvents(client: Client, file: string) {
  const { arrivals, close } = await followEvents(client);
  const during = async (name: string, work: Promise<unknown>) => {
    const end = new AbortController();
    void work.finally(() => end.abort());
    return authenticateUntil(client, arrivals, end.signal, name);
  };
  await during('warm', delay(3000));
  const before = await during('before', delay(BASE_SECONDS * 1000));
  const beside = await during('beside', uploadAndWait(client, file));
  const after = await during('after', delay(BASE_SECONDS * 1000));
  close();
  return { alone: joined(before, after), beside };
}

const joined = (one: Latencies, other: Latencies): Latencies => ({
  answers: [...one.answers, ...other.answers],
  events: [...one.events, ...other.events],
});
const p99 = (values: readonly number[]) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.99,
  );
const p50 = (values: readonly number[]) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

/* All */

const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-email-import-'));
try {
  await withWorkbench(options, async (bench) => {
    bench.environment.MX_LOOKUPS = 'off';
    const table = (rows: number, run: string) => {
      const file = path.join(folder, `${run}.csv`);
      writeTable(file, rows, run);
      return file;
    };
    const commands: Measured[] = [];
    const { megabytes: idleCommand } = await runCommand(bench, table(1, 'one'));
    for (const rows of [SMALL, LARGE])
      commands.push(await measureCommand(bench, table(rows, `c${rows}`), rows, `c${rows}`, idleCommand));

    const gateway = await bench.startGateway();
    const client = { gateway, key: await bench.createSandboxKey() };
    const fresh = residentMegabytes(gateway.pid);
    // Code and lists that the first check loads remain in an idle gateway.
    await uploadAndWait(client, table(1000, 'warm'));
    await delay(3000);
    const idle = residentMegabytes(gateway.pid);
    const uploads: Measured[] = [];
    for (const rows of [SMALL, LARGE])
      uploads.push(await measureUpload(client, table(rows, `u${rows}`), rows, `u${rows}`, idle));
    const events = await measureEvents(client, table(LARGE, 'beside'));
    report({ commands, uploads, fresh, idle, idleCommand, events });
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

type Found = {
  commands: Measured[];
  uploads: Measured[];
  /** Of a gateway before its first check. */
  fresh: number;
  idle: number;
  idleCommand: number;
  events: Awaited<ReturnType<typeof measureEvents>>;
};

function report({ commands, uploads, fresh, idle, idleCommand, events }: Found): void {
  const line = (name: string, each: Measured) => [
    name,
    String(each.rows),
    each.seconds.toFixed(1),
    each.processorSeconds.toFixed(1),
    (each.rows / each.seconds).toFixed(0),
    each.megabytesAboveIdle.toFixed(0),
    String(each.mistakes.length),
  ];
  printTable(
    ['import', 'rows', 'seconds', 'CPU s', 'rows/s', 'MB above idle', 'wrong rows'],
    [...uploads.map((each) => line('upload', each)), ...commands.map((each) => line('command', each))],
  );
  const ratio = p99(events.beside.events) / p99(events.alone.events);
  const times = (name: string, { answers, events: arrived }: Latencies) => [
    name,
    String(arrived.length),
    ...[p50(answers), p99(answers), p50(arrived), p99(arrived)].map((value) => value.toFixed(1)),
  ];
  printTable(
    ['authenticates', 'number', 'answer p50 ms', 'answer p99 ms', 'event p50 ms', 'event p99 ms'],
    [times('alone', events.alone), times('beside an import', events.beside)],
  );
  const all = [...uploads, ...commands];
  const largest = all.filter(({ rows }) => rows === LARGE);
  const bars = [
    ['seconds, upload', uploads[1]!.seconds.toFixed(1), `< ${MAX_SECONDS}`],
    ['seconds, command', commands[1]!.seconds.toFixed(1), `< ${MAX_SECONDS}`],
    [
      'MB above idle',
      Math.max(...largest.map((each) => each.megabytesAboveIdle)).toFixed(0),
      `< ${MAX_MEGABYTES}`,
    ],
    ['event p99, beside / alone', ratio.toFixed(2), `≤ ${MAX_EVENT_RATIO}`],
    ['wrong rows', String(all.flatMap(({ mistakes }) => mistakes).length), '0'],
  ];
  printTable(['figure', 'value', 'bar'], bars);
  const machine = describeMachine();
  console.log(
    `\n${machine}; idle: gateway ${idle.toFixed(0)} MB (${fresh.toFixed(0)} MB before its first check), command ${idleCommand.toFixed(0)} MB`,
  );
  for (const { mistakes } of all) for (const mistake of mistakes.slice(0, 3)) console.log(mistake);
  mkdirSync(RESULTS, { recursive: true });
  const found = { machine, rows: LARGE, fresh, idle, idleCommand, uploads, commands, ratio, bars };
  writeFileSync(new URL('email-import.json', RESULTS), `${JSON.stringify(found, null, 2)}\n`);
  if (ratio > MAX_EVENT_RATIO || all.some(({ mistakes }) => mistakes.length > 0)) process.exitCode = 1;
}
