import { isDeepStrictEqual } from 'node:util';
import {
  DAY,
  type Endpoint,
  type EndpointChanges,
  endpointNotFound,
  hostOf,
  MAX_ENDPOINTS,
  type NewEndpoint,
  newEndpointShape,
  newSecret,
  orderedTypes,
  payloadFormatOf,
  previousSecretsOf,
  tooManyEndpoints,
  urlProblem,
  withReplaced,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { readInput } from '@vouchgraph/platform/input-shape';
import type { ProjectTransaction } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { DROP_BEFORE, LOCK_ORDER, RELEASE_ORDERS } from './delivery-queue-store.ts';
import { findOwnEndpoint } from './endpoint-access-service.ts';
import { auditOf } from './endpoint-audit.ts';
import {
  countEndpoints,
  deleteEndpoint,
  insertEndpoint,
  lockEndpoint,
  positionSince,
  type StoredEndpoint,
  updateEndpoint,
} from './endpoint-store.ts';
import { resend, resendSince } from './resend-service.ts';
import type { Sender } from './sender-service.ts';
import { sendTest, simulate } from './simulation-service.ts';

/** For how long the secret before the present one signs besides. */
const OVERLAP_MS = DAY;

export type WithSecret = { endpoint: StoredEndpoint; secret: string };

export type EndpointService = ReturnType<typeof createEndpointService>;

type EndpointDependencies = {
  clock: Clock;
  sender: Sender;
  allowsLoopback: (project: Project) => Promise<boolean>;
  /** Called when there are deliveries to be attempted again. */
  onResent: () => void;
};

/** Keeps the endpoints of projects, resends deliveries, and sends tests. */
export function createEndpointService(deps: EndpointDependencies) {
  return {
    find: findOwnEndpoint,
    simulate,
    create: create.bind(null, deps),
    update: update.bind(null, deps),
    remove: remove.bind(null, deps),
    rotate: rotate.bind(null, deps),
    resend: resend.bind(null, deps),
    resendSince: resendSince.bind(null, deps),
    sendTest: sendTest.bind(null, deps),
  };
}

async function checkUrl(
  { allowsLoopback }: EndpointDependencies,
  project: Project,
  url: string,
): Promise<string> {
  const problem = urlProblem(url, { allowsLoopback: await allowsLoopback(project) });
  if (problem !== null) throw invalidInput(`url: ${problem}`, ['input', 'url']);
  return new URL(url).href;
}

async function create(
  deps: EndpointDependencies,
  viewer: Viewer,
  requestId: string | null,
  input: NewEndpoint,
  /** A new one by default. */
  id?: string,
): Promise<WithSecret> {
  const { clock } = deps;
  assertMay(viewer, 'webhook.manage');
  const { project } = viewer;
  const { projectId } = project;
  // Commands do not check it.
  readInput(newEndpointShape, input);
  const now = clock.now();
  const endpointId = id ?? newId(now.getTime());
  const secret = newSecret();
  const fields = {
    projectId,
    endpointId,
    secret: new Uint8Array(project.cipher.encryptJson('webhook_endpoints', endpointId, secret)),
    url: await checkUrl(deps, project, input.url),
    description: input.description ?? '',
    eventTypes: orderedTypes(input.eventTypes ?? []),
    signatureFormat: input.signatureFormat ?? 'standard',
    signatureKey: input.signatureKey ?? 'text',
    payloadFormat: payloadFormatOf(input.signatureFormat ?? 'standard'),
    ratePerMinute: input.ratePerMinute || null,
    createdAt: now,
    updatedAt: now,
  };
  return project.database.transaction(async (transaction) => {
    if ((await countEndpoints(transaction, projectId)) >= MAX_ENDPOINTS)
      throw tooManyEndpoints(MAX_ENDPOINTS);
    const endpoint = await insertEndpoint(transaction, fields);
    const line = { action: 'webhook.create' as const, after: audited(endpoint) };
    await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
    return { endpoint, secret };
  });
}

/** Changes the fields that are present and not null. Writes nothing if no field changes. */
async function update(
  deps: EndpointDependencies,
  viewer: Viewer,
  requestId: string,
  endpointId: string,
  changes: EndpointChanges,
): Promise<StoredEndpoint> {
  const { clock, onResent } = deps;
  assertMay(viewer, 'webhook.manage');
  if (!isUuid(endpointId)) throw endpointNotFound('id');
  const { project } = viewer;
  const { projectId } = project;
  const now = clock.now();
  const url = changes.url == null ? null : await checkUrl(deps, project, changes.url);
  if (changes.resumeFrom != null && changes.paused !== false)
    throw invalidInput('resumeFrom: requires paused: false', ['input', 'resumeFrom']);
  const { endpoint, isResumed } = await project.database.transaction(async (transaction) => {
    const current = await lockEndpoint(transaction, projectId, endpointId);
    if (!current) throw endpointNotFound('id');
    const fields = fieldsOf(current, { ...changes, url });
    const wanted = { ...current, ...fields };
    const isResumed = current.state !== 'enabled' && wanted.state === 'enabled';
    const changed = changesOf(current, wanted);
    if (!changed) return { endpoint: current, isResumed };
    const position = isResumed
      ? await resume(transaction, current, changes.resumeFrom ?? null, now)
      : current.position;
    const endpoint = await updateEndpoint(transaction, current, { ...fields, position, updatedAt: now });
    const line = { action: 'webhook.update' as const, ...changed };
    await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
    return { endpoint, isResumed };
  });
  if (isResumed) onResent();
  return endpoint;
}

/** Drops what waits of earlier events; through which event deliveries are made. What still waits is due as before. */
async function resume(
  transaction: ProjectTransaction,
  { projectId, endpointId, position }: StoredEndpoint,
  from: Date | null,
  now: Date,
): Promise<bigint> {
  if (from === null) return position;
  const before = await positionSince(transaction, projectId, from);
  await transaction.run(
    [LOCK_ORDER, [projectId]],
    [DROP_BEFORE, [projectId, endpointId, before, now]],
    [RELEASE_ORDERS, [projectId, endpointId, now]],
  );
  return position > before ? position : before;
}

function remove(
  deps: EndpointDependencies,
  viewer: Viewer,
  requestId: string,
  endpointId: string,
): Promise<void> {
  const { clock } = deps;
  assertMay(viewer, 'webhook.manage');
  if (!isUuid(endpointId)) throw endpointNotFound('id');
  const { database, projectId } = viewer.project;
  const now = clock.now();
  return database.transaction(async (transaction) => {
    const endpoint = await lockEndpoint(transaction, projectId, endpointId);
    if (!endpoint) throw endpointNotFound('id');
    await deleteEndpoint(transaction, endpoint);
    const line = { action: 'webhook.delete' as const, before: { host: hostOf(endpoint.url) } };
    await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
  });
}

/** A new secret; each one before also signs until a day after its replacement. */
function rotate(
  deps: EndpointDependencies,
  viewer: Viewer,
  requestId: string,
  endpointId: string,
): Promise<WithSecret> {
  const { clock } = deps;
  assertMay(viewer, 'webhook.manage');
  if (!isUuid(endpointId)) throw endpointNotFound('id');
  const { database, projectId, cipher } = viewer.project;
  const now = clock.now();
  const secret = newSecret();
  return database.transaction(async (transaction) => {
    const current = await lockEndpoint(transaction, projectId, endpointId);
    if (!current) throw endpointNotFound('id');
    const encrypt = (value: unknown) =>
      new Uint8Array(cipher.encryptJson('webhook_endpoints', endpointId, value));
    const until = new Date(now.getTime() + OVERLAP_MS);
    const replaced = {
      secret: cipher.decryptJson<string>('webhook_endpoints', endpointId, current.secret),
      until: until.toISOString(),
    };
    const previous = previousSecretsOf(cipher, endpointId, current.previousSecret, now);
    const endpoint = await updateEndpoint(transaction, current, {
      secret: encrypt(secret),
      previousSecret: encrypt(withReplaced(previous, replaced)),
      previousSecretUntil: until,
      updatedAt: now,
    });
    const line = { action: 'webhook.rotate_secret' as const };
    await transaction.commit(auditOf(viewer, requestId, now, endpointId, line));
    return { endpoint, secret };
  });
}

/** The fields of an endpoint after changes. */
function fieldsOf(current: StoredEndpoint, changes: EndpointChanges): Partial<StoredEndpoint> {
  const { url, description, eventTypes, signatureKey, ratePerMinute, paused } = changes;
  const signatureFormat = changes.signatureFormat ?? current.signatureFormat;
  const usualFormat =
    signatureFormat === current.signatureFormat ? current.payloadFormat : payloadFormatOf(signatureFormat);
  const isResumed = paused === false && current.state !== 'enabled';
  return {
    url: url ?? current.url,
    description: description ?? current.description,
    eventTypes: eventTypes ? orderedTypes(eventTypes) : current.eventTypes,
    signatureFormat,
    signatureKey: signatureKey ?? current.signatureKey,
    payloadFormat: changes.payloadFormat ?? usualFormat,
    ratePerMinute: ratePerMinute == null ? current.ratePerMinute : ratePerMinute || null,
    state: isResumed ? 'enabled' : paused === true && current.state === 'enabled' ? 'paused' : current.state,
    // A resumed endpoint has five days again.
    ...(isResumed ? { disabledReason: '', failingSince: null } : {}),
  };
}

const AUDITED = [
  'url',
  'description',
  'eventTypes',
  'signatureFormat',
  'signatureKey',
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
