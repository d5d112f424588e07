import { setTimeout as delay } from 'node:timers/promises';
import { BodyCache } from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import type { Relay } from '../events/relay-service.ts';
import type { Project } from '../projects/project.ts';
import { COUNT_CLAIMED, FIND_DUE, type QueueDatabase, queueRows } from './delivery-queue-store.ts';
import { startDeliverer } from './delivery-service.ts';
import { startDispatcher } from './dispatch-service.ts';
import type { Sender } from './sender-service.ts';

export type Webhooks = {
  /** There are deliveries to be sent again, or an endpoint was resumed. */
  wake(): void;
  /** Creates and attempts all deliveries that are due, in any process, and waits until they end. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const POLL_MS = 20;

/** Sends events to endpoints: creates their deliveries, and attempts these until the receiver accepts them. */
export function startWebhooks(deps: {
  system: QueueDatabase;
  sender: Sender;
  clock: Clock;
  relay: Relay;
  getProject: (projectId: string) => Promise<Project | null>;
  allowsLoopback: (project: Project) => Promise<boolean>;
  onError: (error: unknown) => void;
}): Webhooks {
  const { system, clock, relay } = deps;
  const cache = new BodyCache();
  const deliverer = startDeliverer({
    ...deps,
    cache,
    onRoom: (projectIds) => dispatcher.noteRoom(projectIds),
  });
  const dispatcher = startDispatcher({ ...deps, cache, onDue: deliverer.wake });
  const unlisten = relay.onEvents((projectIds) => dispatcher.wake(projectIds));

  async function dueIds(): Promise<string> {
    const rows = await queueRows<{ delivery_id: string }>(system, FIND_DUE, [clock.now()]);
    return rows.map(({ delivery_id }) => delivery_id).join();
  }

  return {
    wake() {
      dispatcher.wake(null);
      deliverer.poll();
    },
    async settle() {
      let quietRounds = 0;
      for (let before: string | null = null; ; ) {
        await relay.settle();
        const made = await dispatcher.dispatchAll();
        await deliverer.drain();
        const [counted] = await queueRows(system, COUNT_CLAIMED, []);
        const claimed: number = counted.claimed;
        const due = await dueIds();
        // What stays due is beyond the limit of its endpoint.
        const isQuiet = made === 0 && claimed === 0 && (due === '' || due === before);
        quietRounds = isQuiet ? quietRounds + 1 : 0;
        // The end of an attempt that began in the background may have written an event: it shows in the round after.
        if (quietRounds === 2) return;
        before = due;
        if (claimed > 0) await delay(POLL_MS);
      }
    },
    async close() {
      unlisten();
      await dispatcher.close();
      await deliverer.close();
    },
  };
}
