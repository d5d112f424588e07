import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { enumNameOf } from '../../src/graphql/events/event-type.ts';
import type { Body, TestProject } from './gateway.ts';

/** A delivery as it arrived. */
export type Received = { path: string; headers: IncomingHttpHeaders; text: string; body: Body };

/** Response of a receiver: a status, headers, a text; none for a receiver that hangs. */
export type Reply = { status?: number; headers?: Record<string, string>; text?: string } | 'hang';

export type Receiver = {
  /** A URL that ends in `path`. */
  url(path?: string): string;
  readonly received: Received[];
  /** How many connections were made to it. */
  readonly connections: number;
  /** Sets the response from now on. */
  answer(reply: Reply | ((delivery: Received) => Reply)): void;
  /** Resolves when this number of deliveries has arrived. */
  until(count: number): Promise<void>;
  /** Responds to the hanging requests, with 200 by default. */
  release(status?: number): void;
  close(): Promise<void>;
};

/** An HTTP server on loopback that records its requests. */
export async function startReceiver(): Promise<Receiver> {
  let reply: (delivery: Received) => Reply = () => ({});
  let connections = 0;
  const received: Received[] = [];
  const hanging: ServerResponse[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const delivery = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    received.push(delivery);
    const chosen = reply(delivery);
    if (chosen === 'hang') hanging.push(response);
    else response.writeHead(chosen.status ?? 200, chosen.headers).end(chosen.text ?? '');
    for (const check of waiting) check();
  });
  server.on('connection', () => {
    connections += 1;
  });
  // Connections last as long as a test does.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const release = (status = 200) => {
    for (const response of hanging.splice(0)) response.writeHead(status).end();
  };
  return {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    received,
    get connections() {
      return connections;
    },
    answer(next) {
      reply = typeof next === 'function' ? next : () => next;
    },
    until(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    release,
    async close() {
      release();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id endpointId url endpointState } secret } }`;

/** `id`: global; `endpointId`: as in webhooks, the command line and the database. */
export type TestEndpoint = { id: string; endpointId: string; secret: string };

/** Creates an endpoint of a project. `eventTypes`: under their names in webhooks. */
export async function createEndpoint(
  project: TestProject,
  input: Record<string, unknown>,
): Promise<TestEndpoint> {
  const eventTypes = (input.eventTypes as EventType[] | undefined)?.map(enumNameOf);
  const { createWebhookEndpoint } = await project.graphql(CREATE, { input: { ...input, eventTypes } });
  const { endpoint, secret } = createWebhookEndpoint;
  return { id: endpoint.id, endpointId: endpoint.endpointId, secret };
}

export type TestDelivery = {
  id: string;
  deliveryId: string;
  eventId: string;
  eventType: string;
  deliveryState: string;
  attemptCount: number;
  nextAttemptAt: string | null;
  attempts: {
    at: string;
    status: number | null;
    durationMs: number;
    error: string | null;
    responseBody: string | null;
  }[];
};

/** The deliveries of an endpoint, the newest first. */
export async function deliveriesOf(project: TestProject, id: string): Promise<TestDelivery[]> {
  const { webhookEndpoint } = await project.graphql(
    `query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(first: 100) { edges { node {
       id deliveryId eventId eventType deliveryState attemptCount nextAttemptAt attempts { at status durationMs error responseBody } } } } } }`,
    { id },
  );
  return webhookEndpoint.deliveries.edges.map((edge: { node: TestDelivery }) => edge.node);
}
