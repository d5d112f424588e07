import { type AccountExport, orderBy } from '../model/account-export-store.ts';

/** Deliveries of events of the account. */
export const webhooksExports: readonly AccountExport[] = [
  {
    section: 'webhook_deliveries',
    columns: ['webhook_deliveries.account_id'],
    select:
      'd.delivery_id, d.endpoint_id, d.event_id, d.event_type, d.state, d.attempts, d.created_at, d.finished_at',
    from: 'webhook_deliveries d where d.project_id = $1 and d.account_id = $2',
    order: [orderBy('d.delivery_id', 'uuid')],
    record: (row) => ({
      deliveryId: row.delivery_id,
      endpointId: row.endpoint_id,
      eventId: row.event_id,
      eventType: row.event_type,
      state: row.state,
      attempts: row.attempts,
      createdAt: row.created_at,
      finishedAt: row.finished_at,
    }),
  },
];
