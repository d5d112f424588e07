import {
  accountsOfLinks,
  type ScoredSession,
  scoreSession,
} from '../../domain/accounts/session-score-service.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { pageSize } from '../kernel/connection.ts';
import { DecisionType } from '../kernel/risk.ts';
import { SessionRef } from '../sessions/session.ts';
import { LinkedAccount } from './link.ts';

const SessionScore = builder.objectRef<ScoredSession>('SessionScore').implement({
  tokenScopes: 'never',
  subjects: byProperties,
  description: 'Score of a new account with only this session.',
  fields: (t) => ({
    session: t.expose('session', { type: SessionRef, description: 'Session.' }),
    decision: t.expose('decision', {
      type: DecisionType,
      description: 'Decision by the score and the thresholds of the project.',
    }),
    accountScore: t.exposeFloat('accountScore', { description: 'Overall risk, 0 to 1.' }),
    botScore: t.exposeFloat('bot', { description: 'Score of automation, 0 to 1.' }),
    multipleAccounts: t.exposeFloat('multipleAccounts', {
      description: 'Risk that one person has several accounts, 0 to 1: noisy-or of the links.',
    }),
    riskSignalScore: t.exposeFloat('riskSignals', {
      description: 'Combined score of all risk signals, 0 to 1.',
    }),
    accountsLinked: t.int({
      description: 'Number of linked accounts, at most 1,500.',
      resolve: ({ links }) => links.length,
    }),
    linkedAccounts: t.field({
      type: [LinkedAccount],
      description:
        'Accounts with identifiers of the session, the highest score first. Errors: `input.invalid`.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({
          defaultValue: 20,
          description: 'Number of accounts, at most 100. 20 by default.',
        }),
      },
      resolve: ({ links }, { first }, context) =>
        accountsOfLinks(context.viewer, links.slice(0, pageSize(first, context))),
    }),
  }),
});

builder.queryField('scoreSession', (t) =>
  t.field({
    type: SessionScore,
    nullable: true,
    description:
      'Score of a session without binding it to an account. Nothing is stored. Errors: `session.not_found`.',
    authScopes: { may: 'session.score' },
    complexity: 10,
    args: { sessionId: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: async (_root, { sessionId }, { viewer, services }) =>
      scoreSession(viewer, await services.sessions.get(viewer, String(sessionId))),
  }),
);
