import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import type { StoredEvent } from '../domain/events/event.ts';
import {
  type EventSelection,
  fromOwnSide,
  shownAccountId,
  shownData,
} from '../domain/events/event-selection.ts';
import { EVENT_SCOPE } from '../domain/events/event-service.ts';
import { EVENT_TYPES, type EventType } from '../domain/events/outbox-event.ts';
import { invalidInput } from '../platform/errors.ts';
import { tooFewText } from '../platform/wording.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import { SessionRef } from './session.ts';

function parseEventType(value: unknown): EventType {
  const known = EVENT_TYPES.find((type) => type === value);
  if (known) return known;
  throw new GraphQLError(`must be a type of event: ${EVENT_TYPES.join(', ')}`);
}

builder.addScalarType(
  'EventType',
  new GraphQLScalarType<EventType, string>({
    name: 'EventType',
    description: `What an event tells, as a string: ${EVENT_TYPES.join(', ')}.`,
    serialize: String,
    parseValue: parseEventType,
    parseLiteral: (node) => parseEventType(node.kind === Kind.STRING ? node.value : undefined),
  }),
);

export const EventRef = builder.objectRef<StoredEvent>('Event').implement({
  description: 'Something that happened in the project. Events have one order, and their cursors follow it.',
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'Id of the event; the same over every way by which it is read.',
      resolve: (event) => event.id,
    }),
    type: t.field({ type: 'EventType', description: 'What it tells.', resolve: (event) => event.type }),
    cursor: t.string({
      description: 'Its place among the events of the project: give it as after, to go on behind it.',
      resolve: ({ position }, _args, { viewer, services }) =>
        services.events.cursorAt(viewer.project, position),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: (event) => event.createdAt,
    }),
    accountId: t.string({
      nullable: true,
      description:
        "The client's own id of the account that it is about; null when it is about none, and for tokens of a session.",
      resolve: (event, _args, { viewer }) => shownAccountId(viewer, event),
    }),
    sessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the session that it came from; null when it came from none.',
      resolve: (event) => event.sessionId,
    }),
    referringSessionId: t.field({
      type: 'UUID',
      nullable: true,
      description:
        'Id of the session that the person came from, where sessionId is the session of a verification; null without one.',
      resolve: (event) => event.referringSessionId,
    }),
    requestId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the request that caused it; null for what the service does by itself.',
      resolve: (event) => event.requestId,
    }),
    data: t.field({
      type: 'JSONObject',
      description:
        'What happened, as it was then, under the names of the REST interface and of webhooks. A browser token does ' +
        'not see whom its account is linked to, or whose its session is.',
      resolve: (event, _args, { viewer }) => shownData(viewer, event),
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'The account as it is now; null when there is none (any more), or it is not yours to see.',
      resolve: async ({ account }, _args, { viewer, loaders }) => {
        if (account === null || viewer.sessionId !== undefined) return null;
        return loaders.account.load(account);
      },
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'The session as it is now; null when there is none (any more).',
      resolve: ({ sessionId }, _args, { loaders }) =>
        sessionId === null ? null : loaders.session.load(sessionId),
    }),
  }),
});

const EventConnection = builder.connectionObject(
  {
    type: EventRef,
    name: 'EventConnection',
    description: 'A page of events.',
    fields: (t) => ({
      headCursor: t.string({
        description:
          'Where the events of the project end now: read it, then the state that you need, then subscribe after it, ' +
          'and no change is missed in between.',
        resolve: (_page, _args, { viewer, services }) => services.events.headCursor(viewer.project),
      }),
    }),
  },
  { name: 'EventEdge', description: 'An event in a page.' },
);

export type AskedEvents = {
  types?: readonly EventType[] | null;
  accountId?: string | null;
  sessionId?: string | null;
  listName?: string | null;
  checkKind?: EventSelection['checkKind'];
  emailBatchId?: string | null;
};

export function selectionOf({
  types,
  accountId,
  sessionId,
  listName,
  checkKind,
  emailBatchId,
}: AskedEvents): EventSelection {
  if (types?.length === 0) throw invalidInput(`types: ${tooFewText(1)}`, ['types']);
  return {
    types: types ? [...new Set(types)] : null,
    accountId: accountId ?? null,
    sessionId: sessionId ?? null,
    listName: listName ?? null,
    checkKind: checkKind ?? null,
    emailBatchId: emailBatchId?.toLowerCase() ?? null,
  };
}

builder.queryField('events', (t) =>
  t.field({
    type: EventConnection,
    description:
      'Events of the project, the oldest first, for clients that ask again and again instead of subscribing; cursors ' +
      'are good for both. Kept for 30 days, unless the operator chose otherwise. Errors: events.cursor_too_old, ' +
      'events.cursor_unknown, input.invalid.',
    authScopes: { may: 'event.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind; from the oldest on by default.' }),
      types: t.arg({ type: ['EventType'], description: 'Only these types; all by default.' }),
      accountId: t.arg.id({
        description: "Only those about the account with this client's own id, and links of others to it.",
      }),
      sessionId: t.arg.id({ description: 'Only those that came from this session.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const size = pageSize(args.first, context);
      const after = args.after ?? null;
      const found = await services.events.readFirst(viewer, selectionOf(args), after, size + 1);
      return toPage(found, size, {
        context,
        scope: EVENT_SCOPE,
        hasPrevious: after !== null,
        position: (event) => [event.position],
        edge: (event) => ({ node: fromOwnSide(viewer, event) }),
      });
    },
  }),
);
