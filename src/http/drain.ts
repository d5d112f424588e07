import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** How a server is closed. */
export type DrainOptions = {
  /** How long requests are served as before while readiness fails, so that load balancers notice. */
  delayMs?: number;
  /** How long idle connections stay open afterwards: a request may be on its way on one of them. */
  graceMs?: number;
  /** Ends delay and grace early. */
  skipWaits?: AbortSignal;
};

/** Connections that are not requests. */
export type LongLived = {
  streams: { close(): void };
  sockets: { close(): Promise<void>; terminate(): void };
};

/** From the beginning until connections are ended with their requests; the whole process has ten seconds to stop. */
const FORCE_AFTER_MS = 7500;
/** Handlers of requests whose client disconnected; the database must not be closed before they end. */
const HANDLERS_MS = 1000;

/** Closes an HTTP server without losing a request that it accepted. */
export class Drain {
  /** Open connections, each with the bytes that were read from it when its last exchange ended. */
  readonly #connections = new Map<Socket, number>();
  readonly #responses = new Set<ServerResponse>();
  readonly #handlers = new Set<Promise<void>>();
  #phase: 'serving' | 'stopping' | 'leaving' | 'closing' = 'serving';
  #closing: Promise<void> | undefined;

  /** Whether the server is going to close, so that it is not ready for more clients. */
  get isStopping(): boolean {
    return this.#phase !== 'serving';
  }

  watch(server: Server): void {
    const connections = this.#connections;
    const forget = function (this: Duplex) {
      connections.delete(this as Socket);
    };
    server.on('connection', (socket) => {
      connections.set(socket, 0);
      socket.on('close', forget);
    });
    // After an upgrade the connection is no longer HTTP.
    server.on('upgrade', (_request, socket) => {
      connections.delete(socket as Socket);
      socket.off('close', forget);
    });
  }

  /** Counts a request until it is answered. */
  begin(response: ServerResponse): void {
    const { socket } = response.req;
    this.#responses.add(response);
    if (this.#phase === 'leaving' || this.#phase === 'closing') announceClose(response);
    const settle = () => {
      // Pipelined requests wait in the buffer of the connection.
      const read = socket.bytesRead - socket.readableLength;
      if (this.#connections.has(socket)) this.#connections.set(socket, read);
      if (this.#phase === 'closing') this.#closeIdle();
    };
    response.once('close', () => {
      this.#responses.delete(response);
      settle();
    });
    // A refused body may be read to its end after the answer.
    response.req.once('close', settle);
  }

  /** Counts the work of a request, which may take longer than its client stays. */
  track(handler: Promise<void>): void {
    this.#handlers.add(handler);
    void handler.finally(() => this.#handlers.delete(handler));
  }

  /** Only the first call counts; all wait for the end. */
  close(server: Server, longLived: LongLived, options: DrainOptions = {}): Promise<void> {
    this.#closing ??= this.#close(server, longLived, options);
    return this.#closing;
  }

  async #close(server: Server, longLived: LongLived, options: DrainOptions): Promise<void> {
    const { delayMs = 0, graceMs = 0, skipWaits } = options;
    const force = setTimeout(() => {
      longLived.sockets.terminate();
      for (const socket of this.#connections.keys()) socket.destroy();
    }, FORCE_AFTER_MS);
    this.#phase = 'stopping';
    await pause(delayMs, skipWaits);
    this.#phase = 'leaving';
    for (const response of this.#responses) announceClose(response);
    longLived.streams.close();
    const socketsClosed = longLived.sockets.close();
    if (this.#connections.size > 0) await pause(graceMs, skipWaits);
    this.#phase = 'closing';
    // http.Server.close also destroys connections whose answer is written but not sent yet.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    this.#closeIdle();
    await Promise.all([closed, socketsClosed]);
    clearTimeout(force);
    await Promise.race([Promise.allSettled(this.#handlers), wait(HANDLERS_MS, undefined, { ref: false })]);
  }

  #closeIdle(): void {
    const answering = new Set([...this.#responses].map(({ req }) => req.socket));
    for (const [socket, received] of this.#connections) {
      // Bytes beyond those of the last request are the beginning of another one.
      if (!answering.has(socket) && socket.bytesRead === received) socket.destroySoon();
    }
  }
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

async function pause(milliseconds: number, skipWaits: AbortSignal | undefined): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal: skipWaits }).catch(() => {});
}
