import type { Duplex } from 'node:stream';
import { type Heartbeats, type MessageBudgets, SocketPace } from '@vouchgraph/pacing';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Logger } from '@vouchgraph/platform/logger';
import { CloseCode, MessageType, stringifyMessage } from 'graphql-ws';
import { WebSocket } from 'ws';
import { parseMessage } from './socket-message.ts';

/** An unacknowledged client needs one message of a few hundred bytes: `connection_init`. */
const MAX_MESSAGES_BEFORE_ACK = 16;
const MAX_BYTES_BEFORE_ACK = 32 * 1024;
/** A client has this long to introduce itself. */
const INIT_TIMEOUT_MS = 5_000;
/** A client that pings with more unsent data than this is not read from until it has read. */
const MAX_UNSENT_FOR_PING = 16 * 1024;
/** Short messages need more memory than their bytes. */
const MAX_UNSENT_MESSAGES = 4096;
/** Reading from a client pauses while this many of its operations are checked and executed. */
const MAX_OPERATIONS = 32;

const POLICY_VIOLATION = 1008;
const TOO_MUCH_BEFORE_ACK = 'Too much was sent before connection_ack';
/** As HTTP's 429; the protocol uses the code for a second `connection_init`. */
const TOO_MANY_MESSAGES = 4429;
/** The close code of a slow consumer; the reason is the cursor to resume from. */
const SLOW_CONSUMER = 4413;
/** A client that is refused has this long to read why. */
const REFUSAL_MS = 1000;
const AS_TEXT = { binary: false };

/** A socket of the library. Its listeners find the guard here: they are the same functions for all sockets. */
export class ClientSocket extends WebSocket {
  guarded: GuardedSocket | null = null;
}

type OnMessage = (text: string) => Promise<void>;
type OnClosed = (code: number, reason: string) => Promise<void>;

/** Shared dependencies of all sockets. */
export type SocketHost = {
  readonly log: Logger;
  readonly sockets: Heartbeats<GuardedSocket>;
  readonly messages: MessageBudgets;
};

/**
 * One WebSocket with its limits: messages, unsent data, concurrent operations. The library of the
 * protocol sends and receives through it. There are many of them: each is small.
 */
export class GuardedSocket {
  readonly socket: ClientSocket;
  /** The connection below the socket. */
  readonly stream: Duplex;
  /** Closes the socket of a slow consumer with the cursor to resume from. */
  subscriptions: { disconnectSlow(): void } | null = null;
  readonly #host: SocketHost;
  readonly #pace: SocketPace;
  #onMessage: OnMessage | null = null;
  #onClosed: OnClosed | null = null;
  #introduction: NodeJS.Timeout | null;
  #isAcknowledged = false;
  #messages = 0;
  #bytes = 0;
  #unsent = 0;
  #operations = 0;
  #settled: PromiseWithResolvers<void> | null = null;
  #isAlive = true;
  #isUnread = false;

