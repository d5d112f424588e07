import { type EventSelection, type EventType, fromOwnSide, scopesOfType } from '@vouchgraph/events';
import { decodeCursor } from '@vouchgraph/platform/cursor';
import { invalidInput } from '@vouchgraph/platform/errors';
import { tooFewText } from '@vouchgraph/platform/wording';
import { EVENT_SCOPE } from '../../domain/events/event-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { hasScope, keyOnly, scopeMissing } from '../../domain/projects/assert-may.ts';
import { builder } from '../kernel/builder.ts';
import { MAX_COUNTED, PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { EventRef } from './event.ts';
import { EventTypeEnum, enumNameOf } from './event-type.ts';

const EventConnection = builder.connectionObject(
  {
    type: EventRef,
    name: 'EventConnection',
    description:
      'Page of events. A page can contain fewer objects than first, or none, while hasNextPage is true. ' +
      'In this case, continue after endCursor (with last: before startCursor while hasPreviousPage is ' +
      'true). With types and neither accountId nor sessionId, the gateway examines at most 500,000 events ' +
      'of all types for a page, and for totalCount. Beyond this limit, isExact is false and value is a ' +
      'lower bound.',
    fields: (t) => ({
      headCursor: t.string({
        description:
          'Cursor of the newest event of the project. To receive all changes, a client reads the cursor ' +
          'first, then its state, and subscribes after the cursor.',
        resolve: (_page, _args, { viewer, services }) => services.events.headCursor(viewer.project),
      }),
    }),
  },
  { name: 'EventEdge', description: 'Event in a page.' },
);

export const TYPES =
  'Types of the events. By default all types, and for browser tokens all types that their scopes cover. ' +
  'Errors: `auth.forbidden` (a type that the scopes do not cover).';

export type EventArgs = {
  types?: readonly EventType[] | null;
  accountId?: string | null;
  sessionId?: string | null;
  listName?: string | null;
  checkKind?: EventSelection['checkKind'];
  emailBatchId?: string | null;
};

/** Throws `auth.forbidden` that names the first of the types that the scopes of a browser token do not cover. */
export function assertTypes(viewer: Viewer, types: readonly EventType[] | null | undefined): void {
  for (const type of types ?? []) {
    const scopes = scopesOfType(type);
    if (hasScope(viewer, scopes)) continue;
    const name = `The event type ${enumNameOf(type)}`;
    throw scopes.length === 0 ? keyOnly(name) : scopeMissing(scopes, name);
  }
}

export function selectionOf({
  types,
  accountId,
  sessionId,
  listName,
  checkKind,
  emailBatchId,
}: EventArgs): EventSelection {
  if (types?.length === 0) throw invalidInput(`types: ${tooFewText(1)}`, ['types']);
  return {
    types: types ? [...new Set(types)] : null,
    accountId: accountId ?? null,
    sessionId: sessionId ?? null,
    listName: listName?.normalize('NFC') ?? null,
    checkKind: checkKind ?? null,
    emailBatchId: emailBatchId?.toLowerCase() ?? null,
  };
}

builder.queryField('events', (t) =>
  t.field({
    type: EventConnection,
    nullable: true,
    description:
      'Events of the project, the oldest first, for clients that poll. Cursors are also valid in ' +
      'subscriptions. Events are stored for EVENT_RETENTION_DAYS, 30 days by default. Errors: ' +
      '`events.cursor_too_old`, `events.cursor_unknown`, `input.invalid`, `auth.forbidden` (a type that ' +
      'the scopes of a browser token do not cover).',
    authScopes: { may: 'event.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      types: t.arg({ type: [EventTypeEnum], description: TYPES }),
      accountId: t.arg.id({
        description:
          'Id of the account of the events, or of the other account of links, assigned by the client.',
      }),
      sessionId: t.arg.id({ description: 'Id of the session that caused the events.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      assertTypes(viewer, args.types);
      const selection = selectionOf(args);
      const { cipher } = viewer.project;
      const positionOf = (argument: 'after' | 'before') => {
        const cursor = args[argument];
        return cursor == null ? null : decodeCursor(cipher, EVENT_SCOPE, cursor, argument);
      };
      // Cursors are positions in the order of all events, valid with any other arguments.
      const [after, before] = [positionOf('after'), positionOf('before')];
      const size = selectPage({ first: args.first, last: args.last }, [], context);
      const page = { ...size, after, before, scope: EVENT_SCOPE };
      const { isBackward, limit } = page;
      const { events, readTo } = await services.events.readPageOf(viewer, selection, {
        after: after && Number(after[0]),
        before: before && Number(before[0]),
        isBackward,
        limit,
      });
      return toConnection(events, page, {
        context,
        position: (event) => [event.position],
        edge: (event) => ({ node: fromOwnSide(viewer, event) }),
        total: () => services.events.count(viewer, selection, MAX_COUNTED + 1),
        readTo: readTo === null ? null : [readTo],
      });
    },
  }),
);
