import { once } from 'node:events';
import { WebSocket } from 'ws';

/*
 * Many sockets in a separate process, each with one subscription. Every second one completes its subscription
 * at the first event; later messages for it are errors.
 */

export type ClientsQuestion =
  | { kind: 'open'; url: string; key: string; count: number; query: string; after: string }
  | { kind: 'await'; n: number }
  | { kind: 'drop' };
/** Errors so far, as texts. */
export type ClientsAnswer = { mistakes: string[] };

type Client = { socket: WebSocket; id: string; last: number; isEnded: boolean; ends: boolean };

const AT_ONCE = 100;
const clients: Client[] = [];
const mistakes: string[] = [];
let look = () => {};

function note(client: Client, text: string): void {
  const { id, type, payload } = JSON.parse(text);
  const { socket } = client;
  if (type !== 'next') {
    if (type !== 'pong') mistakes.push(`${client.id} was sent ${text}`);
    return;
  }
  const n: number | undefined = payload.data?.events.data.n;
  if (id !== client.id || n === undefined || n !== client.last + 1)
    mistakes.push(`${client.id} was sent ${text}`);
  if (client.isEnded) mistakes.push(`${client.id} was sent ${n} after it had ended`);
  client.last = n ?? client.last;
  if (client.ends && !client.isEnded) {
    client.isEnded = true;
    socket.send(JSON.stringify({ id: client.id, type: 'complete' }));
  }
  look();
}

async function open(
  index: number,
  { url, key, query, after }: ClientsQuestion & { kind: 'open' },
): Promise<void> {
  const socket = new WebSocket(url, ['graphql-transport-ws']);
  const client: Client = { socket, id: `s${index}`, last: 0, isEnded: false, ends: index % 2 === 1 };
  clients.push(client);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': key } }));
  await once(socket, 'message');
  socket.on('message', (data) => note(client, String(data)));
  socket.send(JSON.stringify({ id: client.id, type: 'subscribe', payload: { query, variables: { after } } }));
}

/** Until all active sockets have received an event, and all have responded since: earlier messages have arrived. */
async function untilAll(n: number): Promise<void> {
  await new Promise<void>((resolve) => {
    look = () => {
      if (clients.every(({ last, isEnded }) => isEnded || last >= n)) resolve();
    };
    look();
  });
  await Promise.all(
    clients.map(({ socket }) => {
      const answered = once(socket, 'pong');
      socket.ping();
      return answered;
    }),
  );
}

process.on('message', async (question: ClientsQuestion) => {
  if (question.kind === 'open') {
    const indexes = Array.from({ length: question.count }, (_, index) => index);
    for (let first = 0; first < indexes.length; first += AT_ONCE)
      await Promise.all(indexes.slice(first, first + AT_ONCE).map((index) => open(index, question)));
  } else if (question.kind === 'await') await untilAll(question.n);
  else for (const { socket } of clients.splice(0)) socket.terminate();
  process.send!({ mistakes } satisfies ClientsAnswer);
});
process.on('disconnect', () => process.exit(0));
