import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { PersonRole } from '../../src/domain/projects/person-role.ts';
import { type Answer, type Body, type Gateway, send, type TestProject } from './gateway.ts';
import { signedIn } from './people.ts';
import { overStream, socketUrl } from './subscriptions.ts';

/** Requests of a caller to a project, over each protocol: of a person with the cookie of its session, or with a key. */
export type Caller = {
  /** Headers of its requests, for those that are sent otherwise. */
  readonly headers: Record<string, string>;
  /** A GraphQL document; its whole response. */
  raw(document: string, variables?: Record<string, unknown>): Promise<Body>;
  /** The same without errors; its data. */
  graphql(document: string, variables?: Record<string, unknown>): Promise<Body>;
  rest(method: string, path: string, body?: unknown, more?: Record<string, string>): Promise<Answer>;
  /** Results of a subscription over a WebSocket, as they arrive. */
  overSocket(document: string, variables?: Record<string, unknown>): Received;
  /** The same as server-sent events. */
  overStream(document: string, variables?: Record<string, unknown>): Received;
};

export type Received = {
  readonly results: Body[];
  /** Waits for this number of results. */
  until(count: number): Promise<Body[]>;
  stop(): void;
};

export type PersonCaller = Caller & { readonly role: PersonRole; readonly actor: string };

const MAX_WAIT_MS = 50_000;

/** A person with a role in the project, signed in by a browser. */
export async function personCaller(
  gateway: Gateway,
  { projectId }: TestProject,
  role: PersonRole = 'admin',
): Promise<PersonCaller> {
  const browser = await signedIn(gateway, projectId, role);
  const caller = callerOf(gateway, browser.headers(projectId));
  const { me } = await caller.graphql('{ me { personId } }');
  return { ...caller, role, actor: `person:${me.personId}` };
}

/** The same requests with the key of the project. */
export function keyCaller(gateway: Gateway, { key }: TestProject): Caller {
  return callerOf(gateway, { 'x-api-key': key });
}

function callerOf({ baseUrl }: Gateway, headers: Record<string, string>): Caller {
  const raw: Caller['raw'] = async (query, variables) =>
    (await send(`${baseUrl}/graphql`, 'POST', { query, variables }, headers)).body;
  return {
    headers,
    raw,
    async graphql(document, variables) {
      const { data, errors } = await raw(document, variables);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    rest: (method, path, body, more) => send(baseUrl + path, method, body, { ...headers, ...more }),
    overSocket: (query, variables) => {
      // A browser sends the cookie and the origin with the handshake, everything else with the first message.
      const { cookie, origin, ...parameters } = headers;
      const handshake = { ...(cookie ? { cookie } : {}), ...(origin ? { origin } : {}) };
      class BrowserSocket extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { headers: handshake });
        }
      }
      const client = createClient({
        url: socketUrl(baseUrl),
        webSocketImpl: BrowserSocket,
        connectionParams: parameters,
        retryAttempts: 0,
      });
      return receive(client, query, variables);
    },
    overStream: (query, variables) => receive(overStream(baseUrl, headers), query, variables),
  };
}

type Client = {
  subscribe(
    payload: { query: string; variables?: Record<string, unknown> },
    sink: { next(value: Body): void; error(error: unknown): void; complete(): void },
  ): () => void;
};

function receive(client: Client, query: string, variables?: Record<string, unknown>): Received {
  const results: Body[] = [];
  const waiting = new Set<() => void>();
  const add = (result: Body) => {
    results.push(result);
    for (const look of waiting) look();
  };
  const stop = client.subscribe(
    { query, ...(variables ? { variables } : {}) },
    { next: add, error: (error) => add({ error: String(error) }), complete: () => {} },
  );
  return {
    results,
    stop,
    until(count) {
      const { promise, resolve, reject } = Promise.withResolvers<Body[]>();
      const look = () => {
        if (results.length >= count) resolve(results);
      };
      const fail = () =>
        reject(new Error(`${results.length} of ${count} results: ${JSON.stringify(results)}`));
      const timer = setTimeout(fail, MAX_WAIT_MS);
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
  };
}
