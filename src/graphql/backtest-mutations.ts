import type { Backtest } from '../domain/decisions/backtests/backtest.ts';
import { BacktestRef } from './backtest.ts';
import { builder } from './builder.ts';
import { uuidOf } from './node-loader.ts';
import { RuleTrigger } from './rule-parts.ts';

const BacktestRuleInput = builder.inputType('BacktestRuleInput', {
  description: 'Condition to try, and the decisions to try it on.',
  fields: (t) => ({
    expression: t.string({ required: true, description: 'Condition as text.' }),
    since: t.field({ type: 'DateTime', required: true, description: 'Earliest time of the decisions.' }),
    until: t.field({
      type: 'DateTime',
      description: 'Time before which the decisions were made; now by default and at the latest.',
    }),
    trigger: t.field({
      type: RuleTrigger,
      description:
        'Decisions to examine; ANY_SESSION by default. FIRST_SESSION examines first sessions only, the others those made ' +
        'with the result of a check of their kind.',
    }),
  }),
});

const CancelBacktestInput = builder.inputType('CancelBacktestInput', {
  description: 'Backtest to cancel.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the backtest.' }) }),
});

type Payload = { requestId: string; backtest: Backtest };

const payload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      backtest: t.field({
        type: BacktestRef,
        description: 'Backtest after the change.',
        resolve: (p) => p.backtest,
      }),
    }),
  });

const BacktestRulePayload = payload('BacktestRulePayload', 'Started backtest.');
const CancelBacktestPayload = payload('CancelBacktestPayload', 'Cancelled backtest.');

builder.mutationFields((t) => ({
  backtestRule: t.field({
    type: BacktestRulePayload,
    nullable: true,
    description:
      'Starts a backtest of a condition on the stored decisions of a time, in the background. At most ' +
      'three wait or run at once. Errors: `rule.expression_invalid`, `list.not_found`, ' +
      '`backtest.too_many`, `input.invalid`.',
    authScopes: { may: 'backtest.run' },
    args: {
      input: t.arg({ type: BacktestRuleInput, required: true, description: 'Condition and decisions.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      backtest: await services.backtests.add(viewer, requestId, input),
    }),
  }),
  cancelBacktest: t.field({
    type: CancelBacktestPayload,
    nullable: true,
    description:
      'Cancels a backtest that waits or runs; one that has ended does not change. Errors: ' +
      '`backtest.not_found`.',
    authScopes: { may: 'backtest.cancel' },
    args: { input: t.arg({ type: CancelBacktestInput, required: true, description: 'Backtest.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      backtest: await services.backtests.cancel(viewer, requestId, uuidOf('Backtest', input.id) ?? ''),
    }),
  }),
}));
