import type { Writable } from 'node:stream';
import { textFrame } from '@vouchgraph/pacing';

/** The result of an event for a group: its bytes are created once, and only differing ones are written again. */
export class SharedResult {
  readonly #json: Buffer;
  #message: MessageFrame | null = null;
  #event: Buffer | null = null;

  constructor(json: string) {
    this.#json = Buffer.from(json);
  }

  /**
   * Writes a `next` message of graphql-transport-ws to an open WebSocket; `id` comes from `escapeId`. The frame goes to the
   * connection itself: the library would create a header for each socket and send it as a second buffer.
   */
  writeMessage(stream: Writable, id: string): void {
    let message = this.#message;
    if (message === null || !message.take(id)) {
      message = new MessageFrame(id, this.#json);
      this.#message = message;
    }
    message.write(stream);
  }

  /** As an event of a text/event-stream. */
  event(): Buffer {
    this.#event ??= Buffer.concat([EVENT_HEAD, this.#json, EVENT_END]);
    return this.#event;
  }
}

/** An id as it stands between the quotes of a JSON text: the same string, unless it has characters to escape. */
export function escapeId(id: string): string {
  const text = JSON.stringify(id);
  return text.length === id.length + 2 ? id : text.slice(1, -1);
}

const EVENT_HEAD = Buffer.from('event: next\ndata: ');
const EVENT_END = Buffer.from('\n\n');
const BEFORE_ID = '{"id":"';
const BEFORE_RESULT = '","type":"next","payload":';
const CLOSING_BRACE = '}'.charCodeAt(0);

/** One message in the frame of a WebSocket. Ids of one length replace each other in the same bytes. */
class MessageFrame {
  readonly #bytes: Buffer;
  readonly #idOffset: number;
  readonly #idLength: number;
  #id: string;
  /** Whether a connection still refers to the bytes, so that they may not change. */
  #isWaiting = false;

  constructor(id: string, json: Buffer) {
    this.#id = id;
    this.#idLength = Buffer.byteLength(id);
    const length = BEFORE_ID.length + this.#idLength + BEFORE_RESULT.length + json.length + 1;
    const { bytes, offset } = textFrame(length);
    this.#idOffset = offset + bytes.write(BEFORE_ID, offset);
    const afterId = this.#idOffset + bytes.write(id, this.#idOffset);
    json.copy(bytes, afterId + bytes.write(BEFORE_RESULT, afterId));
    bytes[bytes.length - 1] = CLOSING_BRACE;
    this.#bytes = bytes;
  }

  /** Puts an id into the message; false when the message cannot be used for it. */
  take(id: string): boolean {
    if (id === this.#id) return true;
    if (this.#isWaiting || Buffer.byteLength(id) !== this.#idLength) return false;
    this.#bytes.write(id, this.#idOffset);
    this.#id = id;
    return true;
  }

  write(stream: Writable): void {
    stream.write(this.#bytes);
    // The system copies accepted data immediately. Unsent data is sent from these bytes later.
    if (stream.writableLength > 0) this.#isWaiting = true;
  }
}
