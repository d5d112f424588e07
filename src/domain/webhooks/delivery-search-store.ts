import { firstIdAt } from '../../platform/ids.ts';
import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import { DELIVERY_STATES, type DeliveryState } from './endpoint.ts';

/** Conditions of deliveries to all endpoints; a delivery meets all of them. */
export type DeliveryFilter = {
  readonly state?: DeliveryState | null | undefined;
  readonly endpointId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  /** Deliveries created in [since, until). */
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
};

/**
 * Conditions of a filter. Each combination of conditions is a separate statement, with the state as a literal: the index of
 * undelivered deliveries serves each of their states.
 */
function selectionOf(filter: DeliveryFilter, parameter: (value: unknown) => string) {
  const conditions = ['project_id = $1'];
  const shape: string[] = [];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  const { endpointId, eventType, since, until } = filter;
  const state = DELIVERY_STATES.find((each) => each === filter.state);
  if (state) add(state, `state = '${state}'`);
  if (endpointId != null) add('endpoint', `endpoint_id = ${parameter(endpointId)}::uuid`);
  if (eventType != null) add('type', `event_type = ${parameter(eventType)}`);
  if (since) add('since', `delivery_id >= ${parameter(firstIdAt(since))}::uuid`);
  if (until) add('until', `delivery_id < ${parameter(firstIdAt(until))}::uuid`);
  return { where: conditions.join(' and '), shape };
}

/** Ids of a page of the deliveries to all endpoints, the newest first, in the order in which it is read. */
export async function searchDeliveries(
  database: ProjectDatabase,
  filter: DeliveryFilter,
  page: KeysetPage,
): Promise<string[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { where, shape } = selectionOf(filter, parameter);
  const keyset = keysetOf([{ sql: 'delivery_id', type: 'uuid' }], 'DESC', page, parameter);
  const rows = await database.query<{ delivery_id: string }>(
    {
      name: `delivery.search:${keyset.shape}:${shape.join(',')}`,
      text: `select delivery_id from webhook_deliveries
             where ${[where, ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
  return rows.map(({ delivery_id }) => delivery_id);
}

/** Number of deliveries that a filter finds, counted up to a limit. */
export async function countFoundDeliveries(
  database: ProjectDatabase,
  filter: DeliveryFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { where, shape } = selectionOf(filter, parameter);
  const [row] = await database.query<{ total: number }>(
    {
      name: `delivery.count_found:${shape.join(',')}`,
      text: `select count(*)::int as total from (
               select from webhook_deliveries where ${where}
               order by delivery_id desc limit ${parameter(limit)}) found`,
    },
    values,
  );
  return row!.total;
}
