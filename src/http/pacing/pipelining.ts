import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../../platform/limits.ts';
import { addressKey } from '../address-key.ts';
import type { Budget } from './budget.ts';
import { createSharedBudgets } from './shared-budgets.ts';
import { SlicedReading, type Slicer } from './sliced-reading.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Data without the end of a head: a body in chunks, of which each can be a byte. */
const MAX_SLICE = 8 * 1024;
const SLICES_PER_TURN = 4;
/**
 * Shorter chunks of a body cost more than their bytes: 50 of them count as one pipelined request. Their length is an
 * average, since the network cuts long chunks into pieces of any length.
 */
const SMALL_CHUNK_BYTES = 64;
const SMALL_CHUNKS_PER_REQUEST = 50;
const AVERAGED_CHUNKS = 16;
const LINE_FEED = 0x0a;

type PipeliningLimits = {
  readonly pipelinedRequestsPerSecond: number;
  readonly pipelinedRequestsAtOnce: number;
};

export type Pipelining = {
  /** Counts a request until it is answered. Its connection reads the next one afterwards. */
  begin(request: IncomingMessage, response: ServerResponse): void;
};

/**
 * Answers the requests of a connection one at a time. Node.js parses and starts all requests that it received together:
 * two thousand of a chunk of 64 KB, before another connection has its turn.
 */
export function limitPipelining(
  server: Server,
  { pipelinedRequestsPerSecond, pipelinedRequestsAtOnce }: PipeliningLimits = LIMITS,
): Pipelining {
  const budgets = createSharedBudgets(pipelinedRequestsPerSecond, pipelinedRequestsAtOnce);
  const connections = new WeakMap<object, PacedConnection>();
  server.on('connection', (socket) => {
    connections.set(socket, new PacedConnection(socket, budgets(addressKey(socket.remoteAddress ?? ''))));
  });
  server.on('upgrade', (_request, socket) => connections.get(socket)?.stop());
  return {
    begin: (request, response) => connections.get(request.socket)?.begin(request, response),
  };
}

const CONTENT_LENGTH = /\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n/i;

/** The length of a body that its head states. Node.js rejects heads that state more than one. */
function contentLengthOf(chunk: Buffer, headEnd: number): number {
  const [, length = '0'] = CONTENT_LENGTH.exec(chunk.toString('latin1', 0, headEnd + 2)) ?? [];
  return Number(length);
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (const byte of text) if (byte === LINE_FEED) lines += 1;
  return lines;
}

class PacedConnection implements Slicer {
  readonly #socket: Socket;
  /** Of the peer: a proxy that pools connections sends requests one after the other. */
  readonly #budget: Budget;
  readonly #reading: SlicedReading;
  #current: IncomingMessage | null = null;
  #unanswered = 0;
  /** Bytes of the body of the current request that are still to come; 0 for a body in chunks. */
  #bodyLeft = 0;
  #slices = 0;
  #hasMore = false;
  /** Chunks of the current body and their bytes, since their average length was judged. */
  #chunks = 0;
  #chunkBytes = 0;
  /** Whether the last chunks of the current body were small. */
  #hasSmallChunks = false;
  /** Whether the current request was received together with the one before. */
  #isPipelined = false;
  #wake: (() => void) | null = null;
  readonly #end: (() => void) | undefined;

  constructor(socket: Socket, budget: Budget) {
    this.#socket = socket;
    this.#budget = budget;
    this.#reading = new SlicedReading(socket, this);
    // Node.js adds its listener last.
    this.#end = socket.listeners('end').at(-1) as (() => void) | undefined;
    if (this.#end) socket.removeListener('end', this.#end).on('end', this.#onEnd);
  }

  stop(): void {
    this.#reading.stop();
    this.#socket.removeListener('end', this.#onEnd);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    // Received together with the request before it.
    this.#isPipelined = this.#hasMore;
    if (this.#isPipelined) this.#budget.spend(1);
    this.#current = request;
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0);
    this.#forgetChunks();
    this.#unanswered += 1;
    response.once('close', this.#answered);
  }

  mayRead(wake: () => void): boolean {
    if (this.#unanswered > 0 && this.#current!.complete) {
      this.#wake = wake;
      return false;
    }
    if (this.#slices >= SLICES_PER_TURN) {
      this.#slices = 0;
      setImmediate(wake);
      return false;
    }
    // A body that arrived with its head is of the same request, which others of the address must not delay.
    const isCounted = this.#isReadingBody ? this.#hasSmallChunks : this.#hasMore;
    if (isCounted && this.#budget.waitMs() > 0) {
      this.#budget.wait(wake);
      return false;
    }
    return true;
  }

  get #isReadingBody(): boolean {
    return this.#current !== null && !this.#current.complete;
  }

  take(chunk: Buffer): number {
    if (this.#bodyLeft > 0 && this.#isReadingBody) {
      const length = Math.min(this.#bodyLeft, chunk.length);
      this.#bodyLeft -= length;
      return length;
    }
    const end = chunk.indexOf(HEAD_END);
    const headLength = end < 0 ? chunk.length : end + HEAD_END.length;
    if (this.#isReadingBody) return this.#takeChunks(chunk.subarray(0, Math.min(headLength, MAX_SLICE)));
    // Most requests arrive whole. One slice costs less than two.
    const mayBeWhole = headLength < chunk.length && chunk.length <= MAX_SLICE;
    if (mayBeWhole && headLength + contentLengthOf(chunk, end) === chunk.length) return chunk.length;
    return Math.min(headLength, MAX_SLICE);
  }

  /** A part of a body in chunks, which ends like a head. */
  #takeChunks(slice: Buffer): number {
    this.#chunks += countLines(slice) / 2;
    this.#chunkBytes += slice.length;
    if (this.#chunkBytes < this.#chunks * SMALL_CHUNK_BYTES) {
      if (this.#chunks < AVERAGED_CHUNKS) return slice.length;
      this.#budget.spend(this.#chunks / SMALL_CHUNKS_PER_REQUEST);
      this.#forgetChunks(true);
    } else if (this.#chunkBytes >= AVERAGED_CHUNKS * SMALL_CHUNK_BYTES) this.#forgetChunks(false);
    return slice.length;
  }

  #forgetChunks(wereSmall = false): void {
    this.#chunks = 0;
    this.#chunkBytes = 0;
    this.#hasSmallChunks = wereSmall;
  }

  delivered(hasMore: boolean): void {
    this.#hasMore = hasMore;
    if (hasMore) this.#slices += 1;
    else this.#slices = 0;
  }

  resume(): void {
    // Node.js has paused a connection whose answers are not read, and resumes it itself.
    const { _paused: isPausedByNode } = this.#socket as { _paused?: boolean };
    if (!isPausedByNode) this.#socket.resume();
  }

  /** Node.js ends the connection, also before the answer to a request that it received late. */
  readonly #onEnd = () => {
    if (this.#isPipelined && this.#unanswered > 0) this.#wake = () => this.#end!.call(this.#socket);
    else this.#end!.call(this.#socket);
  };

  readonly #answered = () => {
    this.#unanswered -= 1;
    const wake = this.#wake;
    this.#wake = null;
    if (wake) setImmediate(wake);
  };
}
