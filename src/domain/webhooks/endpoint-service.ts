import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import { invalidInput } from '../../platform/errors.ts';
import { firstIdAt, isUuid, NIL_UUID, newId } from '../../platform/ids.ts';
import { betweenText } from '../../platform/wording.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { type EventRow, type PublicEvent, toPublicEvent } from '../events/event.ts';
import { eventBody, NEWEST_PAYLOAD_FORMAT } from '../events/event-body.ts';
import { readHead } from '../events/event-store.ts';
import { EVENT_TYPES, type EventType } from '../events/outbox-event.ts';
import { sampleEvent } from '../events/samples/event-samples.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import {
  DROP_BEFORE,
  findDelivery,
  findEventById,
  findSample,
  HAS_ITS_JOB,
  LOCK_DELIVERY,
  RESEND_ONE,
  RESEND_SINCE,
  SET_RESUMING,
  toDelivery,
} from './delivery-store.ts';
import { type Delivery, type Endpoint, hostOf, isSuccess, MAX_ENDPOINTS, type Outcome } from './endpoint.ts';
import { type EndpointChanges, type NewEndpoint, newEndpointShape, orderedTypes } from './endpoint-input.ts';
import {
  countEndpoints,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  LOCK_ENDPOINT,
  listEndpoints,
  lockedEndpoint,
  POSITION_SINCE,
  rotateSecret,
  type StoredEndpoint,
  targetOf,
  updateEndpointCall,
} from './endpoint-store.ts';
import {
  deliveryNotFound,
  endpointNotEnabled,
  endpointNotFound,
  eventNotFound,
  tooManyEndpoints,
} from './errors.ts';
import { type Jobs, orderOf, type SystemTransaction } from './job-store.ts';
import { DAY } from './schedule.ts';
import type { Sender } from './sender-service.ts';
import { newSecret, signedHeaders } from './signature.ts';
import { PER_ENDPOINT } from './slots.ts';
import { urlProblem } from './target.ts';

/** For how long the secret before the present one signs besides. */
const OVERLAP_MS = DAY;
/** Deliveries that are resent by one call. */
const MOST_RESENT = 10_000;
/** An example is looked for among so many of the newest events. */
const SAMPLED = 10_000;

export type WithSecret = { endpoint: Endpoint; secret: string };
/** Why an endpoint is sent an event, or is not. */
export type SimulationReason = 'type_chosen' | 'type_not_chosen' | 'endpoint_paused' | 'endpoint_disabled';
export type Simulation = { wouldDeliver: boolean; reason: SimulationReason; body: string | null };
export type TestResult = { endpoint: Endpoint; eventId: string; delivered: boolean; outcome: Outcome };

export type ResendSince = {
  endpointId: string;
  since: Date;
  onlyDead?: boolean;
  /** How many are looked at. */
  first?: number;
  /** Behind which delivery it goes on. */
  after?: string | null;
};
/** `endCursor` is null when there is nothing behind what was looked at. */
export type Resent = { endpoint: Endpoint; count: number; endCursor: string | null };

export type EndpointService = ReturnType<typeof createEndpointService>;

