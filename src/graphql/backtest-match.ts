import type { MatchedDecision } from '../domain/decisions/backtests/backtest-read-service.ts';
import type { Decision } from '../domain/decisions/decide.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { DecisionRef, StoredDecision } from './decision.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';

export const BacktestMatchRef = builder.objectRef<MatchedDecision>('BacktestMatch').implement({
  description: 'Decision that a backtest matched: the first one on an account with a session.',
  fields: (t) => ({
    decisionId: t.field({ type: 'UUID', description: 'Id of the decision.', resolve: (d) => d.decision_id }),
    accountId: t.string({
      description: 'Id of the account, assigned by the client.',
      resolve: (d) => d.account_id,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Current state of the account. Null if it was erased.',
      resolve: (d, _args, { loaders }) => loaders.account.load(d.account),
    }),
    sessionId: t.field({ type: 'UUID', description: 'Id of the session.', resolve: (d) => d.session_id }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'Session of the decision. Null if it was purged.',
      resolve: (d, _args, { loaders }) => loaders.session.load(d.session_id),
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the decision.', resolve: (d) => d.at }),
    decision: t.field({
      type: DecisionType,
      description: 'Decision at that time.',
      resolve: (d) => d.decision as Decision,
    }),
    decisionRecord: t.field({
      type: DecisionRef,
      nullable: true,
      description: 'Decision with its trace. Null if its account was erased.',
      resolve: async (d, _args, { viewer, loaders }) => {
        const row = await loaders.decision.load(d.decision_id);
        return row && new StoredDecision(viewer.project.cipher, row);
      },
    }),
  }),
});

export const BacktestMatchConnection = builder.connectionObject(
  { type: BacktestMatchRef, name: 'BacktestMatchConnection', description: 'Page of matches of a backtest.' },
  { name: 'BacktestMatchEdge', description: 'Match in a page.' },
);
