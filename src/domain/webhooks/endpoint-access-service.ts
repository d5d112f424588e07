import { endpointNotFound } from '@vouchgraph/events/webhooks';
import { isUuid } from '@vouchgraph/platform/ids';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { findEndpoint, type StoredEndpoint } from './endpoint-store.ts';

/** An endpoint of the project by its id, or null. */
export async function findOwnEndpoint(viewer: Viewer, endpointId: string): Promise<StoredEndpoint | null> {
  assertMay(viewer, 'webhook.read');
  const { project } = viewer;
  return isUuid(endpointId) ? findEndpoint(project.database, endpointId) : null;
}

/** The same; throws if it does not exist. */
export async function getOwnEndpoint(viewer: Viewer, endpointId: string): Promise<StoredEndpoint> {
  assertMay(viewer, 'webhook.read');
  const endpoint = await findOwnEndpoint(viewer, endpointId);
  if (!endpoint) throw endpointNotFound('endpointId');
  return endpoint;
}
