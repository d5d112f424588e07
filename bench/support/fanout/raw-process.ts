import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answerParent } from './answer-parent.ts';
import { dataOf } from './protocol.ts';

/* The limit: one message, serialized once, to all sockets of the ws package. */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await new Promise((resolve) => server.once('listening', resolve));
const event = {
  id: '0198c0de-0000-7000-8000-000000000000',
  type: 'rule.custom',
  cursor: 'WzEyMzRd.abcdefghijkl',
  createdAt: new Date(),
  accountId: null,
  sessionId: null,
};
process.on('disconnect', () => process.exit(0));
answerParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
  subscribers: () => server.clients.size,
  publish(n) {
    const payload = { data: { events: { ...event, data: dataOf(n) } } };
    const message = Buffer.from(JSON.stringify({ id: event.id, type: 'next', payload }));
    for (const client of server.clients) client.send(message, { binary: false });
  },
});
