import type { Duplex } from 'node:stream';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { LIMITS } from '../../platform/limits.ts';
import type { Logger } from '../../platform/logger.ts';

/** An unacknowledged client needs one message of a few hundred bytes: `connection_init`. */
const MAX_MESSAGES_BEFORE_ACK = 16;
const MAX_BYTES_BEFORE_ACK = 32 * 1024;
/** A client that pings with more unsent data than this is not read from until it has read. */
const MAX_UNSENT_FOR_PING = 16 * 1024;
/** Short messages need more memory than their bytes. */
const MAX_UNSENT_MESSAGES = 4096;
/** Reading from a client pauses while this many of its operations are checked and executed. */
const MAX_OPERATIONS = 32;

const POLICY_VIOLATION = 1008;
/** A client that is refused has this long to read why. */
const REFUSAL_MS = 1000;
const AS_TEXT = { binary: false };

/** One WebSocket and what its client may cost: messages before it is acknowledged, unsent data, operations at once. */
export class GuardedSocket {
  readonly socket: WebSocket;
  readonly #stream: Duplex;
  readonly #log: Logger;
  readonly #onSlow: () => void;
  #isAcknowledged = false;
  #messages = 0;
  #bytes = 0;
  #unsent = 0;
  readonly #operations = new Set<Promise<unknown>>();
  #isAlive = true;
  readonly #pauses = new Set<'operations' | 'unread'>();

  /** `onSlow` closes a socket with too much unsent data. */
  constructor(socket: WebSocket, stream: Duplex, { log, onSlow }: { log: Logger; onSlow: () => void }) {
    this.socket = socket;
    this.#stream = stream;
    this.#log = log;
    this.#onSlow = onSlow;
    stream.on('data', this.#countBytes);
    socket.on('ping', (data) => {
      this.#countMessage();
      this.#pong((done) => socket.pong(data, false, done));
    });
    socket.on('pong', () => {
      this.#isAlive = true;
      this.#countMessage();
    });
    // The library closes the socket itself, with the code that fits a violation of the protocol.
    socket.on('error', (error) => log.debug({ err: error }, 'a WebSocket failed'));
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** From now on the client is known: its messages are counted as operations, by the limit of its key. */
  acknowledge(): void {
    this.#isAcknowledged = true;
    this.#stream.off('data', this.#countBytes);
  }

  onMessage(handle: (text: string) => Promise<void>): void {
    this.socket.on('message', (data) => {
      this.#countMessage();
      // A client may send on while its socket is being closed.
      if (!this.isOpen) return;
      handle(String(data)).catch((error: unknown) => {
        this.#log.error({ err: error }, 'a WebSocket message failed');
        this.socket.close(CloseCode.InternalServerError, 'Internal server error');
      });
    });
  }

  send(text: string): void {
    if (!this.isOpen) return;
    const isSlow =
      this.socket.bufferedAmount > LIMITS.waitingBytesPerSubscriber || this.#unsent > MAX_UNSENT_MESSAGES;
    if (isSlow) {
      this.#onSlow();
      return;
    }
    this.#unsent += 1;
    this.socket.send(text, AS_TEXT, () => {
      this.#unsent -= 1;
    });
  }

  /** Answers a ping of the protocol. */
  pong(text: string): void {
    this.#pong((done) => this.socket.send(text, AS_TEXT, done));
  }

  /** Runs work for an operation of the client. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#operations.add(running);
    if (this.#operations.size === MAX_OPERATIONS) this.#pause('operations');
    try {
      return await running;
    } finally {
      if (this.#operations.size === MAX_OPERATIONS) this.#resume('operations');
      this.#operations.delete(running);
    }
  }

  /** Resolves when all work has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#operations);
  }

  /** Pings the client; ends the connection when the previous ping is unanswered. */
  beat(): void {
    // The answer of a client that is not read from because of its operations cannot be seen.
    if (!this.isOpen || this.#pauses.has('operations')) return;
    if (this.#isAlive) this.socket.ping();
    else this.socket.terminate();
    this.#isAlive = false;
  }

  /** Pongs wait with other unsent data: a client that does not read may not send more pings. */
  #pong(send: (done: () => void) => void): void {
    if (!this.#isAcknowledged || !this.isOpen || this.#pauses.has('unread')) return;
    const isUnread = this.socket.bufferedAmount > MAX_UNSENT_FOR_PING;
    if (isUnread) this.#pause('unread');
    send(() => isUnread && this.#resume('unread'));
  }

  #pause(reason: 'operations' | 'unread'): void {
    this.#pauses.add(reason);
    this.socket.pause();
  }

  #resume(reason: 'operations' | 'unread'): void {
    this.#pauses.delete(reason);
    if (this.#pauses.size === 0) this.socket.resume();
  }

  readonly #countBytes = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES_BEFORE_ACK) this.#refuse();
  };

  #countMessage(): void {
    if (this.#isAcknowledged) return;
    this.#messages += 1;
    if (this.#messages > MAX_MESSAGES_BEFORE_ACK) this.#refuse();
  }

  #refuse(): void {
    if (!this.isOpen) return;
    this.socket.close(POLICY_VIOLATION, 'Too much was sent before connection_ack');
    this.socket.pause();
    setTimeout(() => this.socket.terminate(), REFUSAL_MS).unref();
  }
}
