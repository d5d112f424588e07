import { DELIVERY_STATES, type DeliveryState } from '@vouchgraph/events/webhooks';
import { firstIdAt } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';

/** Conditions of deliveries to all endpoints; a delivery meets all of them. */
export type DeliveryFilter = {
  readonly state?: DeliveryState | null | undefined;
  readonly endpointId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  /** Deliveries created in [since, until). */
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
};

/** Selection of a filter. The state is a literal: the index of those that are not delivered serves each of their states. */
function selectionOf(database: ProjectDatabase, filter: DeliveryFilter) {
  const selection = selectionIn(database, ['project_id = $1']);
  const { parameter, add } = selection;
  const { endpointId, eventType, since, until } = filter;
  const state = DELIVERY_STATES.find((each) => each === filter.state);
  if (state) add(state, `state = '${state}'`);
  if (endpointId != null) add('endpoint', `endpoint_id = ${parameter(endpointId)}::uuid`);
  if (eventType != null) add('type', `event_type = ${parameter(eventType)}`);
  if (since) add('since', `delivery_id >= ${parameter(firstIdAt(since))}::uuid`);
  if (until) add('until', `delivery_id < ${parameter(firstIdAt(until))}::uuid`);
  return selection;
}

/** Ids of a page of the deliveries to all endpoints, the newest first, in the order in which it is read. */
export async function searchDeliveries(
  database: ProjectDatabase,
  filter: DeliveryFilter,
  page: KeysetPage,
): Promise<string[]> {
  const rows = await findPage<{ delivery_id: string }>(
    selectionOf(database, filter),
    'delivery.search',
    { columns: [{ sql: 'delivery_id', type: 'uuid' }], direction: 'DESC', page },
    ({ where, order }) => `select delivery_id from webhook_deliveries where ${where} ${order}`,
  );
  return rows.map(({ delivery_id }) => delivery_id);
}

/** Number of deliveries that a filter finds, counted up to a limit. */
export function countFoundDeliveries(
  database: ProjectDatabase,
  filter: DeliveryFilter,
  limit: number,
): Promise<number> {
  return countFound(
    selectionOf(database, filter),
    'delivery.count_found',
    limit,
    (where, most) => `select from webhook_deliveries where ${where} order by delivery_id desc limit ${most}`,
  );
}
