import { type ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, type Context, MessageType } from 'graphql-ws';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import type { AppError } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Logger } from '../../platform/logger.ts';
import { presentError } from '../graphql/errors.ts';
import { closeSlow, type GuardedSocket } from './guarded-socket.ts';
import { escapeId, type SharedResult } from './shared-result.ts';
import type { Outlet, Subscriber } from './subscriber.ts';
import type { SubscriptionRequest } from './subscription-state.ts';
import type { OpenedSubscription, Subscriptions } from './subscriptions.ts';
import type { ViewerHolder, WatchedViewer } from './viewer-watch.ts';

/** Shared dependencies of all sockets. */
export type LineDeps = {
  cursorAt: (project: Project, position: number) => string;
  log: Logger;
};

type Operations = Pick<Context, 'subscriptions'>;

/**
 * The subscriptions of one socket. Their results are written to the socket as they are, shared with others: the
 * protocol's library only sees an empty stream that ends.
 */
export class SocketLine implements ViewerHolder {
  readonly guarded: GuardedSocket;
  /** Key of the limit of open sockets. */
  readonly limitKey: string;
  readonly #project: Project;
  /** The library's map of the client's operations by id. */
  readonly #operations: Operations;
  readonly #deps: LineDeps;
  #turn: Promise<void> | null = null;
  #held = 0;
  /** Set once the line is watched. */
  watched: WatchedViewer | null = null;

  constructor(guarded: GuardedSocket, viewer: Viewer, operations: Operations, deps: LineDeps) {
    this.guarded = guarded;
    this.limitKey = viewer.keyId ?? viewer.limitKey;
    this.#project = viewer.project;
    this.#operations = operations;
    this.#deps = deps;
  }

  async subscribe(
    subscriptions: Subscriptions,
    id: string,
    request: SubscriptionRequest,
  ): Promise<HeldSubscription | { errors: readonly GraphQLError[] }> {
    if (this.#held >= LIMITS.subscriptionsPerSocket) return { errors: [tooMany()] };
    this.#held += 1;
    const opened = await subscriptions.open(request).catch((error: unknown) => {
      this.#held -= 1;
      throw error;
    });
    if (!('errors' in opened)) return new HeldSubscription(this, id, opened);
    this.#held -= 1;
    return opened;
  }

  release(): void {
    this.#held -= 1;
  }

  /** Those that catch up do so one page after another, so that a socket that is not read holds one alone. */
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
  fail(held: HeldSubscription, id: string, error: unknown): void {
    const { subscriptions } = this.#operations;
    if (subscriptions[id] !== held) return;
    delete subscriptions[id];
    const payload = [presentError(error, this.#deps.log, '').toJSON()];
    this.guarded.send(JSON.stringify({ id, type: MessageType.Error, payload }));
  }

  /** Delivers sent data before the close, so that the cursor in the close reason is complete. */
  endSlow(): void {
    const positions = Object.values(this.#operations.subscriptions).flatMap((held) =>
      held instanceof HeldSubscription ? (held.position ?? []) : [],
    );
    const cursor =
      positions.length > 0 ? this.#deps.cursorAt(this.#project, Math.min(...positions)) : undefined;
    closeSlow(this.guarded.socket, cursor);
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
 * One of them. The protocol's library sees a stream that begins with the first pull and gives nothing; results and errors
 * are sent past it, under the id of the subscription.
 */
export class HeldSubscription implements AsyncGenerator<ExecutionResult, void, void>, Outlet {
  readonly #line: SocketLine;
  readonly #id: string;
  readonly #escapedId: string;
  /** Let go once it has begun, with all that was needed to open it. */
  #opened: OpenedSubscription | null;
  #subscriber: Subscriber | null = null;
  #isOver = false;

  constructor(line: SocketLine, id: string, opened: OpenedSubscription) {
    this.#line = line;
    this.#id = id;
    this.#escapedId = escapeId(id);
    this.#opened = opened;
  }

  /** Position through which it was sent everything; null before its beginning is known. */
  get position(): number | null {
    return this.#subscriber?.position ?? null;
  }

  /**
   * The library waits for this promise with all that it knows of the operation. Nothing refers to the promise, so that both
   * are garbage at once; errors are sent by `fail`.
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
    const { guarded } = this.#line;
    if (guarded.isOpen) result.writeMessage(guarded.stream, this.#escapedId);
  }

  get waitingBytes(): number {
    const { guarded } = this.#line;
    return guarded.isOpen ? guarded.stream.writableLength : 0;
  }

  /** A frame of the protocol below, empty, is behind all that was sent. */
  flushed(): Promise<void> {
    const { isOpen, socket } = this.#line.guarded;
    if (!isOpen) return Promise.resolve();
    return new Promise((resolve) => socket.pong('', false, () => resolve()));
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#line.inTurn(work);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#line.fail(this, this.#id, error);
  }

  endSlow(): void {
    this.#line.endSlow();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#opened = null;
    this.#line.release();
    this.#subscriber?.stop();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
