import { type ExecutionResult, GraphQLError } from 'graphql';
import pLimit from 'p-limit';
import type { WebSocket } from 'ws';
import { LIMITS } from '../../platform/limits.ts';
import { messageHead, type SharedResult } from './shared-result.ts';
import type { Outlet, Subscriber } from './subscriber.ts';
import type { SubscriptionRequest } from './subscription-state.ts';
import type { OpenedSubscription, Subscriptions } from './subscriptions.ts';

/** The code with which a socket closes that takes less than comes; the reason is the cursor to go on behind. */
const SLOW_CONSUMER = 4413;
const AS_TEXT = { binary: false };

type CursorAt = (position: number) => string;

/**
 * The subscriptions of one socket. Their results are written to the socket as they are, shared with others: the
 * protocol's library only sees a stream that gives nothing and ends.
 */
export class SocketLine {
  readonly socket: WebSocket;
  readonly #cursorAt: CursorAt;
  readonly #unwatch: () => void;
  readonly #subscribers = new Set<Subscriber>();
  readonly #inTurn = pLimit(1);
  #held = 0;

  constructor(socket: WebSocket, options: { cursorAt: CursorAt; unwatch: () => void }) {
    this.socket = socket;
    this.#cursorAt = options.cursorAt;
    this.#unwatch = options.unwatch;
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

  begin(opened: OpenedSubscription, outlet: Outlet): Subscriber {
    const subscriber = opened.start(outlet);
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  end(subscriber: Subscriber | null): void {
    this.#held -= 1;
    if (!subscriber) return;
    subscriber.stop();
    this.#subscribers.delete(subscriber);
  }

  /** Those that catch up do so one page after another, so that a socket that is not read holds one alone. */
  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#inTurn(work);
  }

  /** What was sent is still delivered before the close, so that whoever reads the reason has all up to there. */
  endSlow(): void {
    const positions = [...this.#subscribers].flatMap(({ position }) => position ?? []);
    closeSlow(this.socket, positions.length > 0 ? this.#cursorAt(Math.min(...positions)) : undefined);
  }

  close(): void {
    for (const subscriber of this.#subscribers) subscriber.stop();
    this.#subscribers.clear();
    this.#unwatch();
  }
}

/** The library ends the connection when the client does not read the close frame either. */
export function closeSlow(socket: WebSocket, reason = 'Too much unsent data'): void {
  if (socket.readyState === socket.OPEN) socket.close(SLOW_CONSUMER, reason);
}

function tooMany(): GraphQLError {
  const message = `A socket may hold ${LIMITS.subscriptionsPerSocket} subscriptions: open another one`;
  return new GraphQLError(message, {
    extensions: { code: 'subscription.too_many', kind: 'rate_limited', status: 429 },
  });
}

/** One of them, as the protocol's library sees it: it begins with the first pull, gives nothing, and may fail. */
export class HeldSubscription implements AsyncGenerator<ExecutionResult, void, void> {
  readonly #line: SocketLine;
  readonly #id: string;
  readonly #failed = Promise.withResolvers<never>();
  /** Let go once it has begun, with all that was needed to open it. */
  #opened: OpenedSubscription | null;
  #subscriber: Subscriber | null = null;
  #isOver = false;

  constructor(line: SocketLine, id: string, opened: OpenedSubscription) {
    this.#line = line;
    this.#id = id;
    this.#opened = opened;
    // Nobody may be waiting any more.
    this.#failed.promise.catch(() => {});
  }

  next(): Promise<IteratorResult<ExecutionResult, void>> {
    const opened = this.#opened;
    this.#opened = null;
    if (opened) this.#subscriber = this.#line.begin(opened, new SocketOutlet(this.#line, this, this.#id));
    return this.#failed.promise;
  }

  /**
   * Whoever pulled is left waiting, and is forgotten with it: the library would go on to end the operation under its
   * id, which the client may have given to another one by then.
   */
  return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<ExecutionResult, void>> {
    this.#end();
    this.#failed.reject(error);
    return this.#failed.promise;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#opened = null;
    this.#line.end(this.#subscriber);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

/** Writes to the socket under the id of one subscription. */
class SocketOutlet implements Outlet {
  readonly #line: SocketLine;
  readonly #held: HeldSubscription;
  readonly #head: string;

  constructor(line: SocketLine, held: HeldSubscription, id: string) {
    this.#line = line;
    this.#held = held;
    this.#head = messageHead(id);
  }

  next(result: SharedResult): void {
    const { socket } = this.#line;
    if (socket.readyState === socket.OPEN) socket.send(result.message(this.#head), AS_TEXT);
  }

  get waitingBytes(): number {
    const { socket } = this.#line;
    return socket.readyState === socket.OPEN ? socket.bufferedAmount : 0;
  }

  /** A frame of the protocol below, empty, is behind all that was sent. */
  flushed(): Promise<void> {
    const { socket } = this.#line;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => socket.pong('', false, () => resolve()));
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#line.inTurn(work);
  }

  fail(error: unknown): void {
    void this.#held.throw(error);
  }

  endSlow(): void {
    this.#line.endSlow();
  }
}
