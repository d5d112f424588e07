import type { AppError } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Logger } from '@vouchgraph/platform/logger';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, type Context, MessageType } from 'graphql-ws';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import { presentError } from '../graphql/errors.ts';
import { closeSlow, type GuardedSocket } from './guarded-socket.ts';
import { escapeId, type SharedResult } from './shared-result.ts';
import type { Sink, Subscriber } from './subscriber.ts';
import type { SubscriptionRequest } from './subscription-state.ts';
import type { OpenedSubscription, Subscriptions } from './subscriptions.ts';
import type { ViewerHolder, WatchedViewer } from './viewer-watch.ts';

/** Shared dependencies of all sockets. */
export type SocketDeps = {
  cursorAt: (project: Project, position: number) => string;
  log: Logger;
};

/** A key, its browser tokens included. */
export function socketKeyOf({ keyId, limitKey }: Viewer): string {
  return keyId ?? limitKey;
}

type Operations = Pick<Context, 'subscriptions'>;

/**
 * An authenticated WebSocket and its subscriptions. Results that many sockets share are written to the socket directly: the
 * library of the protocol sees an empty stream that completes.
 */
export class AuthenticatedSocket implements ViewerHolder {
  readonly guarded: GuardedSocket;
  /** Of the limits of sockets. */
  readonly limitKey: string;
  readonly #project: Project;
  /** The library's map of the client's operations by id. */
  readonly #operations: Operations;
  readonly #deps: SocketDeps;
  #turn: Promise<void> | null = null;
  #count = 0;
  /** Null until the socket is watched. */
  watched: WatchedViewer | null = null;

  constructor(guarded: GuardedSocket, viewer: Viewer, operations: Operations, deps: SocketDeps) {
    this.guarded = guarded;
    this.limitKey = socketKeyOf(viewer);
    this.#project = viewer.project;
    this.#operations = operations;
    this.#deps = deps;
  }

  async subscribe(
    subscriptions: Subscriptions,
    id: string,
    request: SubscriptionRequest,
  ): Promise<SocketSubscription | { errors: readonly GraphQLError[] }> {
    if (this.#count >= LIMITS.subscriptionsPerSocket) return { errors: [tooMany()] };
    this.#count += 1;
    const opened = await subscriptions.open(request).catch((error: unknown) => {
      this.#count -= 1;
      throw error;
    });
    if (!('errors' in opened)) return new SocketSubscription(this, id, opened);
    this.#count -= 1;
    return opened;
  }

  release(): void {
    this.#count -= 1;
  }

  /** Subscriptions that catch up read one page after another, so that an unread socket buffers at most one page. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn === null ? work() : this.#turn.then(work);
    const turn = done
      .catch(() => {})
      .then(() => {
        if (this.#turn === turn) this.#turn = null;
      });
    this.#turn = turn;
    return done;
  }

  /** Ends a subscription with an error, unless its id belongs to another one by now. */
  fail(subscription: SocketSubscription, id: string, error: unknown): void {
    const { subscriptions } = this.#operations;
    if (subscriptions[id] !== subscription) return;
    delete subscriptions[id];
    const payload = [presentError(error, this.#deps.log, '').toJSON()];
    this.guarded.send(JSON.stringify({ id, type: MessageType.Error, payload }));
  }

  /**
   * Delivers sent data before the close, so that the cursor in the close reason is complete. Subscriptions end at once: reading
   * the rest takes a slow consumer seconds.
   */
  disconnectSlow(): void {
    const running = Object.values(this.#operations.subscriptions).filter(
      (subscription) => subscription instanceof SocketSubscription,
    );
    const positions = running.flatMap(({ position }) => position ?? []);
    const cursor =
      positions.length > 0 ? this.#deps.cursorAt(this.#project, Math.min(...positions)) : undefined;
    closeSlow(this.guarded.socket, cursor);
    for (const subscription of running) void subscription.return();
  }

  /** Messages of errors of this kind have at most 123 bytes, as the protocol requires. */
  endAccess({ message }: AppError): void {
    this.guarded.close(CloseCode.Forbidden, message);
  }
}

function tooMany(): GraphQLError {
  const message = `A WebSocket can have at most ${LIMITS.subscriptionsPerSocket} subscriptions: open another one`;
  return new GraphQLError(message, {
    extensions: { code: 'subscription.too_many', kind: 'rate_limited', status: 429 },
  });
}

/**
 * One subscription of a socket. The library of the protocol sees an empty stream that starts with the first pull. Results and
 * errors bypass it and are sent under the id of the subscription.
 */
export class SocketSubscription implements AsyncGenerator<ExecutionResult, void, void>, Sink {
  readonly #socket: AuthenticatedSocket;
  readonly #id: string;
  readonly #escapedId: string;
  /** Null after the start, so that everything that opening it needed is garbage. */
  #opened: OpenedSubscription | null;
  #subscriber: Subscriber | null = null;
  #isCompleted = false;

  constructor(socket: AuthenticatedSocket, id: string, opened: OpenedSubscription) {
    this.#socket = socket;
    this.#id = id;
    this.#escapedId = escapeId(id);
    this.#opened = opened;
  }

  /** Position through which all events were sent; null before its start position is known. */
  get position(): number | null {
    return this.#subscriber?.position ?? null;
  }

  /**
   * The library waits for this promise and references the operation from it. Nothing references the promise, so that both
   * are collected together. `fail` sends errors.
   */
  next(): Promise<IteratorResult<ExecutionResult, void>> {
    const opened = this.#opened;
    this.#opened = null;
    if (opened) this.#subscriber = opened.start(this);
    return new Promise(() => {});
  }

  return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<ExecutionResult, void>> {
    this.fail(error);
    return this.return();
  }

  send(result: SharedResult): void {
    const { guarded } = this.#socket;
    if (guarded.isOpen) result.writeMessage(guarded.stream, this.#escapedId);
  }

  get waitingBytes(): number {
    const { guarded } = this.#socket;
    return guarded.isOpen ? guarded.stream.writableLength : 0;
  }

  /** Sends an empty pong frame, which follows all data that was sent. */
  flushed(): Promise<void> {
    const { isOpen, socket } = this.#socket.guarded;
    if (!isOpen) return Promise.resolve();
    return new Promise((resolve) => socket.pong('', false, () => resolve()));
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#socket.inTurn(work);
  }

  fail(error: unknown): void {
    if (this.#isCompleted) return;
    this.#end();
    this.#socket.fail(this, this.#id, error);
  }

  disconnectSlow(): void {
    this.#socket.disconnectSlow();
  }

  #end(): void {
    if (this.#isCompleted) return;
    this.#isCompleted = true;
    this.#opened = null;
    this.#socket.release();
    this.#subscriber?.stop();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