/** Keeps the endpoints of projects, and sends again what they ask for. */
export function createEndpointService(deps: {
  clock: Clock;
  jobs: Jobs;
  sender: Sender;
  allowsLoopback: (project: Project) => boolean;
  /** Told that there are deliveries to be tried again. */
  onResent: () => void;
}) {
  const { clock, jobs, sender, allowsLoopback, onResent } = deps;

  /** An endpoint of an id, or null. */
  async function find(viewer: Viewer, endpointId: string): Promise<StoredEndpoint | null> {
    assertMay(viewer, 'webhook.read');
    const { project } = viewer;
    return isUuid(endpointId) ? findEndpoint(project.database, endpointId) : null;
  }

  async function get(viewer: Viewer, endpointId: string): Promise<StoredEndpoint> {
    const endpoint = await find(viewer, endpointId);
    if (!endpoint) throw endpointNotFound();
    return endpoint;
  }

  /** All endpoints of the project, the oldest first. */
  function list(viewer: Viewer): Promise<Endpoint[]> {
    assertMay(viewer, 'webhook.read');
    const { project } = viewer;
    return listEndpoints(project.database);
  }

  function checkUrl(project: Project, url: string): string {
    const problem = urlProblem(url, { allowsLoopback: allowsLoopback(project) });
    if (problem !== null) throw invalidInput(`url: ${problem}`, ['input', 'url']);
    return new URL(url).href;
  }

  function create(viewer: Viewer, requestId: string | null, input: NewEndpoint): Promise<WithSecret> {
    assertMay(viewer, 'webhook.manage');
    const { project } = viewer;
    const { projectId } = project;
    checkFields(input);
    const now = clock.now();
    const endpointId = newId(now.getTime());
    const secret = newSecret();
    const fields = {
      endpointId,
      url: checkUrl(project, input.url),
      description: input.description ?? '',
      eventTypes: orderedTypes(input.eventTypes ?? []),
      signatureFormat: input.signatureFormat ?? 'standard',
      payloadFormat: NEWEST_PAYLOAD_FORMAT,
      ratePerMinute: input.ratePerMinute || null,
      createdAt: now,
    };
    return project.database.transaction(async (transaction) => {
      if ((await countEndpoints(projectId, transaction)) >= MAX_ENDPOINTS)
        throw tooManyEndpoints(MAX_ENDPOINTS);
      const sealed = project.cipher.sealJson('webhook_endpoints', endpointId, secret);
      const endpoint = await insertEndpoint(projectId, transaction, { ...fields, secret: sealed });
      const line = { action: 'webhook.create' as const, after: audited(endpoint) };
      await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
      return { endpoint, secret };
    });
  }

  /** Changes what is given; null and absent leave what there is. Nothing is written when nothing changes. */
  async function update(
    viewer: Viewer,
    requestId: string,
    endpointId: string,
    changes: EndpointChanges,
  ): Promise<Endpoint> {
    assertMay(viewer, 'webhook.manage');
    if (!isUuid(endpointId)) throw endpointNotFound();
    const { project } = viewer;
    const { projectId } = project;
    const now = clock.now();
    const url = changes.url == null ? null : checkUrl(project, changes.url);
    if (changes.resumeFrom != null && changes.paused !== false)
      throw invalidInput('resumeFrom: requires paused: false', ['input', 'resumeFrom']);
    const { endpoint, isResumed } = await jobs.transaction(async (transaction) => {
      const current = lockedEndpoint(await transaction.run(LOCK_ENDPOINT, [projectId, endpointId]));
      if (!current) throw endpointNotFound();
      const wanted = { ...merge(current, { ...changes, url }), updatedAt: now };
      const isResumed = current.state !== 'enabled' && wanted.state === 'enabled';
      const changed = changesOf(current, wanted);
      if (!changed) return { endpoint: current, isResumed };
      const position = isResumed
        ? await resume(transaction, projectId, current, changes.resumeFrom ?? null, now)
        : current.position;
      const endpoint = { ...wanted, position };
      await transaction.run(...updateEndpointCall(projectId, endpoint));
      const line = { action: 'webhook.update' as const, ...changed };
      await transaction.run(...auditOf(viewer, requestId, now, endpointId, line));
      return { endpoint, isResumed };
    });
    if (isResumed) onResent();
    return endpoint;
  }

  /** Passes over what is to be passed over; through which event it has been told. What waits gets its jobs afterwards. */
  async function resume(
    transaction: SystemTransaction,
    projectId: string,
    { endpointId, position }: Endpoint,
    from: Date | null,
    now: Date,
  ): Promise<number> {
    await transaction.run(SET_RESUMING, [projectId, endpointId, true]);
    if (from === null) return position;
    const [row] = await transaction.run(POSITION_SINCE, [projectId, from]);
    const before = Number(row.position);
    await transaction.run(DROP_BEFORE, [projectId, endpointId, before, now]);
    return Math.max(position, before);
  }

  function remove(viewer: Viewer, requestId: string, endpointId: string): Promise<void> {
    assertMay(viewer, 'webhook.manage');
    if (!isUuid(endpointId)) throw endpointNotFound();
    const { database, projectId } = viewer.project;
    const now = clock.now();
    return database.transaction(async (transaction) => {
      const url = await deleteEndpoint(projectId, transaction, endpointId);
      if (url === null) throw endpointNotFound();
      const line = { action: 'webhook.delete' as const, before: { host: hostOf(url) } };
      await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
    });
  }

  /** A new secret; the one before signs besides for a day. */
  function rotate(viewer: Viewer, requestId: string, endpointId: string): Promise<WithSecret> {
    assertMay(viewer, 'webhook.manage');
    if (!isUuid(endpointId)) throw endpointNotFound();
    const { database, projectId, cipher } = viewer.project;
    const now = clock.now();
    const secret = newSecret();
    return database.transaction(async (transaction) => {
      const endpoint = await rotateSecret(projectId, transaction, {
        endpointId,
        secret: cipher.sealJson('webhook_endpoints', endpointId, secret),
        until: new Date(now.getTime() + OVERLAP_MS),
        now,
      });
      if (!endpoint) throw endpointNotFound();
      const line = { action: 'webhook.rotate_secret' as const };
      await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
      return { endpoint, secret };
    });
  }

  /** Tries a delivery anew from its first attempt on, whatever became of it. */
  async function resend(viewer: Viewer, requestId: string | null, deliveryId: string): Promise<Delivery> {
    assertMay(viewer, 'webhook.manage');
    const delivery = isUuid(deliveryId) ? await findDelivery(viewer.project.database, deliveryId) : null;
    if (!delivery) throw deliveryNotFound();
    const { projectId } = viewer.project;
    const now = clock.now();
    const resent = await jobs.transaction(async (transaction) => {
      await lockEnabled(transaction, projectId, delivery.endpointId);
      const [before] = await transaction.run(LOCK_DELIVERY, [projectId, deliveryId]);
      if (!before) throw deliveryNotFound();
      const [row] = await transaction.run(RESEND_ONE, [projectId, now, deliveryId]);
      if (!row) throw eventNotFound();
      const order = before.is_untried ? orderOf(row) : null;
      const [after] = await transaction.run(HAS_ITS_JOB, [projectId, deliveryId]);
      // One that waits for its next attempt has its job already, for later.
      if (after.has_job) await transaction.hasten([{ ...delivery, accountId: order?.accountId ?? null }]);
      else
        await transaction.addJobs('first', [
          { projectId, endpointId: delivery.endpointId, deliveryId, order },
        ]);
      const line = { action: 'webhook.resend' as const, after: { delivery: deliveryId } };
      await transaction.run(...auditOf(viewer, requestId, now, delivery.endpointId, line));
      return toDelivery(row);
    });
    onResent();
    return resent;
  }

  /** The same with all deliveries of events since a moment that have ended, so many a call. */
  async function resendSince(
    viewer: Viewer,
    requestId: string | null,
    { endpointId, since, onlyDead = false, first = MOST_RESENT, after = null }: ResendSince,
  ): Promise<Resent> {
    assertMay(viewer, 'webhook.manage');
    const { projectId } = viewer.project;
    const endpoint = await get(viewer, endpointId);
    if (!Number.isInteger(first) || first < 1 || first > MOST_RESENT)
      throw invalidInput(`first: ${betweenText(1, MOST_RESENT)}`, ['first']);
    if (after !== null && !isUuid(after))
      throw invalidInput('after: must be the endCursor of an earlier answer', ['after']);
    const now = clock.now();
    const states = onlyDead ? ['dead'] : ['dead', 'delivered'];
    const resent = await jobs.transaction(async (transaction) => {
      await lockEnabled(transaction, projectId, endpointId);
      const rows = await transaction.run(RESEND_SINCE, [
        projectId,
        now,
        endpointId,
        firstIdAt(since),
        since,
        states,
        first,
        after ?? NIL_UUID,
      ]);
      const ids = rows.flatMap((row): string[] => (row.is_resent ? [row.delivery_id] : []));
      await enqueue(transaction, projectId, endpointId, ids);
      const line = {
        action: 'webhook.resend' as const,
        after: { since: since.toISOString(), count: ids.length },
      };
      await transaction.run(...auditOf(viewer, requestId, now, endpointId, line));
      return {
        endpoint,
        count: ids.length,
        endCursor: rows.length === first ? rows.at(-1)!.delivery_id : null,
      };
    });
    onResent();
    return resent;
  }

  /** What an endpoint would be sent of an event, or of the newest of a type, and why not. */
  async function simulate(
    viewer: Viewer,
    endpointId: string,
    { type, eventId }: { type?: string | null; eventId?: string | null },
  ): Promise<Simulation> {
    assertMay(viewer, 'webhook.read');
    const endpoint = await get(viewer, endpointId);
    const { database, cipher, projectId } = viewer.project;
    if ((type == null) === (eventId == null))
      throw invalidInput('type: exactly one of type and eventId is required', ['type']);
    let row: EventRow | null;
    if (eventId != null) {
      row = isUuid(eventId) ? await findEventById(database, eventId) : null;
      if (!row) throw eventNotFound();
    } else {
      const { position } = await readHead(database);
      row = await findSample(database, checkType(type!), position - SAMPLED);
    }
    const body = row && eventBody(toPublicEvent(cipher, projectId, row), endpoint.payloadFormat);
    return { ...wouldTell(endpoint, row?.type ?? (type as EventType)), body };
  }

  /** Sends an event that says of itself that it is a test, signed alike, and once. */
  async function sendTest(
    viewer: Viewer,
    requestId: string,
    endpointId: string,
    type: string,
  ): Promise<TestResult> {
    assertMay(viewer, 'webhook.manage');
    const checked = checkType(type);
    const endpoint = await get(viewer, endpointId);
    const { project } = viewer;
    const { projectId, database, cipher } = project;
    const now = clock.now();
    const event = testEvent(projectId, requestId, checked, now);
    const message = { id: event.id, type, body: eventBody(event, endpoint.payloadFormat) };
    const line = { action: 'webhook.test' as const, after: { event: event.id, type } };
    await database.query(...auditOf(viewer, requestId, now, endpointId, line));
    const open = (blob: Buffer) => cipher.openJson<string>('webhook_endpoints', endpointId, blob);
    const { secret, previousSecret: previous, previousSecretUntil: until } = endpoint;
    const secrets = previous && until && until > now ? [open(secret), open(previous)] : [open(secret)];
    const outcome = await sender.send({
      url: endpoint.url,
      headers: signedHeaders(message, secrets, endpoint.signatureFormat, now),
      body: message.body,
      allowsLoopback: allowsLoopback(project),
    });
    return { endpoint, eventId: event.id, delivered: isSuccess(outcome), outcome };
  }

  return { find, list, create, update, remove, rotate, resend, resendSince, simulate, sendTest };
}

