import type pg from 'pg';
import { type EventType, outboxEvent } from '../../src/domain/events/outbox-event.ts';
import { createAccessService } from '../../src/domain/projects/access-service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { MasterKey } from '../../src/platform/crypto.ts';
import type { Gateway } from './gateway.ts';

const INSERT = {
  name: 'test.write_events',
  text: `insert into outbox_events (project_id, created_at, event_id, type, session_id, payload, account_id)
         select $1, now(), e.id, e.type, e.session_id, e.payload, a.id
         from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bytea[], $6::text[]) with ordinality
           as e (id, type, session_id, payload, account_id, n)
         left join accounts a on a.project_id = $1 and a.account_id = e.account_id and e.type <> 'account.deleted'
         order by e.n`,
};

export type WrittenEvent = { type: EventType; sessionId?: string; data: Record<string, unknown> };

/** Writes events as the parts of the service do: with the account that their data name, where it is there and stays. */
export async function createEventWriter(
  gateway: Gateway,
  masterKey: string,
  projectId: string,
  /** A connection to write over, rather than one of the gateway's. */
  client?: pg.Client,
) {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  const project = (await access.findProjectById(projectId))!;
  return async (events: readonly WrittenEvent[]): Promise<void> => {
    const sealed = events.map(({ type, sessionId, data }) =>
      outboxEvent(project.cipher, type, sessionId ?? null, data, new Date()),
    );
    const values = [
      projectId,
      sealed.map(({ eventId }) => eventId),
      sealed.map(({ type }) => type),
      sealed.map(({ sessionId }) => sessionId),
      sealed.map(({ payload }) => payload),
      events.map(({ data }) => data.account_id ?? null),
    ];
    if (client) await client.query(INSERT.text, values);
    else await project.database.query(INSERT, values);
  };
}
