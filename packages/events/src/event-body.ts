import { documentedData } from './catalogue/documented-data.ts';
import type { PublicEvent } from './event.ts';

/*
 * Bodies of webhooks, one renderer for each payload format. An endpoint keeps its format until its operator changes it, so
 * that a new format never reaches a receiver that was written for another one.
 */

/** An event with its documented data. */
export type DocumentedEvent = Omit<PublicEvent, 'facts'> & {
  readonly data: Readonly<Record<string, unknown>>;
};

type Renderer = (event: DocumentedEvent) => string;

/** Every event has the same keys; its data is in `data`. */
export const STANDARD_FORMAT = 1;
/** An email check is the same object as on REST, as older receivers expect it; other events are as in the standard format. */
export const ENVELOPE_FORMAT = 2;

const RENDERERS: ReadonlyMap<number, Renderer> = new Map([
  [STANDARD_FORMAT, (event) => standardBody(event, STANDARD_FORMAT)],
  [ENVELOPE_FORMAT, (event) => checkBody(event) ?? standardBody(event, ENVELOPE_FORMAT)],
]);

/** Payload formats that an endpoint can have, in ascending order. */
export const PAYLOAD_FORMATS: readonly number[] = [...RENDERERS.keys()];

/** The event as JSON for receivers of webhooks: the same bytes each time. Throws for an unknown format. */
export function eventBody({ facts, ...event }: PublicEvent, format: number = STANDARD_FORMAT): string {
  return documentedBody({ ...event, data: documentedData(facts) }, format);
}

/** As `eventBody`, from documented data. */
export function documentedBody(event: DocumentedEvent, format: number = STANDARD_FORMAT): string {
  const render = RENDERERS.get(format);
  if (!render) throw new Error(`Unknown payload format ${format}`);
  return render(event);
}

export function isPayloadFormat(format: number): boolean {
  return RENDERERS.has(format);
}

function standardBody(event: DocumentedEvent, format: number): string {
  const { id, type, createdAt, projectId, sessionId, referringSessionId, requestId, accountId, data } = event;
  const timestamp = createdAt.toISOString();
  return JSON.stringify({
    id,
    type,
    event_type: type,
    format,
    created_at: timestamp,
    project_id: projectId,
    metadata: {
      project_id: projectId,
      session_id: sessionId,
      request_id: requestId,
      timestamp,
      account_id: accountId,
      referring_session_id: referringSessionId,
    },
    data,
  });
}

/** The body of an email check without keys of the envelope; null for other events. */
function checkBody({ type, data }: DocumentedEvent): string | null {
  if (type !== 'email.intelligence.completed') return null;
  const { account_id: _, ...check } = data;
  return JSON.stringify(check);
}
