import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, parse } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { createPubSub } from 'graphql-yoga';
import { WebSocketServer } from 'ws';
import { answerParent } from './answer-parent.ts';
import { dataOf } from './protocol.ts';

/* Unmodified graphql-ws with the pub-sub of its authors: every subscriber executes every event. */
const schema = buildSchema(`
  scalar JSONObject
  type Event { id: ID! type: String! cursor: String! createdAt: String! accountId: String sessionId: ID data: JSONObject! }
  type Query { nothing: Int }
  type Subscription { events: Event! }
`);
const pubSub = createPubSub<{ events: [object] }>();
const documents = new Map<string, ReturnType<typeof parse>>();
const http = createServer();
const server = new WebSocketServer({ server: http, path: '/graphql' });
let subscribers = 0;
useServer(
  {
    schema,
    roots: { subscription: { events: () => pubSub.subscribe('events') } },
    onSubscribe: (_connection, _id, { query }) => {
      const document = documents.get(query) ?? parse(query);
      documents.set(query, document);
      return { schema, document };
    },
    onOperation: () => {
      subscribers += 1;
    },
  },
  server,
);
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
process.on('disconnect', () => process.exit(0));
answerParent(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, {
  subscribers: () => subscribers,
  publish: (n) =>
    pubSub.publish('events', {
      events: {
        id: '0198c0de-0000-7000-8000-000000000000',
        type: 'rule.custom',
        cursor: 'WzEyMzRd.abcdefghijkl',
        createdAt: new Date().toISOString(),
        accountId: null,
        sessionId: null,
        data: dataOf(n),
      },
    }),
});
