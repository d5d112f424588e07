import type { StoredBacktest } from '../../domain/decisions/backtests/backtest-read-service.ts';
import { builder } from '../kernel/builder.ts';
import { uuidOf } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';
import { BacktestNode } from './backtest.ts';
import { RuleTrigger } from './rule-parts.ts';

const BacktestRuleInput = builder.inputType('BacktestRuleInput', {
  description: 'Condition to test, and the decisions to test it on.',
  fields: (t) => ({
    expression: t.string({ required: true, description: 'Condition as text.' }),
    since: t.field({ type: 'DateTime', required: true, description: 'Earliest time of the decisions.' }),
    until: t.field({
      type: 'DateTime',
      description:
        'Latest time of the decisions, exclusive. A time in the future is replaced by the current time. ' +
        'The current time by default.',
    }),
    trigger: t.field({
      type: RuleTrigger,
      description:
        'Trigger, which selects the decisions: FIRST_SESSION selects those on first sessions, triggers ' +
        'of checks those with the result of a check. ANY_SESSION by default.',
    }),
  }),
});

const CancelBacktestInput = builder.inputType('CancelBacktestInput', {
  description: 'Backtest to cancel.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the backtest, or its backtestId.' }),
  }),
});

type Payload = { backtest: StoredBacktest };

const payload = (name: string, description: string) =>
  payloadType<Payload>(name, description, { subjects: 'wide' }, (t) => ({
    backtest: t.expose('backtest', { type: BacktestNode, description: 'Backtest after the change.' }),
  }));

const BacktestRulePayload = payload('BacktestRulePayload', 'Started backtest.');
const CancelBacktestPayload = payload('CancelBacktestPayload', 'Canceled backtest.');

builder.mutationFields((t) => ({
  backtestRule: t.field({
    isIdempotent: false,
    type: BacktestRulePayload,
    nullable: true,
    description:
      'Starts a backtest of a condition on the stored decisions of a period, in the background. At most ' +
      'three backtests can be waiting or running. Errors: `rule.expression_invalid`, `list.not_found`, ' +
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
    isIdempotent: false,
    type: CancelBacktestPayload,
    nullable: true,
    description:
      'Cancels a waiting or running backtest. A finished backtest does not change. Errors: ' +
      '`backtest.not_found`.',
    authScopes: { may: 'backtest.cancel' },
    args: { input: t.arg({ type: CancelBacktestInput, required: true, description: 'Backtest.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      backtest: await services.backtests.cancel(viewer, requestId, uuidOf('Backtest', input.id) ?? ''),
    }),
  }),
}));
