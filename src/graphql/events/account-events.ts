import { type StoredEvent, shownFacts, shownLinkedAccountId } from '@vouchgraph/events';
import type { Account } from '../../domain/accounts/account.ts';
import { linkView, seesPseudonyms } from '../../domain/linking/link-view.ts';
import { isLimited, scopeMissing } from '../../domain/projects/assert-may.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { eventFacts, factFields, facts, number, word } from '../kernel/fact-fields.ts';
import { DecisionType } from '../kernel/risk.ts';
import type { StoredFacts } from '../kernel/stored-facts.ts';
import { LinkedAccountEdgeType, readLinkedAccountEdge } from '../links/link.ts';
import { GraphEdge, readGraphEdge } from '../links/link-graph.ts';
import { AccountSnapshot } from './account-snapshot.ts';
import { ACCOUNT_ID } from './event.ts';
import { interfaceType, objectType } from './event-objects.ts';
import { SessionSnapshot } from './session-snapshot.ts';

const NOT_FOR_SESSIONS = 'Null for tokens limited to a session.';

/** Fields of an account that the viewer may see in an event of its change; null if it may not see the account. */
function accountFacts(event: StoredEvent, { viewer }: GraphQLContext): StoredFacts | null {
  const shown = shownFacts(viewer, event);
  return shown.account === undefined ? null : shown;
}

builder.objectFields(objectType('session.completed'), (t) => ({
  sessionSnapshot: t.field({
    type: SessionSnapshot,
    // As in AccountAuthenticatedEvent, so that one selection of events can contain both.
    nullable: true,
    description: 'Session at its completion. Null if unknown.',
    resolve: (event, _args, { viewer }) => shownFacts(viewer, event),
  }),
}));

export const AccountChangedEvent = interfaceType('AccountChangedEvent');
builder.interfaceFields(AccountChangedEvent, (t) => ({
  accountSnapshot: t.field({
    type: AccountSnapshot,
    nullable: true,
    description: `Account after the change. ${NOT_FOR_SESSIONS}`,
    resolve: (event, _args, context) => accountFacts(event, context),
  }),
  ...factFields(
    t,
    {
      decision: word(DecisionType, 'Decision after the change.', { nulls: NOT_FOR_SESSIONS }),
      accountScore: number('Overall risk after the change, 0 to 1.', { nulls: NOT_FOR_SESSIONS }),
    },
    accountFacts,
  ),
}));

builder.objectFields(objectType('account.authenticated'), (t) => ({
  ...eventFacts(t, {
    sessionSnapshot: facts(SessionSnapshot, 'Session of the authentication.', { from: 'session' }),
  }),
}));

const SIDE =
  'Account whose links contain it: accountId or otherAccountId. accountId by default. Null for another ' +
  'account.';
const SIDE_ERRORS =
  'Errors: `auth.forbidden` (the argument accountId, with a browser token of the project without ' +
  'ACCOUNT).';
const GONE = 'Null if an account was erased.';

/** Internal ids of the account in whose links a link event is shown, and of the other account; null if one of them was erased. */
function sideOf(
  event: StoredEvent,
  asked: string | number | null | undefined,
  { viewer }: GraphQLContext,
): { own: string; other: string } | null {
  const { account: own, linkedAccount: other } = event;
  if (asked != null && !isLimited(viewer) && seesPseudonyms(viewer))
    throw scopeMissing(['ACCOUNT'], 'The argument accountId');
  if (own === null || other === null) return null;
  if (asked == null || String(asked) === event.accountId) return { own, other };
  return String(asked) === event.linkedAccountId ? { own: other, other: own } : null;
}

/** Reads an edge of the links of the account of a link event. */
async function edgeOfSide<Edge>(
  event: StoredEvent,
  asked: string | number | null | undefined,
  context: GraphQLContext,
  read: (context: GraphQLContext, account: Account, other: string) => Promise<Edge | null>,
): Promise<Edge | null> {
  const side = sideOf(event, asked, context);
  const account = side && (await context.loaders.account.load(side.own));
  return account ? read(context, account, side.other) : null;
}

builder.interfaceFields(interfaceType('AccountLinkChangedEvent'), (t) => ({
  accountId: t.id({ ...ACCOUNT_ID, tokenScopes: ['ACCOUNT'] }),
  otherAccount: t.field({
    tokenScopes: 'never',
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
    tokenScopes: 'never',
    nullable: true,
    description:
      'Id of the other account, assigned by the client. Null with an error for browser tokens. ' +
      'Errors: `auth.forbidden` (browser tokens).',
    resolve: (event, _args, { viewer }) => shownLinkedAccountId(viewer, event),
  }),
  accountKey: t.string({
    mask: 'none',
    nullable: true,
    description: `Key of the account itself in its linkGraph, which identifies the graph. ${GONE} ${SIDE_ERRORS}`,
    args: { accountId: t.arg.id({ description: SIDE }) },
    resolve: (event, { accountId }, context) => {
      const side = sideOf(event, accountId, context);
      return side && linkView(context.viewer, side.own).keys.of(side.own);
    },
  }),
  key: t.string({
    mask: 'none',
    nullable: true,
    description: `Key of the other account in linkedAccounts and linkGraph of the account. ${GONE} ${SIDE_ERRORS}`,
    args: { accountId: t.arg.id({ description: SIDE }) },
    resolve: (event, { accountId }, context) => {
      const side = sideOf(event, accountId, context);
      return side && linkView(context.viewer, side.own).keys.of(side.other);
    },
  }),
}));

export const AccountLinkedEvent = objectType('account.linked');
builder.objectFields(AccountLinkedEvent, (t) => ({
  linkedAccountEdge: t.field({
    type: LinkedAccountEdgeType,
    nullable: true,
    description:
      'Current state of the link as an edge of linkedAccounts, with a cursor of its default order. Null if ' +
      `the link was removed. ${SIDE_ERRORS}`,
    complexity: 5,
    args: { accountId: t.arg.id({ description: SIDE }) },
    resolve: (event, { accountId }, context) => edgeOfSide(event, accountId, context, readLinkedAccountEdge),
  }),
  graphEdge: t.field({
    type: GraphEdge,
    nullable: true,
    description:
      'Current state of the link as an edge of linkGraph, from the key of the account to key. Null if the ' +
      `link was removed. ${SIDE_ERRORS}`,
    complexity: 5,
    args: { accountId: t.arg.id({ description: SIDE }) },
    resolve: (event, { accountId }, context) => edgeOfSide(event, accountId, context, readGraphEdge),
  }),
}));
