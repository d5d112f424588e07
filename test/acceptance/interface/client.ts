import { randomUUID } from 'node:crypto';
import { openSocket } from '../../support/websocket.ts';
import { type Sandbox, until } from '../gateway-process.ts';

// JSON of an answer: a client in any language sees no more than this.
// biome-ignore lint/suspicious/noExplicitAny: the rows assert its shape
export type Body = any;

export type Reply = { status: number; body: Body };
export type RequestOptions = {
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
};
export type Client = ReturnType<typeof createClient>;

/** Unique name: rows share one project. */
export const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
let phones = 0;
/** Assigned number that no other row has. */
export const uniquePhone = (): string => {
  phones += 1;
  return `+141526${71_000 + phones}`;
};

/** Client of the sandbox project with its operator key, over HTTP and WebSocket. */
export function createClient(sandbox: Sandbox) {
  const { base_url: baseUrl, api_key: key, project_id: projectId } = sandbox;

  async function rest(
    method: string,
    path: string,
    { query = {}, body, headers = {} }: RequestOptions = {},
  ): Promise<Reply> {
    const isText = typeof body === 'string';
    const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': isText ? 'text/csv' : 'application/json', ...headers },
      body: body === undefined || isText ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  /** Body of a response with status 200. */
  async function ask(method: string, path: string, options: RequestOptions = {}): Promise<Body> {
    const { status, body } = await rest(method, path, options);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async function graphql(query: string, variables: Body = {}): Promise<Body> {
    const { body } = await rest('POST', '/graphql', { body: { query, variables } });
    if (body.errors) throw new Error(`${query}: ${JSON.stringify(body.errors)}`);
    return body.data;
  }

  /** Simulated session; open sessions have their token. */
  const session = (facts: Body = {}): Promise<Body> => ask('POST', '/session', { body: facts });

  /** Authenticates an account with a new session. */
  async function authenticate(account: Body, facts: Body = {}): Promise<Body> {
    const { session_id } = await session(facts);
    return ask('POST', '/session/authenticate', { body: { session_id, account } });
  }

  const createVerification = (query: Record<string, string>): Promise<Body> =>
    ask('GET', '/liveness/session', { query });

  /** Completed simulated verification whose page was opened. */
  async function verification(query: Record<string, string>): Promise<string> {
    const { session_id, session_url } = await createVerification(query);
    await (await fetch(session_url)).text();
    const find = 'query ($id: ID!) { verification(sessionId: $id) { completedAt state } }';
    await until('the end of a verification', async () =>
      ['COMPLETED', 'FAILED'].includes((await graphql(find, { id: session_id })).verification.state),
    );
    return session_id;
  }

  /** Cursor of the newest event: a subscription after it receives all later events. */
  const headCursor = async (): Promise<string> =>
    (await graphql('{ events(first: 1) { headCursor } }')).events.headCursor;

  /** Results of a subscription over WebSocket, as they arrive. */
  async function subscribe(query: string, variables: Body): Promise<{ results: Body[]; close(): void }> {
    const line = await openSocket([], `${baseUrl.replace('http', 'ws')}/graphql`);
    await line.acknowledged(key);
    const results: Body[] = [];
    line.socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'next' && !payload.errors) results.push(payload.data);
      else if (type === 'next' || type === 'error') results.push({ errors: payload.errors ?? payload });
    });
    line.send({ type: 'subscribe', id: '1', payload: { query, variables } });
    return { results, close: () => line.socket.terminate() };
  }

  /** Results of a subscription as an event stream over HTTP, as they arrive. */
  async function stream(query: string, variables: Body): Promise<{ results: Body[]; close(): void }> {
    const controller = new AbortController();
    const response = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query, variables }),
      signal: controller.signal,
    });
    const results: Body[] = [];
    const reading = readEvents(response, ({ event, data }) => {
      if (event === 'next') results.push(JSON.parse(data).data);
    });
    reading.catch(() => {});
    return { results, close: () => controller.abort() };
  }

  return {
    ...{ baseUrl, projectId, rest, ask, graphql, session, authenticate },
    ...{ createVerification, verification, headCursor, subscribe, stream },
  };
}

/** Parses a stream of server-sent events. */
async function readEvents(
  response: Response,
  receive: (message: { event: string; data: string }) => void,
): Promise<void> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop()!;
    for (const message of messages) {
      const fields = Object.fromEntries(
        message
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      receive({ event: fields.event ?? '', data: fields.data ?? '' });
    }
  }
}
