import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { LoadMessage, LoadReply, LoadResult, MixedLane } from './load-protocol.ts';
import { start, stop } from './processes.ts';

/** One HTTP request before it is text. */
export type BenchRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
};

export type Load = {
  /** Assigns requests to a lane; they go to `url` over persistent connections. */
  setRequests(lane: string, url: URL, requests: readonly BenchRequest[]): Promise<void>;
  run(lane: string, connections: number, seconds: number | null): Promise<LoadResult>;
  /**
   * Sends requests of several lanes by their shares and returns the result of each. With a rate, latencies count from when
   * a request was due, so that a server that stalls delays them all; without one the loop is closed.
   */
  runMix(lanes: readonly MixedLane[], options: MixOptions): Promise<LoadResult[]>;
  stop(): Promise<void>;
};

export type MixOptions = { connections: number; seconds: number; rate: number | null };

export function startLoad(): Load {
  const child = start(new URL('./load-process.ts', import.meta.url));
  return {
    async setRequests(lane, url, requests) {
      const texts = requests.map((request) => textOf(url, request));
      await ask(child, {
        kind: 'requests',
        lane,
        host: url.hostname,
        port: Number(url.port),
        requests: texts,
      });
    },
    async run(lane, connections, seconds) {
      const reply = await ask(child, { kind: 'run', lane, connections, seconds });
      if (reply.kind !== 'result') throw new Error('the load process answered out of turn');
      return reply;
    },
    async runMix(lanes, options) {
      const reply = await ask(child, { kind: 'mix', lanes, ...options });
      if (reply.kind !== 'results') throw new Error('the load process answered out of turn');
      return reply.results;
    },
    stop: () => stop(child),
  };
}

async function ask(child: ChildProcess, message: LoadMessage): Promise<LoadReply> {
  child.send(message);
  const [reply] = (await once(child, 'message')) as [LoadReply];
  if (reply.kind === 'error') throw new Error(`load: ${reply.message}`);
  return reply;
}

function textOf(url: URL, { method, path, headers = {}, body }: BenchRequest): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: url.host,
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
}
