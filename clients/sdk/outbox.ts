import { type Facts, mergeFacts } from './facts.ts';

/** What became of facts that were sent: whether they have to be sent again. */
export type Delivery = 'done' | 'again';

/** Gathers what came to be known since the last request, and sends it in one. */
export type Outbox = {
  add(facts: Facts): void;
  /** Everything that waits, with the newest counts; it counts as sent. */
  takeAll(): Facts;
  /** Sends what is new; `isUrgent` does not wait for an earlier request. False when it has to be sent again. */
  flush(isUrgent: boolean): Promise<boolean>;
};

export function createOutbox(deps: {
  counts: () => Facts;
  send: (facts: Facts, isUrgent: boolean) => Promise<Delivery>;
}): Outbox {
  let waiting: Facts = {};
  let sentCounts = '';
  let underWay: Promise<unknown> = Promise.resolve();

  const takeAll = () => {
    const counts = deps.counts();
    const facts = mergeFacts(waiting, counts);
    waiting = {};
    sentCounts = JSON.stringify(counts);
    return facts;
  };
  const hasNews = () => Object.keys(waiting).length > 0 || JSON.stringify(deps.counts()) !== sentCounts;
  const deliver = async (isUrgent: boolean) => {
    if (!hasNews()) return true;
    const facts = takeAll();
    if ((await deps.send(facts, isUrgent)) === 'done') return true;
    waiting = mergeFacts(facts, waiting);
    return false;
  };
  return {
    add(facts) {
      waiting = mergeFacts(waiting, facts);
    },
    takeAll,
    async flush(isUrgent) {
      const delivered = isUrgent ? deliver(true) : underWay.then(() => deliver(false));
      underWay = Promise.all([underWay, delivered]);
      return delivered;
    },
  };
}
