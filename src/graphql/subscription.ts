import type { StoredEvent } from '../domain/events/event.ts';
import { type EventSelection, fromOwnSide } from '../domain/events/event-selection.ts';
import type { EventType } from '../domain/events/outbox-event.ts';
import { AppError } from '../platform/errors.ts';
import { builder } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { type AskedEvents, EventRef, selectionOf } from './event.ts';
import { COMPLETED_TYPES, FAILED_TYPE, VerificationEndRef } from './verification-end.ts';
import { VerificationKindType } from './verification-enums.ts';

/** What a subscription without its stream is answered. */
export const NEEDS_STREAM = new AppError(
  'subscription.needs_stream',
  'invalid_input',
  'Subscriptions are answered over WebSocket (graphql-transport-ws) and as text/event-stream',
);

/**
 * Which events a subscription is for. GraphQL wants a stream here; ours are not pulled one by one: whoever serves
 * subscriptions takes the selection out, and executes an event once for all who ask alike.
 */
export class EventSource implements AsyncIterable<StoredEvent> {
  readonly selection: EventSelection;
  /** The position to go on behind; null: from now on. */
  readonly after: number | null;

  constructor(selection: EventSelection, after: number | null) {
    this.selection = selection;
    this.after = after;
  }

  [Symbol.asyncIterator](): AsyncIterator<StoredEvent> {
    return { next: () => Promise.reject(NEEDS_STREAM) };
  }
}

async function sourceOf(
  { viewer, services }: GraphQLContext,
  action: 'event.subscribe' | 'list.subscribe' | 'email_check.subscribe',
  asked: AskedEvents,
  cursor: string | null | undefined,
): Promise<EventSource> {
  const { events } = services;
  const { selection, after } = await events.subscribe(viewer, action, selectionOf(asked), cursor ?? null);
  return new EventSource(selection, after);
}

function eventOf(event: unknown, _args: unknown, { viewer }: GraphQLContext): StoredEvent {
  if (event === undefined) throw NEEDS_STREAM;
  return fromOwnSide(viewer, event as StoredEvent);
}

builder.subscriptionType({
  description:
    'Events as they happen, over WebSocket (graphql-transport-ws) or as text/event-stream. Each has an ' +
    'argument after: the cursor of the last event that was received. Stored events after it are sent first, then new ones, ' +
    'without a gap or a repetition.',
});

const AFTER =
  'Cursor of the last event that was received; stored events after it are sent first. New events only by default. ' +
  'Errors: events.cursor_too_old, events.cursor_unknown, input.invalid.';
const ACCOUNT = "Only those about the account with this client's own id; of all accounts by default.";
const LINK_ACCOUNT =
  "Only those about the account with this client's own id, and links of others to it; of all accounts by default.";

/** What ends of verification sessions are selected by. */
const CHECK_ARGS = builder.args((t) => ({
  accountId: t.id({ description: ACCOUNT }),
  sessionId: t.id({ description: 'Only those of this session.' }),
  kind: t.field({ type: VerificationKindType, description: 'Only this kind; both by default.' }),
  after: t.string({ description: AFTER }),
}));

builder.subscriptionFields((t) => ({
  events: t.field({
    type: EventRef,
    description: 'Every event that is asked for.',
    authScopes: { may: 'event.subscribe' },
    args: {
      types: t.arg({ type: ['EventType'], description: 'Only these types; all by default.' }),
      accountId: t.arg.id({ description: LINK_ACCOUNT }),
      sessionId: t.arg.id({ description: 'Only those that came from this session.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, ...asked }, context) => sourceOf(context, 'event.subscribe', asked, after),
    resolve: eventOf,
  }),
  verificationEnded: t.field({
    type: VerificationEndRef,
    description: 'Ends of verification sessions, completed and failed ones.',
    authScopes: { may: 'event.subscribe' },
    args: CHECK_ARGS,
    subscribe: (_root, { after, kind, ...asked }, context) => {
      const types: EventType[] = [...Object.values(COMPLETED_TYPES), FAILED_TYPE];
      return sourceOf(context, 'event.subscribe', { ...asked, types, checkKind: kind ?? null }, after);
    },
    resolve: eventOf,
  }),
  verificationCompleted: t.field({
    type: EventRef,
    description: 'Completed checks alone. verificationEnded also receives failures.',
    authScopes: { may: 'event.subscribe' },
    args: CHECK_ARGS,
    subscribe: (_root, { after, kind, ...asked }, context) => {
      const types = kind ? [COMPLETED_TYPES[kind]] : Object.values(COMPLETED_TYPES);
      return sourceOf(context, 'event.subscribe', { ...asked, types }, after);
    },
    resolve: eventOf,
  }),
}));

builder.subscriptionFields((t) => ({
  accountUpdated: t.field({
    type: EventRef,
    description: 'An account changed: it was authenticated with a session, or updated.',
    authScopes: { may: 'event.subscribe' },
    args: {
      accountId: t.arg.id({ description: ACCOUNT }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, accountId }, context) =>
      sourceOf(
        context,
        'event.subscribe',
        { accountId, types: ['account.authenticated', 'account.updated'] },
        after,
      ),
    resolve: eventOf,
  }),
  accountLinked: t.field({
    type: EventRef,
    description:
      'An account was linked to another one, told once for both. It is about the account whose change made the link; a ' +
      'token that names the other one is told it as if it were about that.',
    authScopes: { may: 'event.subscribe' },
    args: {
      accountId: t.arg.id({ description: LINK_ACCOUNT }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, accountId }, context) =>
      sourceOf(context, 'event.subscribe', { accountId, types: ['account.linked'] }, after),
    resolve: eventOf,
  }),
  listChanged: t.field({
    type: EventRef,
    description:
      'An account came onto a list, or left it. Errors: auth.forbidden for browser tokens that name an account or a ' +
      'session.',
    authScopes: { may: 'list.subscribe' },
    args: {
      name: t.arg.string({ description: 'Only the list of this name; all lists by default.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, name }, context) => {
      const types: EventType[] = ['list.account_added', 'list.account_removed'];
      return sourceOf(context, 'list.subscribe', { types, listName: name }, after);
    },
    resolve: eventOf,
  }),
  emailChecked: t.field({
    type: EventRef,
    description:
      'Completed email checks. Errors: auth.forbidden for browser tokens that are limited to an account or a session.',
    authScopes: { may: 'email_check.subscribe' },
    args: {
      batchId: t.arg.id({ description: 'Only checks of this batch; all by default.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, batchId }, context) =>
      sourceOf(
        context,
        'email_check.subscribe',
        { types: ['email.intelligence.completed'], emailBatchId: batchId },
        after,
      ),
    resolve: eventOf,
  }),
  emailBatchCompleted: t.field({
    type: EventRef,
    description:
      'Completed batches of email checks. Errors: auth.forbidden for browser tokens that are limited to an account or a ' +
      'session.',
    authScopes: { may: 'email_check.subscribe' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, context) =>
      sourceOf(context, 'email_check.subscribe', { types: ['email.batch.completed'] }, after),
    resolve: eventOf,
  }),
}));
