import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planDeliveries } from './plan-deliveries.ts';

const TYPES = ['account.authenticated', 'rule.custom', 'rule.triggered'] as const;
const endpoint = fc.record({
  endpointId: fc.uuid(),
  eventTypes: fc.subarray([...TYPES]),
  room: fc.integer({ min: 1, max: 5 }),
});
const events = fc
  .array(fc.constantFrom(...TYPES), { maxLength: 12 })
  .map((types) => types.map((type, index) => ({ type, position: 10 + index })));

describe('the deliveries of a batch of events', () => {
  it('are the first events of its types that an endpoint has room for, and its position is before the next one', () => {
    fc.assert(
      fc.property(fc.array(endpoint, { maxLength: 4 }), events, (endpoints, batch) => {
        const through = 9 + batch.length;
        const { deliveries, positions, full } = planDeliveries(endpoints, batch, through);
        for (const [index, { eventTypes, room }] of endpoints.entries()) {
          const wanted = batch.filter(({ type }) => eventTypes.length === 0 || eventTypes.includes(type));
          const given = deliveries
            .filter((each) => each.endpoint === index)
            .map(({ event }) => batch[event]!);
          expect(given).toEqual(wanted.slice(0, room));
          expect(positions[index]).toBe(wanted[room] ? wanted[room].position - 1 : through);
          expect(full.includes(index)).toBe(wanted.length > room);
        }
      }),
    );
  });
});
