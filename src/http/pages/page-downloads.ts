import type { ServerResponse } from 'node:http';
import { addressKey } from '@vouchgraph/pacing';
import { type HttpAnswer, HttpError, sendAnswer } from '@vouchgraph/platform/http';

/** Fits the buffers of the connection, so that it is sent completely even if the client does not read. */
const SMALL_BYTES = 64 * 1024;
/** A browser opens six connections to a host; several people can share one address. */
const MAX_OPEN_PER_ADDRESS = 32;

/** Sends public pages. An address has a limited number of large ones that its clients have not read yet. */
export class PageDownloads {
  readonly #open = new Map<string, number>();

  send(response: ServerResponse, answer: HttpAnswer, ip: string): void {
    // The client remaining while the file was loaded: nothing would release its place.
    if (response.destroyed) return;
    if (answer.body.length > SMALL_BYTES) this.#count(response, addressKey(ip));
    sendAnswer(response, answer);
  }

  #count(response: ServerResponse, key: string): void {
    const open = this.#open.get(key) ?? 0;
    if (open >= MAX_OPEN_PER_ADDRESS)
      throw new HttpError(429, 'Too Many Requests', { 'retry-after': '5', connection: 'close' });
    this.#open.set(key, open + 1);
    response.once('close', () => {
      const remaining = this.#open.get(key)! - 1;
      if (remaining > 0) this.#open.set(key, remaining);
      else this.#open.delete(key);
    });
  }
}
