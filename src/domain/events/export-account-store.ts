import { DOCUMENTED_FORMAT, documentedData, type EventRow, toPublicEvent } from '@vouchgraph/events';
import { type AccountExport, orderBy } from '../model/account-export-store.ts';
import type { Project } from '../projects/project.ts';

/**
 * Events of the account with their data. Of events of other accounts that name it, only type and time: their data belongs
 * to the others.
 */
export const eventsExports: readonly AccountExport[] = [
  {
    section: 'events',
    columns: ['outbox_events.account_id', 'outbox_events.other_account_id'],
    select: `e.event_id, e.type, e.session_id, e.referring_session_id, e.request_id, e.account_id, e.created_at,
      case when e.account_id = $2 then e.payload end as payload`,
    from: 'outbox_events e where e.project_id = $1 and (e.account_id = $2 or e.other_account_id = $2)',
    order: [orderBy('e.created_at', 'timestamptz'), orderBy('e.event_id', 'uuid')],
    record: (row, { project }) => ({
      eventId: row.event_id,
      type: row.type,
      at: row.created_at,
      ...(row.payload === null
        ? { data: null }
        : {
            sessionId: row.session_id,
            requestId: row.request_id,
            data: dataOf(project, row as Omit<EventRow, 'position'>),
          }),
    }),
  },
];

/** The data do not contain the position. */
function dataOf({ cipher, projectId }: Project, row: Omit<EventRow, 'position'>): Record<string, unknown> {
  const { facts } = toPublicEvent(cipher, projectId, { ...row, position: '0' });
  return { format: DOCUMENTED_FORMAT, ...documentedData(facts) };
}
