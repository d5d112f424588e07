import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { LoadMessage, LoadReply, LoadResult } from './load-protocol.ts';
import { RawConnection } from './raw-connection.ts';
import { quantile } from './statistics.ts';

/* The load: a closed loop over kept connections, in a process of its own. */

const SAMPLE_EVERY = 100;

type Lane = { host: string; port: number; requests: Buffer[]; connections: RawConnection[]; next: number };
const lanes = new Map<string, Lane>();

function setRequests(message: Extract<LoadMessage, { kind: 'requests' }>): void {
  const { lane: name, host, port } = message;
  const requests = message.requests.map((text) => Buffer.from(text));
  const lane = lanes.get(name);
  if (lane) Object.assign(lane, { requests, next: 0 });
  else lanes.set(name, { host, port, requests, connections: [], next: 0 });
}

async function run(message: Extract<LoadMessage, { kind: 'run' }>): Promise<LoadResult> {
  const lane = lanes.get(message.lane)!;
  lane.connections = lane.connections.filter((connection) => connection.isOpen);
  while (lane.connections.length < message.connections) {
    lane.connections.push(await RawConnection.open(lane.host, lane.port));
  }
  const samples: LoadResult['samples'] = [];
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const until = message.seconds === null ? Number.POSITIVE_INFINITY : startedAt + message.seconds * 1000;
  const last = message.seconds === null ? lane.requests.length : Number.POSITIVE_INFINITY;
  if (message.seconds === null) lane.next = 0;
  const work = async (connection: RawConnection) => {
    while (lane.next < last) {
      const index = lane.next++ % lane.requests.length;
      const sentAt = performance.now();
      if (sentAt >= until) return;
      const { status, body, encoding } = await connection.send(lane.requests[index]!);
      latencies.push(performance.now() - sentAt);
      const failed = status < 200 || status > 299;
      if (failed) failures += 1;
      if (latencies.length % SAMPLE_EVERY === 1 || (failed && failures === 1)) {
        samples.push({ index, status, body: textOf(body, encoding) });
      }
    }
  };
  await Promise.all(lane.connections.slice(0, message.connections).map(work));
  const elapsedMs = performance.now() - startedAt;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    elapsedMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    failures,
    samples,
  };
}

function textOf(body: Buffer, encoding: string): string {
  if (encoding === '') return body.toString('utf8');
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString('utf8');
}

const reply = (message: LoadReply) => process.send!(message);

process.on('message', (message: LoadMessage) => {
  if (message.kind === 'requests') {
    setRequests(message);
    reply({ kind: 'ready' });
    return;
  }
  run(message).then(
    (result) => reply({ kind: 'result', ...result }),
    (error: unknown) => reply({ kind: 'error', message: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
