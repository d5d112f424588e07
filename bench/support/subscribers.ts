import { once } from 'node:events';
import type { SubscriberReply } from './fanout/protocol.ts';
import { start, stop } from './processes.ts';

/** Opens subscriptions over WebSocket that receive nothing, from a process of their own; returns a function that closes them. */
export async function openIdleSubscribers(
  url: URL,
  key: string,
  count: number,
): Promise<() => Promise<void>> {
  const child = start(new URL('./fanout/subscribers-process.ts', import.meta.url));
  const subscribe = { query: 'subscription { events(types: [RULE_CUSTOM]) { eventId } }' };
  child.send({ kind: 'open', url: url.href, count, init: { 'x-api-key': key }, subscribe });
  const [reply] = (await once(child, 'message')) as [SubscriberReply];
  if (!('opened' in reply) || reply.opened !== count) throw new Error('not all subscribers were connected');
  return () => stop(child);
}
