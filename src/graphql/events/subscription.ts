import { type EventSelection, type EventType, fromOwnSide, type StoredEvent } from '@vouchgraph/events';
import { AppError } from '@vouchgraph/platform/errors';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { SubscribeAction } from '../../domain/events/event-service.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { VerificationKindType } from '../kernel/verification-enums.ts';
import { AccountChangedEvent, AccountLinkedEvent } from './account-events.ts';
import { EmailBatchCompletedEvent, EmailCheckCompletedEvent } from './email-events.ts';
import { EventRef } from './event.ts';
import { assertTypes, type EventArgs, selectionOf, TYPES } from './event-connection.ts';
import { EventTypeEnum } from './event-type.ts';
import { ListChangedEvent } from './list-and-rule-events.ts';
import { VerificationCompletedEvent, VerificationEndedEvent } from './verification-events.ts';

/** Error of a subscription without its stream. */
export const NEEDS_STREAM = new AppError(
  'subscription.needs_stream',
  'invalid_input',
  'Subscriptions are answered over WebSocket (graphql-transport-ws) and as text/event-stream',
);

/**
 * Selection of the events of a subscription. GraphQL expects a stream here, but events are not pulled one by one: the
 * subscription server takes the selection out, and executes an event once for all equal subscriptions.
 */
