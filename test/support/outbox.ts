import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { sampleEvent } from '@vouchgraph/events/internals/event-samples';
import { type OutboxEvent, outboxEvent } from '@vouchgraph/events/internals/outbox-event';
import { systemClock } from '@vouchgraph/platform/clock';
import { MasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { eventAccountHash } from '../../src/domain/events/event-account-hash.ts';
import { insertEvents } from '../../src/domain/events/insert-events-store.ts';
import { createAccessService } from '../../src/domain/projects/access-service.ts';
import { factsOf } from './event-facts.ts';
import type { Gateway } from './gateway.ts';

const INSERT = {
  name: 'test.write_events',
  text: `with ${insertEvents(
    {
      createdAt: 'now()',
      eventId: 'e.id',
      type: 'e.type',
      sessionId: 'e.session_id',
      referringSessionId: 'null',
      payload: 'e.payload',
      accountId: 'a.id',
      accountHash: 'e.account_hash',
    },
    `from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bytea[], $6::text[],
           $7::bytea[]) with ordinality as e (id, type, session_id, payload, account_id, account_hash, n)
         left join accounts a on a.project_id = $1 and a.account_id = e.account_id and e.type <> 'account.deleted'
         order by e.n`,
  )}`,
};

/** SQL: events of all projects with their positions, which are null until the relay has numbered them. */
export const EVENTS_WITH_POSITIONS = `(
  select o.*, w.first_position + o.place as position
  from outbox_events o left join outbox_writes w on w.project_id = o.project_id and w.write_id = o.write_id
) events`;

/** SQL: inserts events of the project $1 with an empty payload; `from` is everything behind the select list. */
export const insertEmptyEvents = (type: string, from = '', createdAt = 'now()'): string =>
  `with ${insertEvents({ createdAt, eventId: 'gen_random_uuid()', type, payload: "''" }, from)}`;

export type WrittenEvent = { type: EventType; sessionId?: string; data: Record<string, unknown> };

/** The documented data of the recorded event of a type. */
export const sampleData = (type: EventType, projectId?: string): Record<string, unknown> =>
  structuredClone(sampleEvent(type, projectId).data);

/**
 * Writes events like the parts of the service, from their documented data: with the account of the data, when
 * it exists and is not erased.
 */
export async function createEventWriter(
  gateway: Gateway,
  masterKey: string,
  projectId: string,
  /** `client`: a connection for the writes, instead of one of the gateway. */
  { client }: { client?: pg.Client } = {},
) {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  const project = (await access.findProjectById(projectId))!;
  const encrypt = ({ type, data, sessionId }: WrittenEvent): OutboxEvent =>
    outboxEvent(project.cipher, type, sessionId ?? null, factsOf(type, data), new Date());
  return async (events: readonly WrittenEvent[]): Promise<void> => {
    const encrypted = events.map(encrypt);
    const accountIds = events.map(({ data }) => (data.account_id ?? null) as string | null);
    const values = [
      projectId,
      encrypted.map(({ eventId }) => eventId),
      encrypted.map(({ type }) => type),
      encrypted.map(({ sessionId }) => sessionId),
      encrypted.map(({ payload }) => payload),
      accountIds,
      accountIds.map((accountId) => accountId && eventAccountHash(project.cipher, accountId)),
    ];
    if (client) await client.query(INSERT.text, values);
    else await project.database.query(INSERT, values);
  };
}
