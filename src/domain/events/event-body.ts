import { documentedData } from './documented-data.ts';
import type { PublicEvent } from './event.ts';

/*
 * Bodies of webhooks, one renderer for each payload format. Each endpoint has the format that it was created with until its
 * operator changes it, so that a new format never reaches a receiver that was written for an earlier one.
 */

type Renderer = (event: PublicEvent) => string;

const RENDERERS: ReadonlyMap<number, Renderer> = new Map([[1, renderFormat1]]);

/** Payload formats that an endpoint can have, in ascending order. */
export const PAYLOAD_FORMATS: readonly number[] = [...RENDERERS.keys()];
export const NEWEST_PAYLOAD_FORMAT = Math.max(...PAYLOAD_FORMATS);

/** The event as JSON for receivers of webhooks: the same bytes each time. Throws for an unknown format. */
export function eventBody(event: PublicEvent, format: number = NEWEST_PAYLOAD_FORMAT): string {
  const render = RENDERERS.get(format);
  if (!render) throw new Error(`Unknown payload format ${format}`);
  return render(event);
}

export function isPayloadFormat(format: number): boolean {
  return RENDERERS.has(format);
}

function renderFormat1(event: PublicEvent): string {
  const { id, type, createdAt, projectId, sessionId, referringSessionId, requestId, accountId, facts } =
    event;
  const timestamp = createdAt.toISOString();
  return JSON.stringify({
    id,
    type,
    event_type: type,
    format: 1,
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
    data: documentedData(facts),
  });
}