export class EventSource implements AsyncIterable<StoredEvent> {
  readonly selection: EventSelection;
  /** Position to resume after; null: new events only. */
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
  action: SubscribeAction,
  asked: EventArgs,
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

/** Types of the events with which a verification ends, by its kind; a failure has one type for both kinds. */
const COMPLETED_TYPES = {
  id: 'verification.id_check.completed',
  face: 'verification.face_check.completed',
} as const satisfies Record<string, EventType>;
const FAILED_TYPE = 'verification.failed' satisfies EventType;

builder.subscriptionType({
  description:
    'Events in real time, over WebSocket (graphql-transport-ws) or as text/event-stream. Each ' +
    'subscription has an argument after: the cursor of the last received event. It sends stored events ' +
    'after the cursor first, then new events, without gaps or repetitions.',
});

/** The id of a batch; an id that cannot be one selects nothing. */
const batchOf = (globalId: string): string => internalIdOf('EmailBatch', globalId) ?? NIL_UUID;

const AFTER =
  'Cursor of the last received event. Stored events after it are sent first. Only new events by ' +
  'default. Errors: `events.cursor_too_old`, `events.cursor_unknown`, `input.invalid`.';
/** Scopes that a browser token needs. */
const needs = (scopes: string) =>
  `A browser token requires the scopes EVENTS and ${scopes}. Errors: \`auth.forbidden\`.`;
const VERIFICATION_EVENTS = needs('one of VERIFICATION_STATE, VERIFICATION_RESULT, DOCUMENT');
const KEY_ONLY = 'Requires a key. Errors: `auth.forbidden` (browser tokens).';

const ACCOUNT = 'Id of the account, assigned by the client. All accounts by default.';
const LINK_ACCOUNT =
  'Id of the account, or of the other account of links, assigned by the client. All accounts by ' +
  'default. Browser tokens of the project without ACCOUNT receive no links with this argument.';

/** What ends of verification sessions are selected by. */
const CHECK_ARGS = builder.args((t) => ({
  accountId: t.id({ description: ACCOUNT }),
  sessionId: t.id({ description: 'Id of the verification session.' }),
  kind: t.field({ type: VerificationKindType, description: 'Kind of the check. Both kinds by default.' }),
  after: t.string({ description: AFTER }),
}));

builder.subscriptionFields((t) => ({
  events: t.field({
    type: EventRef,
    nullable: true,
    description:
      'Events that the arguments select. A browser token requires the scope EVENTS. It receives events ' +
      'of the types that its other scopes cover. ACCOUNT covers session.completed and events of ' +
      'accounts. LINKS covers account.linked and account.unlinked. VERIFICATION_STATE, ' +
      'VERIFICATION_RESULT and DOCUMENT each cover the events of ended verifications. All other types ' +
      'require a key, including those of outcomes and reviews. Errors: `auth.forbidden` (also for a ' +
      'type in types that the scopes do not cover).',
    authScopes: { may: 'event.subscribe' },
    args: {
      types: t.arg({ type: [EventTypeEnum], description: TYPES }),
      accountId: t.arg.id({ description: LINK_ACCOUNT }),
      sessionId: t.arg.id({ description: 'Id of the session that caused the events.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, ...asked }, context) => {
      assertTypes(context.viewer, asked.types);
      return sourceOf(context, 'event.subscribe', asked, after);
    },
    resolve: eventOf,
  }),
  verificationEnded: t.field({
    type: VerificationEndedEvent,
    nullable: true,
    description: `Ends of verification sessions: completed checks and failed sessions. ${VERIFICATION_EVENTS}`,
    authScopes: { may: 'event.subscribe_verifications' },
    args: CHECK_ARGS,
    subscribe: (_root, { after, kind, ...asked }, context) => {
      const types: EventType[] = [...Object.values(COMPLETED_TYPES), FAILED_TYPE];
      return sourceOf(
        context,
        'event.subscribe_verifications',
        { ...asked, types, checkKind: kind ?? null },
        after,
      );
    },
    resolve: eventOf,
  }),
  verificationCompleted: t.field({
    type: VerificationCompletedEvent,
    nullable: true,
    description: `Completed checks. verificationEnded also receives failures. ${VERIFICATION_EVENTS}`,
    authScopes: { may: 'event.subscribe_verifications' },
    args: CHECK_ARGS,
    subscribe: (_root, { after, kind, ...asked }, context) => {
      const types = kind ? [COMPLETED_TYPES[kind]] : Object.values(COMPLETED_TYPES);
      return sourceOf(context, 'event.subscribe_verifications', { ...asked, types }, after);
    },
    resolve: eventOf,
  }),
}));

builder.subscriptionFields((t) => ({
  accountUpdated: t.field({
    type: AccountChangedEvent,
    nullable: true,
    description: `Changes of accounts, with and without a session. ${needs('ACCOUNT')}`,
    authScopes: { may: 'event.subscribe_accounts' },
    args: {
      accountId: t.arg.id({ description: ACCOUNT }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, accountId }, context) =>
      sourceOf(
        context,
        'event.subscribe_accounts',
        { accountId, types: ['account.authenticated', 'account.updated'] },
        after,
      ),
    resolve: eventOf,
  }),
  accountLinked: t.field({
    type: AccountLinkedEvent,
    nullable: true,
    description:
      'New links between accounts, one event for both accounts. account is the account whose change ' +
      'caused the link. A token limited to the other account receives that account as account. ' +
      `${needs('LINKS')}`,
    authScopes: { may: 'event.subscribe_links' },
    args: {
      accountId: t.arg.id({ description: LINK_ACCOUNT }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, accountId }, context) =>
      sourceOf(context, 'event.subscribe_links', { accountId, types: ['account.linked'] }, after),
    resolve: eventOf,
  }),
  listChanged: t.field({
    type: ListChangedEvent,
    nullable: true,
    description: `Additions of accounts to lists, and removals. ${KEY_ONLY}`,
    authScopes: { may: 'list.subscribe' },
    args: {
      name: t.arg.string({ description: 'Name of the list. All lists by default.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, name }, context) => {
      const types: EventType[] = ['list.account_added', 'list.account_removed'];
      return sourceOf(context, 'list.subscribe', { types, listName: name }, after);
    },
    resolve: eventOf,
  }),
}));

builder.subscriptionFields((t) => ({
  emailChecked: t.field({
    type: EmailCheckCompletedEvent,
    nullable: true,
    description: `Completed email checks. ${KEY_ONLY}`,
    authScopes: { may: 'email_check.subscribe' },
    args: {
      batchId: t.arg.id({
        description: 'Global id of the batch, or its batchId. Selects checks of this batch only.',
      }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { after, batchId }, context) =>
      sourceOf(
        context,
        'email_check.subscribe',
        { types: ['email.intelligence.completed'], emailBatchId: batchId == null ? null : batchOf(batchId) },
        after,
      ),
    resolve: eventOf,
  }),
  emailBatchCompleted: t.field({
    type: EmailBatchCompletedEvent,
    nullable: true,
    description: `Completed batches of email checks. ${KEY_ONLY}`,
    authScopes: { may: 'email_check.subscribe' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, context) =>
      sourceOf(context, 'email_check.subscribe', { types: ['email.batch.completed'] }, after),
    resolve: eventOf,
  }),
}));
