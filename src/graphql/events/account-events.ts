import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts, shownLinkedAccountId } from '../../domain/events/event-selection.ts';
import { AccountRef } from '../account-ref.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { MatchTypeEnum } from '../link.ts';
import { DecisionType } from '../risk.ts';
import { AccountSnapshot, readDecision } from './account-snapshot.ts';
import { EventRef, eventObject } from './event.ts';
import { readMatchTypes } from './link-snapshot.ts';
import { SessionSnapshot } from './session-snapshot.ts';
import { readFacts, readNumber, type StoredFacts } from './stored-facts.ts';

/** Fields of an account that the viewer may see in an event of its change; null if it may not see the account. */
function accountFacts(event: StoredEvent, { viewer }: GraphQLContext): StoredFacts | null {
  const shown = shownFacts(viewer, event);
  return shown.account === undefined ? null : shown;
}

const SessionCompletedEvent = eventObject('session.completed');
builder.objectFields(SessionCompletedEvent, (t) => ({
  sessionSnapshot: t.field({
    type: SessionSnapshot,
    // As in AccountAuthenticatedEvent, so that one selection of events can contain both.
    nullable: true,
    description: 'Session at its completion. Null if unknown.',
    resolve: (event, _args, { viewer }) => shownFacts(viewer, event),
  }),
}));

export const AccountChangedEvent = builder.interfaceRef<StoredEvent>('AccountChangedEvent').implement({
  description:
    'Change of an account, with a session (AccountAuthenticatedEvent) or without one (AccountUpdatedEvent).',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    accountSnapshot: t.field({
      type: AccountSnapshot,
      nullable: true,
      description: 'Account after the change. Null for tokens limited to a session.',
      resolve: (event, _args, context) => accountFacts(event, context),
    }),
    decision: t.field({
      type: DecisionType,
      nullable: true,
      description: 'Decision after the change. Null for tokens limited to a session.',
      resolve: (event, _args, context) => readDecision(accountFacts(event, context) ?? {}),
    }),
    accountScore: t.float({
      nullable: true,
      description: 'Overall risk after the change, 0 to 1. Null for tokens limited to a session.',
      resolve: (event, _args, context) => readNumber('accountScore')(accountFacts(event, context) ?? {}),
    }),
  }),
});

const AccountAuthenticatedEvent = eventObject('account.authenticated', [AccountChangedEvent]);
builder.objectFields(AccountAuthenticatedEvent, (t) => ({
  sessionSnapshot: t.field({
    type: SessionSnapshot,
    nullable: true,
    description: 'Session of the authentication. Null if unknown.',
    resolve: (event, _args, { viewer }) => readFacts('session')(shownFacts(viewer, event)),
  }),
}));

eventObject('account.updated', [AccountChangedEvent]);
eventObject('account.deleted');

const LinkEvent = builder.interfaceRef<StoredEvent>('AccountLinkChangedEvent').implement({
  description:
    'Creation or removal of a link between two accounts. account is the account whose change caused the ' +
    'event. A token limited to the other account receives that account as account, and otherAccount is ' +
    'null.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    otherAccount: t.field({
      type: AccountRef,
      nullable: true,
      description:
        'Current state of the other account. Null if it was erased. Errors: `auth.forbidden` (browser ' +
        'tokens).',
      resolve: async (event, _args, { viewer, loaders }) => {
        if (event.linkedAccount === null || shownLinkedAccountId(viewer, event) === null) return null;
        return loaders.account.load(event.linkedAccount);
      },
    }),
    otherAccountId: t.string({
      nullable: true,
      description:
        'Id of the other account, assigned by the client. Null with an error for browser tokens. ' +
        'Errors: `auth.forbidden` (browser tokens).',
      resolve: (event, _args, { viewer }) => shownLinkedAccountId(viewer, event),
    }),
  }),
});

export const AccountLinkedEvent = eventObject('account.linked', [LinkEvent]);
builder.objectFields(AccountLinkedEvent, (t) => ({
  score: t.float({
    nullable: true,
    description:
      'Score of the link at its creation, 0 to 1. Null if unknown. Null for tokens limited to a session.',
    resolve: (event, _args, { viewer }) => readNumber('score')(shownFacts(viewer, event)),
  }),
  matchTypes: t.field({
    type: [MatchTypeEnum],
    nullable: true,
    description:
      'Types of evidence that both accounts shared at the creation of the link. Null if unknown. Null ' +
      'for tokens limited to a session.',
    resolve: (event, _args, { viewer }) => readMatchTypes(shownFacts(viewer, event)),
  }),
}));

eventObject('account.unlinked', [LinkEvent]);
