/** What deliveries wait for: their first attempt, or a repetition. */
export type AttemptKind = 'first' | 'retry';

export type EndpointKey = { readonly projectId: string; readonly endpointId: string };

/** Endpoints that may have deliveries that are due, in the order in which they are claimed from. */
export class DueEndpoints {
  readonly #projects: Readonly<Record<AttemptKind, Map<string, string>>> = {
    first: new Map(),
    retry: new Map(),
  };
  #last: AttemptKind = 'retry';

  /** A queued endpoint keeps its position. */
  add(kind: AttemptKind, { projectId, endpointId }: EndpointKey): void {
    this.#projects[kind].set(endpointId, projectId);
  }

  delete(kind: AttemptKind, endpointId: string): void {
    this.#projects[kind].delete(endpointId);
  }

  get size(): number {
    return this.#projects.first.size + this.#projects.retry.size;
  }

  *of(kind: AttemptKind): Generator<EndpointKey> {
    for (const [endpointId, projectId] of this.#projects[kind]) yield { projectId, endpointId };
  }

  /** The kinds, the one first that was not claimed last: many retries hold up no first attempts. */
  kinds(): readonly AttemptKind[] {
    return this.#last === 'retry' ? ['first', 'retry'] : ['retry', 'first'];
  }

  noteClaim(kind: AttemptKind): void {
    this.#last = kind;
  }
}
