import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type AttemptRow, deliveryPages, findAttempts } from './delivery-store.ts';
import type { Delivery, DeliveryState } from './endpoint.ts';

export type { AttemptRow } from './delivery-store.ts';

/** The same page of the deliveries of several endpoints, in the order of the endpoints' ids. */
export async function listDeliveries(
  viewer: Viewer,
  endpointIds: readonly string[],
  page: { state: DeliveryState | null; after: string | null; limit: number },
): Promise<Delivery[][]> {
  assertMay(viewer, 'webhook.read');
  const byEndpoint = await deliveryPages(viewer.project.database, endpointIds, page);
  return endpointIds.map((id) => byEndpoint.get(id) ?? []);
}

/** The newest attempts of deliveries, in the order of the deliveries' ids. */
export async function listAttempts(
  viewer: Viewer,
  deliveryIds: readonly string[],
  limit: number,
): Promise<AttemptRow[][]> {
  assertMay(viewer, 'webhook.read');
  const byDelivery = await findAttempts(viewer.project.database, deliveryIds, limit);
  return deliveryIds.map((id) => byDelivery.get(id) ?? []);
}
