import { type AccountOutcome, reportShape } from '../domain/outcomes/outcome.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { inputFrom } from './input-from.ts';
import { globalIdOf } from './node-id.ts';
import { uuidOf } from './node-loader.ts';
import { AccountOutcomeRef } from './outcome.ts';

const ReportOutcomeInput = inputFrom(reportShape);

const RetractOutcomeInput = builder.inputType('RetractOutcomeInput', {
  description: 'Outcome to retract.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the outcome.' }) }),
});

type Payload = { requestId: string; outcome: AccountOutcome };

const ReportOutcomePayload = builder
  .objectRef<Payload & { isNew: boolean }>('ReportOutcomePayload')
  .implement({
    description: 'Reported outcome and its account.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      outcome: t.field({
        type: AccountOutcomeRef,
        description: 'Stored outcome. For a repeated report: the outcome that was stored first.',
        resolve: (p) => p.outcome,
      }),
      isNew: t.boolean({
        description:
          'Whether this request stored the outcome. If false, it was reported before, and nothing changed.',
        resolve: (p) => p.isNew,
      }),
      account: t.field({
        type: AccountRef,
        nullable: true,
        description: 'Account after the report. Null if it was erased.',
        resolve: (p, _args, { loaders }) => loaders.account.load(p.outcome.account),
      }),
    }),
  });

const RetractOutcomePayload = builder.objectRef<Payload>('RetractOutcomePayload').implement({
  description: 'Retracted outcome and its account.',
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
    deletedId: t.id({
      description: 'Global id of the retracted outcome.',
      resolve: ({ outcome }) => globalIdOf('AccountOutcome', outcome.outcomeId),
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account after the retraction. Null if it was erased.',
      resolve: (p, _args, { loaders }) => loaders.account.load(p.outcome.account),
    }),
  }),
});

builder.mutationFields((t) => ({
  reportOutcome: t.field({
    type: ReportOutcomePayload,
    nullable: true,
    description:
      'Reports the outcome of an account. The outcome with the latest time is the label of the account, ' +
      'which backtests, Rule.performance, calibration and stats use. Decisions and lists do not change. ' +
      'A repeated report with the same account, outcome and time changes nothing, including its note. ' +
      'retractOutcome undoes it. Errors: `account.not_found`, `input.invalid` (also a time in the ' +
      'future).',
    authScopes: { may: 'outcome.report' },
    args: { input: t.arg({ type: ReportOutcomeInput, required: true, description: 'Account and outcome.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.outcomes.report(viewer, requestId, input)),
    }),
  }),
  retractOutcome: t.field({
    type: RetractOutcomePayload,
    nullable: true,
    description:
      'Deletes a reported outcome. The remaining outcome with the latest time is the label again. ' +
      'Errors: `outcome.not_found` (also for a repeated call).',
    authScopes: { may: 'outcome.retract' },
    args: { input: t.arg({ type: RetractOutcomeInput, required: true, description: 'Outcome.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      outcome: await services.outcomes.retract(viewer, requestId, uuidOf('AccountOutcome', input.id) ?? ''),
    }),
  }),
}));
