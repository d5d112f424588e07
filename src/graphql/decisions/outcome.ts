import { type Outcome, outcomeShape } from '../../domain/outcomes/outcome.ts';
import { noteOf } from '../../domain/outcomes/outcome-service.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { PAGE_ARGS, pageCost, rangeOf, selectPage, toConnection } from '../kernel/connection.ts';
import { setFieldType } from '../kernel/input-from.ts';
import { readableUuid } from '../kernel/node-loader.ts';

export const OutcomeType = builder.enumType('OutcomeType', {
  description: 'Reported outcome of an account.',
  values: {
    FRAUD: { value: 'fraud', description: 'Fraud with the account.' },
    LEGITIMATE: { value: 'legitimate', description: 'Account of an honest person.' },
    CHARGEBACK: {
      value: 'chargeback',
      description: 'Chargeback of a payment of the account. Counts as fraud.',
    },
  } as const,
});
setFieldType(outcomeShape, OutcomeType);

const AccountLabel = builder.enumType('AccountLabel', {
  description: 'Label of an account by the outcome reported last.',
  values: {
    FRAUD: { value: 'fraud', description: 'FRAUD or CHARGEBACK as the outcome reported last.' },
    LEGITIMATE: { value: 'legitimate', description: 'LEGITIMATE as the outcome reported last.' },
  } as const,
});

export const AccountOutcomeNode = builder.prismaNode('AccountOutcome', {
  tokenScopes: 'never',
  subjects: ({ accountId }, subjects) => subjects.addAccount(accountId),
  revealedBy: ({ accountId }) => ({ account: accountId }),
  description: 'Reported outcome of an account.',
  include: { account: { select: { accountId: true } } },
  id: { resolve: ({ outcomeId }) => outcomeId, description: 'Global id.' },
  nullable: true,
  findUnique: (outcomeId, { viewer }) => ({
    projectId_outcomeId: {
      projectId: viewer.project.projectId,
      outcomeId: readableUuid(viewer, 'outcome.read', outcomeId),
    },
  }),
  fields: (t) => ({
    outcomeId: t.expose('outcomeId', {
      type: 'UUID',
      description: 'Id of the outcome in events and webhooks.',
    }),
    accountId: t.id({
      description: 'Id of the account, assigned by the client.',
      resolve: ({ account }) => account.accountId,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Current state of the account. Null if it was erased.',
      resolve: ({ accountId }, _args, { loaders }) => loaders.account.load(accountId),
    }),
    outcome: t.field({
      type: OutcomeType,
      description: 'Outcome.',
      resolve: ({ outcome }) => outcome as Outcome,
    }),
    at: t.expose('at', {
      type: 'DateTime',
      description: 'Time of the outcome, as reported. It does not affect the label.',
    }),
    note: t.string({
      mask: 'text',
      nullable: true,
      description: 'Note of the report. Null if none.',
      resolve: (outcome, _args, { viewer }) => noteOf(viewer.project, outcome),
    }),
    actor: t.exposeString('actor', {
      mask: 'none',
      description: 'Visible prefix of the key that reported the outcome.',
    }),
    reportedAt: t.expose('reportedAt', { type: 'DateTime', description: 'Time of the report.' }),
  }),
});

const AccountOutcomeConnection = builder.connectionObject(
  {
    type: AccountOutcomeNode,
    name: 'AccountOutcomeConnection',
    subjects: 'none',
    description: 'Page of outcomes of an account.',
  },
  { name: 'AccountOutcomeEdge', subjects: 'none', description: 'Outcome in a page.' },
);

builder.objectFields(AccountRef, (t) => ({
  outcomeLabel: t.field({
    tokenScopes: 'never',
    type: AccountLabel,
    nullable: true,
    description:
      'Label by the outcome reported last, whatever its time. Lists do not change it. Null without an outcome.',
    resolve: ({ row }, _args, { loaders }) => loaders.label.load(row.id),
  }),
  reportedOutcomes: t.field({
    tokenScopes: 'never',
    type: AccountOutcomeConnection,
    description: 'Reported outcomes, the one reported last first.',
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async ({ row: { id } }, args, context) => {
      const { loaders } = context;
      const page = selectPage(args, ['outcomes', id], context);
      return toConnection(await loaders.outcomes(rangeOf(page)).load(id), page, {
        context,
        position: ({ outcomeId }) => [outcomeId],
        edge: (node) => ({ node }),
        total: () => loaders.outcomeCount.load(id),
      });
    },
  }),
}));
