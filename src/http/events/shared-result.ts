/** A result that many are sent: its text is made once, and the bytes around it only where they differ. */
export class SharedResult {
  readonly #json: Buffer;
  #head = '';
  #message: Buffer | null = null;
  #event: Buffer | null = null;

  constructor(json: string) {
    this.#json = Buffer.from(json);
  }

  /** As a message of graphql-transport-ws, which begins with `head` (see `messageHead`). */
  message(head: string): Buffer {
    if (this.#message === null || this.#head !== head) {
      const length = Buffer.byteLength(head);
      const message = Buffer.allocUnsafe(length + this.#json.length + 1);
      message.write(head);
      this.#json.copy(message, length);
      message[message.length - 1] = CLOSING_BRACE;
      this.#message = message;
      this.#head = head;
    }
    return this.#message;
  }

  /** As an event of a text/event-stream. */
  event(): Buffer {
    this.#event ??= Buffer.concat([EVENT_HEAD, this.#json, EVENT_END]);
    return this.#event;
  }
}

const CLOSING_BRACE = '}'.charCodeAt(0);
const EVENT_HEAD = Buffer.from('event: next\ndata: ');
const EVENT_END = Buffer.from('\n\n');

/** The beginning of all `next` messages of a subscription. */
export function messageHead(id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":`;
}
