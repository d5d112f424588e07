import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type EventSelection, type StoredEvent, selects } from '@vouchgraph/events';
import { AppError } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { EventPage } from '../../domain/events/event-service.ts';
import { executeWithRetry } from './execute-event.ts';
import type { SharedResult } from './shared-result.ts';
import { type Sink, Subscriber, sendToAll } from './subscriber.ts';
import type { Group, SubscriptionRequest, SubscriptionState } from './subscription-state.ts';

/** Events of one group that are executed side by side. */
const WINDOW = 16;
/** Rows that are read for one that catches up; a socket has one page at a time. */
const PAGE = 50;
const RETRY_MS = 500;
/** Unsent bytes at which catching up pauses; the rest of the limit is for new events. */
const CATCH_UP_BYTES = LIMITS.waitingBytesPerSubscriber / 2;

export function groupOf(
  state: SubscriptionState,
  key: string,
  { document, operationName, variables, context: { viewer } }: SubscriptionRequest,
  selection: EventSelection,
): Group {
  const known = state.groups.get(key);
  if (known) return known;
  const group: Group = {
    key,
    request: { document, operationName, variables },
    viewer,
    selection,
    project: viewer.project,
    feed: state.hub.subscribe(viewer.project, (events) => deliver(state, group, events)),
    position: Number.POSITIVE_INFINITY,
    members: new Set(),
    size: 0,
    leave: (subscriber) => leave(state, group, subscriber),
  };
  state.groups.set(key, group);
  return group;
}

/** Adds a subscriber, behind position `after` or, for null, from now on. */
export function startIn(
  state: SubscriptionState,
  group: Group,
  after: number | null,
  sink: Sink,
): Subscriber {
  const subscriber = new Subscriber(sink, group, after);
  group.size += 1;
  state.reveals.add(group, subscriber);
  join(state, group, subscriber, after).catch((error: unknown) => {
    if (!subscriber.isOpen) return;
    subscriber.stop();
    sink.fail(error);
  });
  return subscriber;
}

function leave({ groups, reveals }: SubscriptionState, group: Group, subscriber: Subscriber): void {
  reveals.remove(group, subscriber);
  group.members.delete(subscriber);
  group.size -= 1;
  if (group.size > 0) return;
  group.feed.stop();
  if (groups.get(group.key) === group) groups.delete(group.key);
}

async function deliver(
  state: SubscriptionState,
  group: Group,
  events: readonly StoredEvent[],
): Promise<void> {
  // A group has no member before its first position is known.
  if (group.position === Number.POSITIVE_INFINITY) group.position = await group.feed.start;
  const wanted = events.filter((event) => event.position > group.position && selects(group.selection, event));
  const isWanted = () => group.size > 0;
  await inWindows(state, group, wanted, isWanted, (result, position) => sendToAll(group, result, position));
  group.position = Math.max(group.position, events.at(-1)?.position ?? 0);
}

/** Executes events in windows, and passes the results on in order, while a subscriber wants them. */
async function inWindows(
  state: SubscriptionState,
  group: Group,
  events: readonly StoredEvent[],
  isWanted: () => boolean,
  passOn: (result: SharedResult, position: number) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < events.length && isWanted(); first += WINDOW) {
    const window = events.slice(first, first + WINDOW);
    const results = await Promise.all(window.map((event) => executeWithRetry(state, group, event, isWanted)));
    for (const [index, result] of results.entries()) await passOn(result, window[index]!.position);
  }
}

async function join(
  state: SubscriptionState,
  group: Group,
  subscriber: Subscriber,
  after: number | null,
): Promise<void> {
  const begins = await group.feed.start;
  if (group.position === Number.POSITIVE_INFINITY) group.position = begins;
  if (after === null) subscriber.floor = group.position;
  while (subscriber.isOpen) {
    // Compared and joined synchronously: the group does not move in between.
    if (subscriber.floor >= group.position) {
      subscriber.isLive = true;
      group.members.add(subscriber);
      return;
    }
    await subscriber.sink.inTurn(() => catchUp(state, group, subscriber));
  }
}

/** Sends a page of missed events, and waits until the client has taken it, also in between when it is large. */
async function catchUp(state: SubscriptionState, group: Group, subscriber: Subscriber): Promise<void> {
  const { sink } = subscriber;
  const page = await nextPage(state, group, subscriber);
  if (!page) return;
  const isWanted = () => subscriber.isOpen;
  await inWindows(state, group, page.events, isWanted, async (result, position) => {
    while (subscriber.isOpen && sink.waitingBytes > CATCH_UP_BYTES) {
      await sink.flushed();
      await nextTurn();
    }
    if (!subscriber.isOpen) return;
    sink.send(result);
    subscriber.floor = position;
  });
  if (!subscriber.isOpen) return;
  subscriber.floor = page.position;
  if (page.events.length > 0) await sink.flushed();
}

/** Read again while the database does not answer; null when the subscriber is gone. */
async function nextPage(
  { services, reading, log }: SubscriptionState,
  { viewer, selection }: Group,
  subscriber: Subscriber,
): Promise<EventPage | null> {
  while (subscriber.isOpen) {
    try {
      const { floor } = subscriber;
      return await reading(() => services.events.readPage(viewer.project, selection, floor, PAGE));
    } catch (error) {
      if (error instanceof AppError && error.kind !== 'unavailable') throw error;
      log.error({ err: error }, 'reading events for a subscription failed');
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }
  return null;
}
