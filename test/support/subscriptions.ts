import { ALL_TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
import { createClient as createStreamClient } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Body, TestProject } from './gateway.ts';

export const EVENTS = `subscription ($after: String, $types: [EventType!], $accountId: ID, $sessionId: ID) {
  events(after: $after, types: $types, accountId: $accountId, sessionId: $sessionId) {
    id: eventId type cursor accountId sessionId data
  }
}`;

/** Upper bound for the arrival of events on a busy machine. */
const MAX_WAIT_MS = 50_000;

/** Events that a subscription received so far, and how it completed. */
export type Collected = {
  readonly events: Body[];
  readonly errors: Body[];
  readonly ended: Promise<void>;
  /** Waits for this number of events. */
  until(count: number): Promise<Body[]>;
  stop(): void;
};

type Subscribe = (
  payload: { query: string; variables: Record<string, unknown> },
  sink: { next(value: Body): void; error(error: unknown): void; complete(): void },
) => () => void;

/** Subscribes, and resumes after the last event when the client reconnects. */
export function collect(
  client: { subscribe: Subscribe },
  query: string,
  variables: Record<string, unknown> = {},
): Collected {
  const events: Body[] = [];
  const errors: Body[] = [];
  const ended = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  const received = () => {
    for (const look of waiting) look();
  };
  // A reconnecting client sends the current values.
  const payload = { query, variables: { ...variables } };
  const stop = client.subscribe(payload, {
    next({ data, errors: failed }) {
      if (failed) errors.push(...failed);
      const event = data && Object.values<Body>(data)[0];
      if (event) events.push(event);
      if (event?.cursor) payload.variables.after = event.cursor;
      received();
    },
    error(error) {
      errors.push(...(Array.isArray(error) ? error : [error]));
      received();
      ended.resolve();
    },
    complete: () => ended.resolve(),
  });
  /** Resolves with that many events; rejects with the first error, which no later event mends. */
  function until(count: number): Promise<Body[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Body[]>();
    const look = () => {
      if (errors.length > 0) reject(new Error(JSON.stringify(errors)));
      else if (events.length >= count) resolve(events);
    };
    const timer = setTimeout(
      () => reject(new Error(`${events.length} of ${count} events after ${MAX_WAIT_MS} ms`)),
      MAX_WAIT_MS,
    );
    waiting.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  }
  return { events, errors, ended: ended.promise, until, stop };
}

export const socketUrl = (baseUrl: string) => `${baseUrl.replace('http', 'ws')}/graphql`;

/** The published client of graphql-transport-ws. */
export function overSocket(
  baseUrl: string | (() => string),
  connectionParams: Record<string, unknown>,
  options: { retryAttempts?: number; retryWait?: () => Promise<void> } = {},
): Client {
  const of = typeof baseUrl === 'string' ? () => baseUrl : baseUrl;
  return createClient({
    url: () => socketUrl(of()),
    webSocketImpl: WebSocket,
    connectionParams,
    lazy: true,
    retryAttempts: options.retryAttempts ?? 0,
    retryWait: options.retryWait ?? (() => Promise.resolve()),
    shouldRetry: () => true,
  });
}

/** The published client of GraphQL over SSE. */
export function overStream(
  baseUrl: string | (() => string),
  headers: Record<string, string>,
  options: { retryAttempts?: number; retry?: () => Promise<void> } = {},
) {
  const of = typeof baseUrl === 'string' ? () => baseUrl : baseUrl;
  return createStreamClient({
    url: () => `${of()}/graphql`,
    headers,
    retryAttempts: options.retryAttempts ?? 0,
    retry: options.retry ?? (() => Promise.resolve()),
  });
}

/** The head cursor of a project: a subscription after it misses no later event. */
export async function headOf(project: TestProject): Promise<string> {
  return (await project.graphql('{ events(first: 1) { headCursor } }')).events.headCursor;
}

/** A browser token with all scopes that its limit allows, unless `input` has others; without a limit, of an unknown account. */
export async function browserToken(project: TestProject, input: Body): Promise<string> {
  const scopes = ALL_TOKEN_SCOPES.filter((scope) => scope !== 'LINKS' || input.sessionId === undefined);
  const isLimited = 'accountId' in input || 'sessionId' in input || 'project' in input;
  const limit = isLimited ? {} : { accountId: 'nobody' };
  const { createBrowserToken } = await project.graphql(
    'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
    { input: { scopes, ...limit, ...input } },
  );
  return createBrowserToken.token;
}
