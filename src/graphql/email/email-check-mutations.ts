import {
  checkEmailShape,
  checkEmailsShape,
  type EmailBatch,
  type EmailCheck,
  readCheckInput,
} from '@vouchgraph/email/checks';
import { newId } from '@vouchgraph/platform/ids';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { payloadType } from '../kernel/payload.ts';
import { EmailBatchType, EmailCheckType } from './email-refs.ts';

const CheckEmailInput = inputFrom(checkEmailShape);
const CheckEmailsInput = inputFrom(checkEmailsShape);

type Payload<Added> = Added & { isWebhookConfigured: boolean };

const WEBHOOK_CONFIGURED = 'Whether an enabled webhook endpoint receives the event with the result.';

const CheckEmailPayload = payloadType<Payload<{ check: EmailCheck }>>(
  'CheckEmailPayload',
  'Created email check.',
  { subjects: 'none' },
  (t) => ({
    emailCheck: t.expose('check', {
      type: EmailCheckType,
      description: 'Check, completed if its result was ready in time.',
    }),
    webhookConfigured: t.exposeBoolean('isWebhookConfigured', { description: WEBHOOK_CONFIGURED }),
  }),
);

const CheckEmailsPayload = payloadType<Payload<{ batch: EmailBatch }>>(
  'CheckEmailsPayload',
  'Created batch of email checks.',
  { subjects: 'none' },
  (t) => ({
    emailBatch: t.expose('batch', {
      type: EmailBatchType,
      description: 'Batch, completed if its results were ready in time.',
    }),
    webhookConfigured: t.exposeBoolean('isWebhookConfigured', {
      description:
        'Whether an enabled webhook endpoint receives the event of the batch, or the events of its ' +
        'checks.',
    }),
  }),
);

/** Requests whose id is that of a check: further checks of the same document have separate ids. */
const requestsWithCheck = new WeakSet<GraphQLContext>();

function takeCheckId(context: GraphQLContext): string {
  if (requestsWithCheck.has(context)) return newId(context.services.clock.now().getTime());
  requestsWithCheck.add(context);
  return context.requestId;
}

const ERRORS = 'Errors: `input.invalid`, `auth.forbidden` (below the role server).';

builder.mutationFields((t) => ({
  checkEmail: t.field({
    isIdempotent: false,
    type: CheckEmailPayload,
    nullable: true,
    description: `Checks an email address and emits email.intelligence.completed. ${ERRORS}`,
    authScopes: { may: 'email_check.create' },
    args: { input: t.arg({ type: CheckEmailInput, required: true, description: 'Address to check.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId } = context;
      const { emailChecks } = context.services;
      const { check, isWebhookConfigured } = await emailChecks.add(
        viewer,
        { checkId: takeCheckId(context), requestId },
        input,
        input.identityIntelligence ?? false,
      );
      const waited = await emailChecks.waitForCheck(viewer, check, input.waitSeconds ?? 0, context.closes());
      return { requestId, check: waited, isWebhookConfigured };
    },
  }),
  checkEmails: t.field({
    isIdempotent: false,
    type: CheckEmailsPayload,
    nullable: true,
    description:
      'Checks up to 1,000 email addresses in the background. Each completed check emits ' +
      `email.intelligence.completed. The completed batch emits email.batch.completed. ${ERRORS}`,
    authScopes: { may: 'email_check.create' },
    args: { input: t.arg({ type: CheckEmailsInput, required: true, description: 'Addresses to check.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId } = context;
      const { emailChecks } = context.services;
      const identityIntelligence = input.identityIntelligence ?? false;
      const { batch, isWebhookConfigured } = await emailChecks.addBatch(viewer, requestId, {
        inputs: input.emails.map((sent) => readCheckInput(sent, identityIntelligence)),
        name: input.batchName?.trim() ?? '',
        identityIntelligence,
      });
      const waited = await emailChecks.waitForBatch(viewer, batch, input.waitSeconds ?? 0, context.closes());
      return { requestId, batch: waited, isWebhookConfigured };
    },
  }),
}));
