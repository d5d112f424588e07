import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy before PostgreSQL, like a connection pooler, that drops the startup parameter `options` on request. */
export type StrippingProxy = {
  /** The URL of the database through the proxy. */
  url: string;
  /** Whether new connections lose their options. */
  strips: boolean;
  /** Closes all connections, so that new ones are opened. */
  disconnect(): void;
  close(): Promise<void>;
};

export async function startStrippingProxy(databaseUrl: string, strips: boolean): Promise<StrippingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    // The startup message is small, and arrives in one piece on loopback.
    client.once('data', (message) => {
      upstream.write(proxy.strips ? withoutOptions(message) : message);
      client.pipe(upstream);
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: StrippingProxy = {
    url: url.toString(),
    strips,
    disconnect,
    async close() {
      const closed = once(server, 'close');
      server.close();
      disconnect();
      await closed;
    },
  };
  return proxy;
}

/** Length, protocol version, then names and values, each ended by a zero, and one more zero. */
function withoutOptions(message: Buffer): Buffer {
  const parts = message.subarray(8, -2).toString('latin1').split('\0');
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index += 2)
    if (parts[index] !== 'options') kept.push(parts[index]!, parts[index + 1]!);
  const body = Buffer.from(`${kept.join('\0')}\0\0`, 'latin1');
  const head = Buffer.from(message.subarray(0, 8));
  head.writeInt32BE(8 + body.length);
  return Buffer.concat([head, body]);
}
