import type { SandboxFile } from '../serve/first-start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tour reads a few fields of documented bodies
export type Body = any;

/** Requests to a gateway with the key of its sandbox. */
export class DemoClient {
  readonly #sandbox: SandboxFile;

  constructor(sandbox: SandboxFile) {
    this.#sandbox = sandbox;
  }

  get baseUrl(): string {
    return this.#sandbox.base_url;
  }

  async rest(method: string, route: string, body?: unknown): Promise<Body> {
    const response = await fetch(this.#sandbox.base_url + route, {
      method,
      headers: { 'x-api-key': this.#sandbox.api_key, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer: Body = await response.json();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${answer.message}`);
    return answer;
  }

  async graphql(query: string, variables: Record<string, unknown>): Promise<Body> {
    const { data, errors } = await this.rest('POST', '/graphql', { query, variables });
    if (errors) throw new Error(errors[0].message);
    return data;
  }
}
