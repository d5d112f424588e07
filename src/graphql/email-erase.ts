import type { ErasedCounts } from '../domain/email-checks/email-erase-service.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';

const EraseEmailInput = builder.inputType('EraseEmailInput', {
  description: 'Address whose checks are erased.',
  fields: (t) => ({
    email: t.string({
      required: true,
      description: `Email address in any spelling of its mailbox, 1 to ${LIMITS.emailLength} characters. Text that is not a valid address matches checks of the same text.`,
    }),
  }),
});

const EraseEmailPayload = builder
  .objectRef<{ requestId: string } & ErasedCounts>('EraseEmailPayload')
  .implement({
    description: 'Numbers of erased rows; all 0 when nothing was stored of the address.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      checks: t.exposeInt('checks', {
        description:
          'Number of erased checks: single ones, those in batches, rows of imports, those of accounts.',
      }),
      events: t.exposeInt('events', { description: 'Number of erased events of these checks.' }),
      deliveries: t.exposeInt('deliveries', {
        description: 'Number of erased webhook deliveries of these events.',
      }),
    }),
  });

builder.mutationField('eraseEmail', (t) =>
  t.field({
    type: EraseEmailPayload,
    nullable: true,
    description:
      'Erases all checks of a mailbox, with their events, webhook deliveries, stored answers and, of ' +
      'imports, whole rows. Pending checks are erased as well and never complete. Accounts with the ' +
      'address remain, with their own data and events: deleteAccount erases those. Batches keep their ' +
      'counts. Repeating it is not an error. The audit log names the address by a keyed hash. Errors: ' +
      '`input.invalid`.',
    authScopes: { may: 'email_check.erase' },
    args: {
      input: t.arg({ type: EraseEmailInput, required: true, description: 'The address.' }),
    },
    resolve: async (_root, { input }, { viewer, requestId, services }) => ({
      requestId,
      ...(await services.emailErasure.erase(viewer, requestId, input.email)),
    }),
  }),
);
