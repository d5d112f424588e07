import { createHash } from 'node:crypto';
import { createSourceEventStream, type DocumentNode, type ExecutionResult, type GraphQLError } from 'graphql';
import pLimit from 'p-limit';
import { EventSource, NEEDS_STREAM } from '../../graphql/events/subscription.ts';
import { schema } from '../../graphql/schema.ts';
import { presentError, presentResult } from '../graphql/errors.ts';
import { runDocument } from '../graphql/execute.ts';
import { resumeVariables } from './resume-variables.ts';
import { createRevealWatch } from './reveal-watch.ts';
import type { Sink, Subscriber } from './subscriber.ts';
import { groupOf, startIn } from './subscription-group.ts';
import type { SubscriptionDeps, SubscriptionRequest, SubscriptionState } from './subscription-state.ts';

/*
 * Subscriptions over every transport. Subscriptions with the same document, variables and rights form a group: an event is
 * executed once for the group, and its result is the same bytes for all members. A subscriber that resumes from a cursor
 * first reads the events since then from the database, alone and at its own speed. It joins its group when both have
 * received the same events: comparing and joining are synchronous, so that no event is sent twice or skipped.
 */

/** A subscription that may start. */
export type OpenedSubscription = {
  /** Starts sending; once. */
  start(sink: Sink): Subscriber;
};

export type SubscriptionCounts = { projects: number; groups: number; subscribers: number };

export type Subscriptions = {
  open(request: SubscriptionRequest): Promise<OpenedSubscription | { errors: readonly GraphQLError[] }>;
  counts(): SubscriptionCounts;
};

/** Concurrent executions and reads of all groups: requests use the same database. */
const EXECUTIONS = 8;
const READS = 4;

export function createSubscriptions(deps: SubscriptionDeps): Subscriptions {
  const state: SubscriptionState = {
    ...deps,
    groups: new Map(),
    reveals: createRevealWatch(deps.services.reveals, deps.services.clock),
    executing: pLimit(EXECUTIONS),
    reading: pLimit(READS),
    resumes: new WeakMap(),
  };
  return {
    open: (request) => open(state, request),
    counts: () => ({
      projects: deps.hub.feedCount,
      groups: state.groups.size,
      subscribers: [...state.groups.values()].reduce((sum, { size }) => sum + size, 0),
    }),
  };
}

async function open(
  state: SubscriptionState,
  request: SubscriptionRequest,
): ReturnType<Subscriptions['open']> {
  const result = await sourceOf(state, request);
  if (!(result instanceof EventSource)) return result;
  const errors = await refusals(state, request);
  if (errors.length > 0) return { errors };
  const key = keyOf(state, request);
  return {
    start: (sink) => startIn(state, groupOf(state, key, request, result.selection), result.after, sink),
  };
}

async function sourceOf(
  { log }: SubscriptionState,
  { document, operationName, variables, context }: SubscriptionRequest,
) {
  try {
    const result = await createSourceEventStream({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: context,
    });
    if (result instanceof EventSource) return result;
    const { errors = [] } = presentResult(result as ExecutionResult, log, context.requestId, document);
    return { errors };
  } catch (error) {
    return { errors: [presentError(error, log, context.requestId, document)] };
  }
}

/** Errors that every event would have, such as a query that is too expensive, are returned immediately. */
async function refusals(
  { log }: SubscriptionState,
  { document, operationName, variables, context }: SubscriptionRequest,
) {
  const { errors = [] } = await runDocument(document, variables, operationName, context, log);
  return errors.filter(({ extensions }) => extensions.code !== NEEDS_STREAM.code);
}

function keyOf(
  state: SubscriptionState,
  { source, document, operationName, variables, context }: SubscriptionRequest,
): string {
  // Persons see what they revealed: each has groups of its own.
  const { project, role, kind, personId, personRole, accountId, sessionId, scopes } = context.viewer;
  const resuming = resumesOf(state, document);
  const asked = Object.entries(variables ?? {}).filter(([name]) => !resuming.has(name));
  const viewer = [kind, role, personId, personRole, accountId, sessionId, scopes];
  const parts = [project.projectId, ...viewer, source, operationName, asked];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function resumesOf({ resumes }: SubscriptionState, document: DocumentNode): ReadonlySet<string> {
  const known = resumes.get(document) ?? resumeVariables(schema, document);
  resumes.set(document, known);
  return known;
}
