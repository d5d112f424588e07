import { reportShape } from '../../domain/outcomes/outcome.ts';
import type { StoredOutcome } from '../../domain/outcomes/outcome-read-service.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { globalIdOf } from '../kernel/node-id.ts';
import { uuidOf } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';
import { AccountOutcomeNode } from './outcome.ts';

const ReportOutcomeInput = inputFrom(reportShape);

const RetractOutcomeInput = builder.inputType('RetractOutcomeInput', {
  description: 'Outcome to retract.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the outcome, or its outcomeId.' }),
  }),
});

type Payload = { outcome: StoredOutcome };

const ReportOutcomePayload = payloadType<Payload & { isNew: boolean }>(
  'ReportOutcomePayload',
  'Reported outcome and its account.',
  { subjects: 'none' },
  (t) => ({
    outcome: t.expose('outcome', {
      type: AccountOutcomeNode,
      description:
        'Stored outcome. For a repeated report of the last outcome of this time: the outcome that was stored first.',
    }),
    isNew: t.exposeBoolean('isNew', {
      description:
        'Whether this request stored the outcome. If false, it was reported before, and nothing changed.',
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account after the report. Null if it was erased.',
      resolve: (p, _args, { loaders }) => loaders.account.load(p.outcome.accountId),
    }),
  }),
);

const RetractOutcomePayload = payloadType<Payload>(
  'RetractOutcomePayload',
  'Retracted outcome and its account.',
  { subjects: 'none' },
  (t) => ({
    deletedId: t.id({
      description: 'Global id of the retracted outcome.',
      resolve: ({ outcome }) => globalIdOf('AccountOutcome', outcome.outcomeId),
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account after the retraction. Null if it was erased.',
      resolve: (p, _args, { loaders }) => loaders.account.load(p.outcome.accountId),
    }),
  }),
);

builder.mutationFields((t) => ({
  reportOutcome: t.field({
    isIdempotent: true,
    type: ReportOutcomePayload,
    nullable: true,
    description:
      'Reports the outcome of an account. The outcome reported last, whatever its time, is the label of the ' +
      'account, which backtests, Rule.performance and calibration use. Decisions and lists do not change. ' +
      'A repeated report of the outcome that was reported last changes nothing, including its note. A repeated ' +
      'report of an earlier one replaces it, and counts as reported last. ' +
      'retractOutcome deletes the outcome. Errors: `account.not_found`, `input.invalid` (also a time in ' +
      'the future).',
    authScopes: { may: 'outcome.report' },
    args: { input: t.arg({ type: ReportOutcomeInput, required: true, description: 'Account and outcome.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.outcomes.report(viewer, requestId, input)),
    }),
  }),
  retractOutcome: t.field({
    isIdempotent: false,
    type: RetractOutcomePayload,
    nullable: true,
    description:
      'Deletes a reported outcome. The remaining outcome that was reported last is the label again. ' +
      'Errors: `outcome.not_found` (also for a repeated call).',
    authScopes: { may: 'outcome.retract' },
    args: { input: t.arg({ type: RetractOutcomeInput, required: true, description: 'Outcome.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      outcome: await services.outcomes.retract(viewer, requestId, uuidOf('AccountOutcome', input.id) ?? ''),
    }),
  }),
}));
