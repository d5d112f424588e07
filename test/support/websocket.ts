import { once } from 'node:events';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Body } from './gateway.ts';

export const PROTOCOL = 'graphql-transport-ws';

/** A bare socket: its queue of received messages, and its close code. `opened` receives it, to close it. */
export async function openSocket(
  opened: { close(): void }[],
  url: string,
  protocols: string[] = [PROTOCOL],
  options: { headers?: Record<string, string> } = {},
) {
  const socket = new WebSocket(url, protocols, options);
  opened.push({ close: () => socket.terminate() });
  const received: Body[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  return {
    socket,
    closed,
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Received messages that were not read yet. */
    poll: (): Body => received.shift(),
    receive: () =>
      vi.waitFor(() => received.shift() ?? expect.fail('nothing yet'), { timeout: 50_000, interval: 5 }),
    /** Sends the key, and waits until it is accepted. */
    async acknowledged(key: string) {
      this.send({ type: 'connection_init', payload: { 'x-api-key': key } });
      expect(await this.receive()).toEqual({ type: 'connection_ack' });
      return this;
    },
  };
}
