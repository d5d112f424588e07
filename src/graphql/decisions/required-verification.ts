import type { RequiredCheck } from '@vouchgraph/decisions';
import { builder } from '../kernel/builder.ts';
import { VerificationKindType } from '../kernel/verification-enums.ts';

export const RequiredVerificationType = builder.objectRef<RequiredCheck>('RequiredVerification').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description:
    'Check that a rule requires of an account. The requirement ends when a check of the kind completes ' +
    'and is bound to the account, with any decision. An ID check also meets a required face check.',
  fields: (t) => ({
    kind: t.expose('kind', { type: VerificationKindType, description: 'Kind of the check.' }),
    ruleName: t.string({
      description: 'Name of the rule at the time of its match.',
      resolve: ({ rule }) => rule.name,
    }),
    ruleId: t.field({ type: 'UUID', description: 'Id of the rule.', resolve: ({ rule }) => rule.ruleId }),
  }),
});
