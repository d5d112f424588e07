import {
  type DocumentedEvent,
  documentedBody,
  EVENT_TYPES,
  type EventRow,
  type EventType,
  eventBody,
  sampleEvent,
  toPublicEvent,
} from '@vouchgraph/events';
import {
  type Endpoint,
  eventNotFound,
  isSuccess,
  type Outcome,
  previousSecretsOf,
  signedHeaders,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { findEvents, readHead } from '../events/event-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { findSample } from './delivery-store.ts';
import { getOwnEndpoint } from './endpoint-access-service.ts';
import { auditOf } from './endpoint-audit.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import type { Sender } from './sender-service.ts';

/** Number of newest events that are searched for an example. */
const SAMPLED = 10_000;

/** Why an endpoint receives an event, or does not. */
export type SimulationReason = 'type_chosen' | 'type_not_chosen' | 'endpoint_paused' | 'endpoint_disabled';
export type Simulation = { wouldDeliver: boolean; reason: SimulationReason; body: string | null };
export type TestResult = { endpoint: StoredEndpoint; eventId: string; delivered: boolean; outcome: Outcome };

type TestDependencies = {
  clock: Clock;
  sender: Sender;
  allowsLoopback: (project: Project) => Promise<boolean>;
};

/** Returns whether an endpoint would receive an event, or the newest event of a type, why, and its body. */
export async function simulate(
  viewer: Viewer,
  endpointId: string,
  { type, eventId }: { type?: string | null; eventId?: string | null },
): Promise<Simulation> {
  assertMay(viewer, 'webhook.read');
  const endpoint = await getOwnEndpoint(viewer, endpointId);
  const { database, cipher, projectId } = viewer.project;
  if ((type == null) === (eventId == null))
    throw invalidInput('type: exactly one of type and eventId is required', ['type']);
  let row: EventRow | null;
  if (eventId != null) {
    const [found] = isUuid(eventId) ? await findEvents(database, [eventId]) : [];
    if (!found) throw eventNotFound();
    row = found;
  } else {
    const { position } = await readHead(database);
    row = await findSample(database, checkType(type!), position - SAMPLED);
  }
  const body = row && eventBody(toPublicEvent(cipher, projectId, row), endpoint.payloadFormat);
  return { ...decide(endpoint, row?.type ?? (type as EventType)), body };
}

/** Sends an event that is marked as a test, once, signed like any other. */
export async function sendTest(
  deps: TestDependencies,
  viewer: Viewer,
  requestId: string,
  endpointId: string,
  type: string,
): Promise<TestResult> {
  assertMay(viewer, 'webhook.manage');
  const { clock, sender, allowsLoopback } = deps;
  const checked = checkType(type);
  const endpoint = await getOwnEndpoint(viewer, endpointId);
  const { project } = viewer;
  const { projectId, database, cipher } = project;
  const now = clock.now();
  const event = testEvent(projectId, requestId, checked, now);
  const message = { id: event.id, type, body: documentedBody(event, endpoint.payloadFormat) };
  const line = { action: 'webhook.test' as const, after: { event: event.id, type } };
  await database.query(...auditOf(viewer, requestId, now, endpointId, line));
  const previous = previousSecretsOf(cipher, endpointId, endpoint.previousSecret, now);
  const secrets = [
    cipher.decryptJson<string>('webhook_endpoints', endpointId, endpoint.secret),
    ...previous.map(({ secret }) => secret),
  ];
  const outcome = await sender.send({
    url: endpoint.url,
    headers: signedHeaders(message, secrets, endpoint, now),
    body: message.body,
    allowsLoopback: await allowsLoopback(project),
  });
  return { endpoint, eventId: event.id, delivered: isSuccess(outcome), outcome };
}

function checkType(type: string): EventType {
  if (EVENT_TYPES.includes(type as EventType)) return type as EventType;
  throw invalidInput(`type: must be one of ${EVENT_TYPES.join(', ')}`, ['type']);
}

function decide({ state, eventTypes }: Endpoint, type: EventType): Omit<Simulation, 'body'> {
  const wants = eventTypes.length === 0 || eventTypes.includes(type);
  if (!wants) return { wouldDeliver: false, reason: 'type_not_chosen' };
  if (state === 'enabled') return { wouldDeliver: true, reason: 'type_chosen' };
  return { wouldDeliver: false, reason: state === 'paused' ? 'endpoint_paused' : 'endpoint_disabled' };
}

/** The recorded event of the type, with a new id and marked as a test. */
function testEvent(projectId: string, requestId: string, type: EventType, now: Date): DocumentedEvent {
  const sample = sampleEvent(type, projectId);
  return {
    ...sample,
    id: newId(now.getTime()),
    createdAt: now,
    requestId,
    data: { test: true, ...sample.data },
  };
}
