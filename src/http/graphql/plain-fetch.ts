/*
 * What Yoga reads of a `Request` and writes to a `Response`. Complete ones cost twice as much processor time per request as
 * the rest of Yoga: `npm run bench:graphql` measures it with these.
 */

export type SentRequest = {
  method: string | undefined;
  headers: Record<string, string>;
  /** Body, if it was not parsed. */
  text: string | undefined;
};

type RequestInit = { method: string; headers: Record<string, string>; body?: SentRequest };

class PlainRequest {
  readonly body = null;
  readonly url: string;
  readonly method: string;
  readonly headers: { get(name: string): string | null };
  readonly #sent: SentRequest | undefined;

  constructor(url: string, { method, headers, body }: RequestInit) {
    this.url = url;
    this.method = method;
    this.headers = { get: (name) => headers[name] ?? null };
    this.#sent = body;
  }

  json(): unknown {
    return JSON.parse(this.#sent?.text ?? '');
  }
}

type ResponseInit = { status: number; headers?: Record<string, string> };

/** A response with a text, or with a stream of the chunks of a single result. */
export class PlainResponse {
  readonly status: number;
  /** Names as Yoga and its errors write them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #body: string | AsyncIterable<Uint8Array> | null;

  constructor(body: string | AsyncIterable<Uint8Array> | null, { status, headers = {} }: ResponseInit) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
  }

  async text(): Promise<string> {
    if (this.#body === null || typeof this.#body === 'string') return this.#body ?? '';
    const chunks = [];
    for await (const chunk of this.#body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }
}

export const PLAIN_FETCH = {
  Request: PlainRequest as unknown as typeof Request,
  Response: PlainResponse as unknown as typeof Response,
};
