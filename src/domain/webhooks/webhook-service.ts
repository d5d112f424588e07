import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Relay } from '../events/relay-service.ts';
import type { Project } from '../projects/project.ts';
import { startDeliverer } from './delivery-service.ts';
import { FIND_DUE } from './delivery-store.ts';
import { startDispatcher } from './dispatch-service.ts';
import type { Jobs } from './job-store.ts';
import type { Sender } from './sender-service.ts';
import { startSweeper } from './sweep-service.ts';

export type Webhooks = {
  /** There are deliveries to be sent again, or an endpoint was resumed. */
  wake(): void;
  /** Makes and tries all deliveries that are due, in whichever process, and waits for their end. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const LOOK_AGAIN_MS = 20;

/** Tells endpoints of events: makes deliveries of them, and tries these until they are taken. */
export function startWebhooks(deps: {
  jobs: Jobs;
  sender: Sender;
  clock: Clock;
  relay: Relay;
  getProject: (projectId: string) => Promise<Project | null>;
  allowsLoopback: (project: Project) => boolean;
  onError: (error: unknown) => void;
}): Webhooks {
  const { jobs, clock, relay, onError } = deps;
  const deliverer = startDeliverer({ ...deps, onRoom: (projectIds) => dispatcher.noteRoom(projectIds) });
  const dispatcher = startDispatcher({ jobs, clock, onError, onJobs: () => deliverer.wake('first') });
  const sweeper = startSweeper({
    jobs,
    clock,
    onError,
    onJobs() {
      dispatcher.wake(null);
      deliverer.wake('first');
      deliverer.wake('retry');
    },
  });
  const unlisten = relay.onEvents((projectIds) => dispatcher.wake(projectIds));

  /** What is due by our clock may be for later by the database's. */
  async function hastenDue(): Promise<string> {
    const rows = await jobs.query(FIND_DUE, [clock.now()]);
    const due = rows.map((row) => ({
      deliveryId: row.delivery_id as string,
      endpointId: row.endpoint_id as string,
      accountId: row.account_id as string | null,
    }));
    if (due.length > 0) await jobs.transaction((transaction) => transaction.hasten(due));
    return due.map(({ deliveryId }) => deliveryId).join();
  }

  return {
    wake() {
      sweeper.wake();
      deliverer.wake('first');
      deliverer.wake('retry');
    },
    async settle() {
      let quietRounds = 0;
      for (let before: string | null = null; ; ) {
        await relay.settle();
        const swept = await sweeper.sweep();
        const made = swept + (await dispatcher.dispatchAll());
        const due = await hastenDue();
        await deliverer.drain();
        const elsewhere = await jobs.countTaken();
        // What stays due is beyond the limit of its endpoint.
        const isQuiet = made === 0 && elsewhere === 0 && (due === '' || due === before);
        quietRounds = isQuiet ? quietRounds + 1 : 0;
        // The end of an attempt that began in the background may have written an event: it shows in the round after.
        if (quietRounds === 2) return;
        before = due;
        if (elsewhere > 0) await delay(LOOK_AGAIN_MS);
      }
    },
    async close() {
      unlisten();
      await sweeper.close();
      await dispatcher.close();
      await deliverer.close();
    },
  };
}