async function lockEnabled(
  transaction: SystemTransaction,
  projectId: string,
  endpointId: string,
): Promise<void> {
  const endpoint = lockedEndpoint(await transaction.run(LOCK_ENDPOINT, [projectId, endpointId]));
  if (!endpoint) throw endpointNotFound();
  if (endpoint.state !== 'enabled') throw endpointNotEnabled(endpoint.state);
}

async function enqueue(
  transaction: SystemTransaction,
  projectId: string,
  endpointId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  await transaction.addJobs(
    'first',
    deliveryIds.map((deliveryId, index) => ({
      projectId,
      endpointId,
      deliveryId,
      rank: Math.floor(index / PER_ENDPOINT),
    })),
  );
}

function merge(current: StoredEndpoint, changes: EndpointChanges): StoredEndpoint {
  const { url, description, eventTypes, signatureFormat, payloadFormat, ratePerMinute, paused } = changes;
  const isResumed = paused === false && current.state !== 'enabled';
  return {
    ...current,
    url: url ?? current.url,
    description: description ?? current.description,
    eventTypes: eventTypes ? orderedTypes(eventTypes) : current.eventTypes,
    signatureFormat: signatureFormat ?? current.signatureFormat,
    payloadFormat: payloadFormat ?? current.payloadFormat,
    ratePerMinute: ratePerMinute == null ? current.ratePerMinute : ratePerMinute || null,
    state: isResumed ? 'enabled' : paused === true && current.state === 'enabled' ? 'paused' : current.state,
    // Whoever was away has five days again.
    ...(isResumed ? { disabledReason: '', failingSince: null } : {}),
  };
}

