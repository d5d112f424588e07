import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts, shownLinkedAccountId } from '../../domain/events/event-selection.ts';
import { MATCH_TYPES } from '../../domain/identifiers/identifier-kinds.ts';
import { AccountRef } from '../account-ref.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { eventFacts, factFields, facts, number, word, words } from '../fact-fields.ts';
import { MatchTypeEnum } from '../link.ts';
import { DecisionType } from '../risk.ts';
import type { StoredFacts } from '../stored-facts.ts';
import { AccountSnapshot, DECISIONS } from './account-snapshot.ts';
import { EventRef, eventObject } from './event.ts';
import { SessionSnapshot } from './session-snapshot.ts';

const NOT_FOR_SESSIONS = 'Null for tokens limited to a session.';

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
      description: `Account after the change. ${NOT_FOR_SESSIONS}`,
      resolve: (event, _args, context) => accountFacts(event, context),
    }),
    ...factFields(
      t,
      {
        decision: word(DecisionType, DECISIONS, 'Decision after the change.', { nulls: NOT_FOR_SESSIONS }),
        accountScore: number('Overall risk after the change, 0 to 1.', { nulls: NOT_FOR_SESSIONS }),
      },
      accountFacts,
    ),
  }),
});

const AccountAuthenticatedEvent = eventObject('account.authenticated', [AccountChangedEvent]);
builder.objectFields(AccountAuthenticatedEvent, (t) => ({
  ...eventFacts(t, {
    sessionSnapshot: facts(SessionSnapshot, 'Session of the authentication.', { from: 'session' }),
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
    otherAccountId: t.id({
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
  ...eventFacts(t, {
    score: number('Score of the link at its creation, 0 to 1.', {
      nulls: `Null if unknown. ${NOT_FOR_SESSIONS}`,
    }),
    matchTypes: words(
      MatchTypeEnum,
      MATCH_TYPES,
      'Types of evidence that both accounts shared at the creation of the link.',
      { nulls: `Null if unknown. ${NOT_FOR_SESSIONS}` },
    ),
  }),
}));

eventObject('account.unlinked', [LinkEvent]);
