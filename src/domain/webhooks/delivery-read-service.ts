import type { DeliveryState } from '@vouchgraph/events/webhooks';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { WebhookDelivery, WebhookEndpoint } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { decryptBody } from './body-service.ts';
import { countFoundDeliveries, type DeliveryFilter, searchDeliveries } from './delivery-search-store.ts';
import {
  type BodyRow,
  countDeliveries,
  type DeliveryQuery,
  deliveryPages,
  findBodies,
  findDeliveries,
} from './delivery-store.ts';
import { countAllEndpoints, pageEndpoints } from './endpoint-store.ts';

export type { DeliveryFilter } from './delivery-search-store.ts';
export type { DeliveryQuery } from './delivery-store.ts';

/** A page of the endpoints of the project, the oldest first. */
export function listEndpointPage(viewer: Viewer, page: KeysetPage): Promise<WebhookEndpoint[]> {
  assertMay(viewer, 'webhook.read');
  return pageEndpoints(viewer.project.database, page);
}

export function countEndpointsOf(viewer: Viewer): Promise<number> {
  assertMay(viewer, 'webhook.read');
  return countAllEndpoints(viewer.project.database);
}

/** The same page of the deliveries of several endpoints, the newest first, in the order of the endpoints' ids. */
export function listDeliveries(
  viewer: Viewer,
  endpointIds: readonly string[],
  page: { state: DeliveryState | null; page: KeysetPage },
  query: DeliveryQuery,
): Promise<WebhookDelivery[][]> {
  assertMay(viewer, 'webhook.read');
  return deliveryPages(viewer.project.database, endpointIds, page, query);
}

/** Numbers of deliveries of several endpoints, up to a limit. */
export async function countDeliveriesOf(
  viewer: Viewer,
  endpointIds: readonly string[],
  state: DeliveryState | null,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'webhook.read');
  return countDeliveries(viewer.project.database, endpointIds, state, limit);
}

/** A page of the deliveries to all endpoints, the newest first, with the relations that a query selects. */
export async function listFoundDeliveries(
  viewer: Viewer,
  filter: DeliveryFilter,
  page: KeysetPage,
  query: DeliveryQuery,
): Promise<WebhookDelivery[]> {
  assertMay(viewer, 'webhook.read');
  const { database } = viewer.project;
  return findDeliveries(database, await searchDeliveries(database, filter, page), query);
}

/** Number of deliveries to all endpoints that a filter finds, counted up to a limit. */
export function countFound(viewer: Viewer, filter: DeliveryFilter, limit: number): Promise<number> {
  assertMay(viewer, 'webhook.read');
  return countFoundDeliveries(viewer.project.database, filter, limit);
}

/** The bodies of deliveries, in the order of their ids, as they are sent. Null after an erasure. */
export async function readBodies(viewer: Viewer, deliveryIds: readonly string[]): Promise<(string | null)[]> {
  assertMay(viewer, 'webhook.read');
  const { project } = viewer;
  const rows = await findBodies(project.database, deliveryIds);
  const bodies = new Map(rows.map((row) => [row.delivery_id, bodyOf(project, row)]));
  return deliveryIds.map((id) => bodies.get(id) ?? null);
}

function bodyOf(project: Project, row: BodyRow): string {
  const { event_id: eventId, payload_format: format, body } = row;
  return decryptBody(project, { projectId: project.projectId, eventId, format }, body);
}
