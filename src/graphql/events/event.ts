import {
  ACCOUNT_ID_SCOPES,
  DOCUMENTED_FORMAT,
  documentedData,
  type StoredEvent,
  shownAccountId,
  shownFacts,
} from '@vouchgraph/events';
import { AppError } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { SessionRef } from '../sessions/session.ts';
import { EventTypeEnum, objectNameOf } from './event-type.ts';

/*
 * The interface of all events. The data of an event at the time of its emission is in types whose names end in Snapshot:
 * they have no id, so that reading an old event does not change the objects of a client's cache.
 */

/** The id of the account of an event. Events of links declare it anew: they name accounts by keys. */
export const ACCOUNT_ID = {
  tokenScopes: ACCOUNT_ID_SCOPES,
  nullable: true,
  description:
    'Id of the account of the event, assigned by the client. Null for events without an account. ' +
    'Null for tokens limited to a session. Errors: `auth.forbidden` (browser tokens with neither ' +
    'ACCOUNT nor, except for links, VERIFICATION_STATE).',
  resolve: (event: StoredEvent, _args: object, { viewer }: GraphQLContext) => shownAccountId(viewer, event),
} as const;

export const EventRef = builder.interfaceRef<StoredEvent>('Event').implement({
  description:
    'Change in the project. Cursors follow the order of the events of the project. account, session and ' +
    'the other objects have their current state. Types with the suffix Snapshot, and data, contain the ' +
    'facts at the time of the event. A field outside the scopes of a browser token is null, with the ' +
    'error `auth.forbidden` that names the scope. data does not contain such facts.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: ({ type }) => objectNameOf(type),
  fields: (t) => ({
    eventId: t.field({
      type: 'UUID',
      description:
        'Id of the event in all transports. In webhooks: the header webhook-id and the id of the body.',
      resolve: (event) => event.id,
    }),
    type: t.field({ type: EventTypeEnum, description: 'Type.', resolve: (event) => event.type }),
    format: t.int({ description: 'Format of data, from 1.', resolve: () => DOCUMENTED_FORMAT }),
    cursor: t.string({
      mask: 'none',
      description:
        'Position in the order of events. Passed as after, it selects the events after this event.',
      resolve: ({ position }, _args, { viewer, services }) =>
        services.events.cursorAt(viewer.project, position),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'Time of the change. For links: the day (UTC), unless the viewer has a key or a browser token ' +
        'of the project with ACCOUNT.',
      resolve: (event) => event.createdAt,
    }),
    accountId: t.id(ACCOUNT_ID),
    sessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the session that caused the event. Null if none.',
      resolve: (event) => event.sessionId,
    }),
    referringSessionId: t.field({
      type: 'UUID',
      nullable: true,
      description:
        'Id of the referring session, if sessionId is the session of a verification. Null if none.',
      resolve: (event) => event.referringSessionId,
    }),
    requestId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the request that caused the event. Null for changes by the service itself.',
      resolve: (event) => event.requestId,
    }),
    data: t.field({
      mask: 'json',
      type: 'JSONObject',
      description:
        'Facts at the time of the event, under the names of the REST interface and of webhooks. Browser ' +
        'tokens limited to an account or a session receive no facts of other accounts. It contains ids of ' +
        'accounts if accountId is readable.',
      resolve: (event, _args, { viewer }) => documentedData(shownFacts(viewer, event)),
    }),
    account: t.field({
      tokenScopes: ['ACCOUNT'],
      type: AccountRef,
      nullable: true,
      description:
        'Current state of the account. Null for events without an account, and if it was erased. Null ' +
        'for tokens limited to a session. Errors: `auth.forbidden` (browser tokens without ACCOUNT).',
      resolve: async ({ account }, _args, { viewer, loaders }) => {
        if (account === null || viewer.sessionId !== undefined) return null;
        return loaders.account.load(account);
      },
    }),
    session: t.field({
      tokenScopes: ['ACCOUNT'],
      type: SessionRef,
      nullable: true,
      description:
        'Current state of the session. Null if none or if it was erased. Errors: `auth.forbidden` ' +
        '(browser tokens without ACCOUNT).',
      resolve: ({ sessionId }, _args, { loaders }) =>
        sessionId === null ? null : loaders.session.load(sessionId),
    }),
  }),
});

/** Loads an object of an event by its UUID; null when the viewer may not read it. */
export function liveNode<T>(id: string | null, load: (id: string) => Promise<T | null>): Promise<T | null> {
  return unlessForbidden(id !== null && isUuid(id) ? id : null, load);
}

/**
 * Loads an object of an event by the id that the event stored. Null when the viewer may not read it: the rest of the event is
 * shown.
 */
export async function unlessForbidden<T>(
  id: string | null,
  load: (id: string) => Promise<T | null>,
): Promise<T | null> {
  try {
    return id === null ? null : await load(id);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'forbidden') return null;
    throw error;
  }
}