const AUDITED = [
  'url',
  'description',
  'eventTypes',
  'signatureFormat',
  'payloadFormat',
  'ratePerMinute',
  'state',
] as const;

/** Of a URL the host alone: the rest may be a secret of the receiver. */
function audited(endpoint: Endpoint, fields: readonly (typeof AUDITED)[number][] = AUDITED) {
  return Object.fromEntries(
    fields.map((field) => (field === 'url' ? ['host', hostOf(endpoint.url)] : [field, endpoint[field]])),
  );
}

function changesOf(current: Endpoint, wanted: Endpoint) {
  const fields = AUDITED.filter((field) => !isDeepStrictEqual(current[field], wanted[field]));
  if (fields.length === 0) return null;
  return { before: audited(current, fields), after: audited(wanted, fields) };
}

function auditOf(
  { project, actor }: Viewer,
  requestId: string | null,
  at: Date,
  endpointId: string,
  { action, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'>,
) {
  const auditId = newId(at.getTime());
  const target = targetOf(endpointId);
  return auditCall(project.projectId, { auditId, at, actor, action, target, requestId, before, after });
}

/** The same checks for whoever does not come through a face. */
function checkFields(input: NewEndpoint): void {
  const issue = newEndpointShape.safeParse(input).error?.issues[0];
  if (issue)
    throw invalidInput(`${issue.path.join('.')}: ${issue.message}`, issue.path as (string | number)[]);
}

function checkType(type: string): EventType {
  if (EVENT_TYPES.includes(type as EventType)) return type as EventType;
  throw invalidInput(`type: must be one of ${EVENT_TYPES.join(', ')}`, ['type']);
}

function wouldTell({ state, eventTypes }: Endpoint, type: EventType): Omit<Simulation, 'body'> {
  const wants = eventTypes.length === 0 || eventTypes.includes(type);
  if (!wants) return { wouldDeliver: false, reason: 'type_not_chosen' };
  if (state === 'enabled') return { wouldDeliver: true, reason: 'type_chosen' };
  return { wouldDeliver: false, reason: state === 'paused' ? 'endpoint_paused' : 'endpoint_disabled' };
}

/** The recorded event of the type, under an id of its own and marked as a test. */
function testEvent(projectId: string, requestId: string, type: EventType, now: Date): PublicEvent {
  const sample = sampleEvent(type, projectId);
  return {
    ...sample,
    id: newId(now.getTime()),
    createdAt: now,
    requestId,
    data: { test: true, ...sample.data },
  };
}
