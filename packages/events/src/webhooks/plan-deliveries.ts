import type { EventType } from '../catalogue/event-type.ts';

/** An endpoint with events after its position. */
export type BehindEndpoint = {
  readonly endpointId: string;
  /** Empty: all. */
  readonly eventTypes: readonly EventType[];
  /** How many deliveries may be added now. */
  readonly room: number;
};

export type DispatchPlan = {
  /** By their indexes, endpoint by endpoint, in the order of the events. */
  readonly deliveries: readonly { readonly endpoint: number; readonly event: number }[];
  /** The new position of each endpoint: it has a delivery of every event through it that it is to receive. */
  readonly positions: readonly number[];
  /** Indexes of endpoints with more events than they have room for. */
  readonly full: readonly number[];
};

/** Which endpoint receives which event; `through` is the last position that was read, also of other types. */
export function planDeliveries(
  endpoints: readonly BehindEndpoint[],
  events: readonly { readonly position: number; readonly type: EventType }[],
  through: number,
): DispatchPlan {
  const deliveries: { endpoint: number; event: number }[] = [];
  const full: number[] = [];
  const positions = endpoints.map(({ eventTypes, room }, endpoint) => {
    let remaining = room;
    for (const [event, { position, type }] of events.entries()) {
      if (eventTypes.length > 0 && !eventTypes.includes(type)) continue;
      if (remaining <= 0) {
        full.push(endpoint);
        return position - 1;
      }
      remaining -= 1;
      deliveries.push({ endpoint, event });
    }
    return through;
  });
  return { deliveries, positions, full };
}
