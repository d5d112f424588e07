import type { Decision } from '@vouchgraph/decisions';
import { DecisionNode } from '../decisions/decision.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { DecisionType } from '../kernel/risk.ts';
import { SessionRef } from '../sessions/session.ts';

/** The columns of a matched decision that every query reads. */
export const MATCHED_KEY = { projectId: true, decisionId: true } as const;

export const BacktestMatchObject = builder.prismaObject('DecisionRecord', {
  variant: 'BacktestMatch',
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Decision that a backtest matched. Of several decisions on an account with a session, only the ' +
    'first one is matched.',
  select: MATCHED_KEY,
  fields: (t) => ({
    decisionId: t.expose('decisionId', { type: 'UUID', description: 'Id of the decision.' }),
    accountId: t.id({
      description: 'Id of the account, assigned by the client.',
      select: { account: { select: { accountId: true } } },
      resolve: ({ account }) => account.accountId,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Current state of the account. Null if it was erased.',
      select: { accountId: true },
      resolve: (d, _args, { loaders }) => loaders.account.load(d.accountId),
    }),
    sessionId: t.expose('sessionId', { type: 'UUID', description: 'Id of the session.' }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'Session of the decision. Null if it was deleted.',
      select: { sessionId: true },
      resolve: (d, _args, { loaders }) => loaders.session.load(d.sessionId),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the decision.' }),
    decision: t.field({
      type: DecisionType,
      description: 'Decision at that time.',
      select: { decision: true },
      resolve: ({ decision }) => decision as Decision,
    }),
    decisionRecord: t.variant(DecisionNode, {
      // Read with the match, and therefore never null.
      isNull: () => false,
      description: 'Decision with its trace. Null if its account was erased.',
    }),
  }),
});

export const BacktestMatchConnection = builder.connectionObject(
  {
    type: BacktestMatchObject,
    name: 'BacktestMatchConnection',
    description: 'Page of matches of a backtest.',
  },
  { name: 'BacktestMatchEdge', description: 'Match in a page.' },
);
