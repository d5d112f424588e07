import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '@vouchgraph/platform/limits';
import { addressKey } from './address-key.ts';
import type { Budget } from './budget.ts';
import { ChunkCounter } from './chunk-counter.ts';
import { createSharedBudgets } from './shared-budgets.ts';
import { SlicedReading, type Slicer } from './sliced-reading.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Data without the end of a head. */
const MAX_SLICE = 8 * 1024;
const SLICES_PER_TURN = 4;
const MAX_CHUNKS_PER_SLICE = 1000;
/** So many small chunks of a body count as one pipelined request, after the first ones of each body. */
const SMALL_CHUNKS_PER_REQUEST = 50;
const FREE_SMALL_CHUNKS = 16;

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
  /** Whether the next request was received together with the one before. */
  #isNextPipelined = false;
  /** Whether the last slice ended within a head, which continues in the next one. */
  #isReadingHead = false;
  #chunks = new ChunkCounter();
  /** Of the current body. */
  #smallChunks = 0;
  /** Whether the last slice of the current body has small chunks, beyond the first ones of the body. */
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
    this.#isPipelined = this.#isNextPipelined;
    if (this.#isPipelined) this.#budget.spend(1);
    this.#current = request;
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0);
    this.#chunks = new ChunkCounter();
    this.#smallChunks = 0;
    this.#hasSmallChunks = false;
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
    // Head and body of a request may arrive together or in parts. Others of the address must not delay them.
    const isCounted = this.#isReadingBody ? this.#hasSmallChunks : this.#isNextPipelined;
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
    if (this.#isReadingBody) return this.#takeChunks(chunk);
    const end = chunk.indexOf(HEAD_END);
    this.#isReadingHead = end < 0 || end + HEAD_END.length > MAX_SLICE;
    const headLength = end < 0 ? chunk.length : end + HEAD_END.length;
    // Most requests arrive whole. One slice costs less than two.
    const mayBeWhole = headLength < chunk.length && chunk.length <= MAX_SLICE;
    if (mayBeWhole && headLength + contentLengthOf(chunk, end) === chunk.length) return chunk.length;
    return Math.min(headLength, MAX_SLICE);
  }

  #takeChunks(piece: Buffer): number {
    const { length, smallChunks } = this.#chunks.take(piece, MAX_CHUNKS_PER_SLICE);
    this.#smallChunks += smallChunks;
    this.#hasSmallChunks = smallChunks > 0 && this.#smallChunks > FREE_SMALL_CHUNKS;
    if (this.#hasSmallChunks) this.#budget.spend(smallChunks / SMALL_CHUNKS_PER_REQUEST);
    return length;
  }

  delivered(hasMore: boolean): void {
    if (!this.#isReadingHead) this.#isNextPipelined = hasMore;
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
