import { LIMITS } from '@vouchgraph/platform/limits';
import type { ErasedCounts } from '../../domain/email-checks/email-erase-service.ts';
import { builder } from '../kernel/builder.ts';
import { payloadType } from '../kernel/payload.ts';

const EraseEmailInput = builder.inputType('EraseEmailInput', {
  description: 'Address whose checks are erased.',
  fields: (t) => ({
    email: t.string({
      required: true,
      description:
        `Email address in any spelling of its mailbox, 1 to ${LIMITS.emailLength} characters. A text that ` +
        'is not a valid address selects checks of the same text.',
    }),
  }),
});

const EraseEmailPayload = payloadType<ErasedCounts>(
  'EraseEmailPayload',
  'Numbers of erased rows. All are 0 if no data of the address was stored.',
  { subjects: 'none' },
  (t) => ({
    checks: t.exposeInt('checks', {
      description:
        'Number of erased checks: single checks, checks in batches, rows of imports, and checks of ' +
        'accounts.',
    }),
    events: t.exposeInt('events', { description: 'Number of erased events of the erased checks.' }),
    deliveries: t.exposeInt('deliveries', {
      description: 'Number of erased webhook deliveries of the erased events.',
    }),
  }),
);

builder.mutationField('eraseEmail', (t) =>
  t.field({
    isIdempotent: false,
    type: EraseEmailPayload,
    nullable: true,
    description:
      'Erases all checks of a mailbox, with their events, webhook deliveries and stored responses, and ' +
      'whole rows of imports. Pending checks are erased too and never complete. Accounts with the ' +
      'address keep their data and events, which deleteAccount erases. Batches keep their counts. A ' +
      'repeated call is not an error. The audit log contains a keyed hash of the address. Errors: ' +
      '`input.invalid`.',
    authScopes: { may: 'email_check.erase' },
    args: {
      input: t.arg({ type: EraseEmailInput, required: true, description: 'Address to erase.' }),
    },
    resolve: async (_root, { input }, { viewer, requestId, services }) => ({
      requestId,
      ...(await services.emailErasure.erase(viewer, requestId, input.email)),
    }),
  }),
);