  constructor(socket: ClientSocket, stream: Duplex, host: SocketHost) {
    this.socket = socket;
    this.stream = stream;
    this.#host = host;
    this.#pace = new SocketPace(stream, this, host.messages.ofSocket(), host.messages.maxExcessMs);
    host.sockets.add(this);
    socket.guarded = this;
    socket.on('message', onMessage).on('ping', onPing).on('pong', onPong);
    socket.on('error', onError).on('close', onClose);
    this.#introduction = setTimeout(endUnknown, INIT_TIMEOUT_MS, socket);
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  onMessage(handle: OnMessage): void {
    this.#onMessage = handle;
  }

  onClosed(handle: OnClosed): void {
    this.#onClosed = handle;
  }

  /** Stops the timeout of the authentication: the client has introduced itself. */
  introduced(): void {
    if (this.#introduction) clearTimeout(this.#introduction);
    this.#introduction = null;
  }

  /** From now on the client is known: its messages count against the budget of its key. */
  acknowledge(key: string): void {
    this.#isAcknowledged = true;
    this.#pace.share(this.#host.messages.ofKey(key));
  }

  received(text: string): void {
    this.#countMessage();
    // A client may send on while its socket is being closed.
    if (!this.isOpen || !this.#onMessage) return;
    this.#onMessage(parseMessage(text)).catch((error: unknown) => {
      this.#host.log.error({ err: error }, 'a WebSocket message failed');
      this.socket.close(CloseCode.InternalServerError, 'Internal server error');
    });
  }

  send(text: string): void {
    if (!this.isOpen) return;
    const isSlow =
      this.socket.bufferedAmount > LIMITS.waitingBytesPerSubscriber || this.#unsent > MAX_UNSENT_MESSAGES;
    if (isSlow) {
      this.#disconnectSlow();
      return;
    }
    this.#unsent += 1;
    this.socket.send(text, AS_TEXT, () => {
      this.#unsent -= 1;
    });
  }

  close(code?: number, reason?: string): void {
    this.socket.close(code, reason);
  }

  /** Answers a ping of the protocol. */
  onPing(payload: Record<string, unknown> | undefined): void {
    const text = stringifyMessage({ type: MessageType.Pong, ...(payload && { payload }) });
    this.#pong((done) => this.socket.send(text, AS_TEXT, done));
  }

  pinged(data: Buffer): void {
    this.#countMessage();
    this.#pong((done) => this.socket.pong(data, false, done));
  }

  ponged(): void {
    this.#isAlive = true;
    this.#countMessage();
  }

  failed(error: Error): void {
    // The library closes the socket itself, with the code that fits a violation of the protocol.
    this.#host.log.debug({ err: error }, 'a WebSocket failed');
  }

  closed(code: number, reason: string): void {
    this.introduced();
    this.#host.sockets.delete(this);
    this.#onClosed?.(code, reason).catch((error: unknown) => {
      this.#host.log.error({ err: error }, 'closing a WebSocket failed');
    });
  }

  countBytes(bytes: number): void {
    if (this.#isAcknowledged) return;
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES_BEFORE_ACK) this.#refuse(POLICY_VIOLATION, TOO_MUCH_BEFORE_ACK);
  }

  resumeReading(): void {
    if (!this.socket.isPaused) this.socket.resume();
  }

  exceeded(): void {
    if (this.#isAcknowledged) this.#refuse(TOO_MANY_MESSAGES, 'Too many messages');
    else this.#refuse(POLICY_VIOLATION, TOO_MUCH_BEFORE_ACK);
  }

  /** Runs work for an operation of the client. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#operations += 1;
    if (this.#operations === MAX_OPERATIONS) this.socket.pause();
    try {
      return await work();
    } finally {
      if (this.#operations === MAX_OPERATIONS && !this.#isUnread) this.socket.resume();
      this.#operations -= 1;
      if (this.#operations === 0) this.#settled?.resolve();
    }
  }

  /** Resolves when all work has ended. */
  async settled(): Promise<void> {
    if (this.#operations === 0) return;
    this.#settled ??= Promise.withResolvers();
    await this.#settled.promise;
  }

  /** Pings the client; ends the connection when the previous ping is unanswered. */
  beat(): void {
    // The answer of a client that is not read from cannot be seen.
    if (!this.isOpen || this.#operations >= MAX_OPERATIONS || this.#pace.isHeld) return;
    if (this.#isAlive) {
      this.#pace.credit();
      this.socket.ping();
    } else this.socket.terminate();
    this.#isAlive = false;
  }

  /** Pongs wait with other unsent data: a client that does not read may not send more pings. */
  #pong(send: (done: () => void) => void): void {
    if (!this.#isAcknowledged || !this.isOpen || this.#isUnread) return;
    if (this.socket.bufferedAmount <= MAX_UNSENT_FOR_PING) {
      send(() => {});
      return;
    }
    this.#isUnread = true;
    this.socket.pause();
    send(() => {
      this.#isUnread = false;
      if (this.#operations < MAX_OPERATIONS) this.socket.resume();
    });
  }

  #countMessage(): void {
    if (this.#isAcknowledged) return;
    this.#messages += 1;
    if (this.#messages > MAX_MESSAGES_BEFORE_ACK) this.#refuse(POLICY_VIOLATION, TOO_MUCH_BEFORE_ACK);
  }

  #disconnectSlow(): void {
    if (this.subscriptions) this.subscriptions.disconnectSlow();
    else closeSlow(this.socket);
  }

  #refuse(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.socket.close(code, reason);
    this.socket.pause();
    setTimeout(() => this.socket.terminate(), REFUSAL_MS).unref();
  }
}

/** The library ends the connection when the client does not read the close frame either. */
export function closeSlow(socket: WebSocket, reason = 'Too much unsent data'): void {
  if (socket.readyState === WebSocket.OPEN) socket.close(SLOW_CONSUMER, reason);
}

function endUnknown(socket: WebSocket): void {
  socket.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout');
}

function onMessage(this: WebSocket, data: unknown): void {
  guardOf(this).received(String(data));
}
function onPing(this: WebSocket, data: Buffer): void {
  guardOf(this).pinged(data);
}
function onPong(this: WebSocket): void {
  guardOf(this).ponged();
}
function onError(this: WebSocket, error: Error): void {
  guardOf(this).failed(error);
}
function onClose(this: WebSocket, code: number, reason: Buffer): void {
  guardOf(this).closed(code, String(reason));
}

function guardOf(socket: WebSocket): GuardedSocket {
  return (socket as ClientSocket).guarded!;
}
