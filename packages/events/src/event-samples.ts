import recorded from '../data/event-samples.json' with { type: 'json' };
import type { EventType } from './catalogue/event-type.ts';
import { type DocumentedEvent, documentedBody } from './event-body.ts';

/*
 * One event of each type, recorded from a gateway: the examples of docs/events.md and of openapi.json, and the data of test
 * webhooks. test/acceptance/interface.test.ts compares their shape with the events that a gateway emits; with
 * RECORD_EVENT_SAMPLES=1 it records them again.
 */

type RecordedEvent = {
  readonly id: string;
  readonly created_at: string;
  readonly project_id: string;
  readonly metadata: {
    readonly session_id: string | null;
    readonly request_id: string | null;
    readonly account_id: string | null;
    readonly referring_session_id: string | null;
  };
  readonly data: Readonly<Record<string, unknown>>;
};

/** A type without a recorded event does not compile. */
const RECORDED: Readonly<Record<EventType, RecordedEvent>> = recorded;

/** The recorded event of a type. With `projectId` it is one of that project. */
export function sampleEvent(type: EventType, projectId?: string): DocumentedEvent {
  const { id, created_at, project_id, metadata, data } = ofProject(RECORDED[type], projectId);
  return {
    id,
    type,
    position: 0,
    createdAt: new Date(created_at),
    projectId: project_id,
    sessionId: metadata.session_id,
    referringSessionId: metadata.referring_session_id,
    requestId: metadata.request_id,
    accountId: metadata.account_id,
    data,
  };
}

/** The body of a webhook with the recorded event of a type, in the standard format unless another is chosen. */
export function sampleBody(type: EventType, format?: number): string {
  return documentedBody(sampleEvent(type), format);
}

function ofProject(sample: RecordedEvent, projectId: string | undefined): RecordedEvent {
  if (projectId === undefined) return sample;
  return JSON.parse(JSON.stringify(sample).replaceAll(sample.project_id, projectId));
}
