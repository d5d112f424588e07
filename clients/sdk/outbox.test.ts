import { describe, expect, test } from 'vitest';
import type { Facts } from './facts.ts';
import { createOutbox, type Delivery } from './outbox.ts';

function outboxWith(deliveries: Delivery[] = []) {
  const sent: Facts[] = [];
  const counts = { mouse_num_events: 0 };
  const outbox = createOutbox({
    counts: () => ({ bot: { ...counts } }),
    async send(facts) {
      sent.push(facts);
      return deliveries.shift() ?? 'done';
    },
  });
  outbox.takeAll();
  return { outbox, sent, counts };
}

describe('outbox', () => {
  test('sends nothing without changes', async () => {
    const { outbox, sent } = outboxWith();
    expect(await outbox.flush(false)).toBe(true);
    expect(sent).toEqual([]);
  });

  test('sends changes once, with the counts', async () => {
    const { outbox, sent, counts } = outboxWith();
    counts.mouse_num_events = 3;
    outbox.add({ checks: { app_rtt_ms: 12 } });
    outbox.add({ checks: { worker: { platform: 'Win32' } } });
    await outbox.flush(false);
    await outbox.flush(true);
    expect(sent).toEqual([
      { bot: { mouse_num_events: 3 }, checks: { app_rtt_ms: 12, worker: { platform: 'Win32' } } },
    ]);
  });

  test('sends failed changes again together with newer ones', async () => {
    const { outbox, sent, counts } = outboxWith(['again']);
    outbox.add({ checks: { app_rtt_ms: 12, locale: 'fr' } });
    expect(await outbox.flush(false)).toBe(false);
    counts.mouse_num_events = 9;
    outbox.add({ checks: { app_rtt_ms: 8 } });
    expect(await outbox.flush(false)).toBe(true);
    expect(sent[1]).toEqual({ bot: { mouse_num_events: 9 }, checks: { app_rtt_ms: 8, locale: 'fr' } });
  });

  test('sends an urgent request without waiting for a running one', async () => {
    const order: boolean[] = [];
    let arrive = (_: Delivery) => {};
    const slowDelivery = new Promise<Delivery>((resolve) => {
      arrive = resolve;
    });
    const outbox = createOutbox({
      counts: () => ({ bot: { mouse_num_events: order.length } }),
      send(_, isUrgent) {
        order.push(isUrgent);
        return isUrgent ? Promise.resolve('done') : slowDelivery;
      },
    });
    const slow = outbox.flush(false);
    await Promise.resolve();
    await outbox.flush(true);
    expect(order).toEqual([false, true]);
    arrive('done');
    expect(await slow).toBe(true);
  });
});
