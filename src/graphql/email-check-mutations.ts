import { checkEmailShape, checkEmailsShape, readCheckInput } from '../domain/email-checks/check-input.ts';
import type { EmailBatch, EmailCheck } from '../domain/email-checks/email-check.ts';
import { newId } from '../platform/ids.ts';
import { builder } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { EmailBatchType, EmailCheckType } from './email-refs.ts';

const EmailClaimedNameInput = builder.inputType('EmailClaimedNameInput', {
  description: 'Claimed name.',
  fields: (t) => ({
    first: t.string({ description: 'First name, at most 256 characters.' }),
    last: t.string({ description: 'Last name, at most 256 characters.' }),
  }),
});

const EmailClaimsInput = builder.inputType('EmailClaimsInput', {
  description: 'Claims about the owner of the address. Absent, null and empty values claim nothing.',
  fields: (t) => ({
    name: t.field({ type: EmailClaimedNameInput, description: 'Name.' }),
    phone: t.string({ description: 'Phone, E.164 preferred, at most 32 characters.' }),
    country: t.field({ type: 'CountryCode', description: 'Country.' }),
  }),
});

const EMAIL = {
  required: true,
  description: 'Address, at most 320 characters. An invalid address is checked, and reported as invalid.',
} as const;
const IDENTITY_INTELLIGENCE =
  'Whether the result contains identity intelligence: connected names, phones and online profiles, and their comparison ' +
  'with the claims. False by default.';
const WAIT_SECONDS = 'Time to wait for the result in seconds, 0 to 10; 0 by default.';

const CheckEmailInput = builder.inputType('CheckEmailInput', {
  description: 'An address to check.',
  fields: (t) => ({
    email: t.string(EMAIL),
    claims: t.field({ type: EmailClaimsInput, description: 'Claims about its owner.' }),
    identityIntelligence: t.boolean({ description: IDENTITY_INTELLIGENCE }),
    waitSeconds: t.float({ description: WAIT_SECONDS }),
  }),
  validate: checkEmailShape,
});

const EmailEntryInput = builder.inputType('EmailEntryInput', {
  description: 'An address of a batch.',
  fields: (t) => ({
    email: t.string(EMAIL),
    claims: t.field({ type: EmailClaimsInput, description: 'Claims about its owner.' }),
  }),
});

const CheckEmailsInput = builder.inputType('CheckEmailsInput', {
  description: 'Addresses to check in a batch.',
  fields: (t) => ({
    emails: t.field({
      type: [EmailEntryInput],
      required: true,
      description: 'Addresses, 1 to 1,000. An address that is repeated is checked each time.',
    }),
    batchName: t.string({ description: 'Name of the batch, at most 256 characters.' }),
    identityIntelligence: t.boolean({ description: IDENTITY_INTELLIGENCE }),
    waitSeconds: t.float({ description: WAIT_SECONDS }),
  }),
  validate: checkEmailsShape,
});

type Payload<Added> = Added & { requestId: string; isWebhookConfigured: boolean };

const REQUEST_ID = { type: 'UUID', description: 'Id of this request.' } as const;
const WEBHOOK_CONFIGURED = 'Whether an enabled webhook endpoint receives the event of the result.';

const CheckEmailPayload = builder.objectRef<Payload<{ check: EmailCheck }>>('CheckEmailPayload').implement({
  description: 'Created email check.',
  fields: (t) => ({
    requestId: t.field({ ...REQUEST_ID, resolve: ({ requestId }) => requestId }),
    emailCheck: t.field({
      type: EmailCheckType,
      description: 'The check, completed if it was ready in time.',
      resolve: ({ check }) => check,
    }),
    webhookConfigured: t.boolean({
      description: WEBHOOK_CONFIGURED,
      resolve: ({ isWebhookConfigured }) => isWebhookConfigured,
    }),
  }),
});

const CheckEmailsPayload = builder.objectRef<Payload<{ batch: EmailBatch }>>('CheckEmailsPayload').implement({
  description: 'Created batch of email checks.',
  fields: (t) => ({
    requestId: t.field({ ...REQUEST_ID, resolve: ({ requestId }) => requestId }),
    emailBatch: t.field({
      type: EmailBatchType,
      description: 'The batch, completed if it was ready in time.',
      resolve: ({ batch }) => batch,
    }),
    webhookConfigured: t.boolean({
      description:
        'Whether an enabled webhook endpoint receives the event of the batch, or those of its checks.',
      resolve: ({ isWebhookConfigured }) => isWebhookConfigured,
    }),
  }),
});

/** Requests whose id is that of a check: further checks of the same document have ids of their own. */
const requestsWithCheck = new WeakSet<GraphQLContext>();

function takeCheckId(context: GraphQLContext): string {
  if (requestsWithCheck.has(context)) return newId(context.services.clock.now().getTime());
  requestsWithCheck.add(context);
  return context.requestId;
}

const ERRORS = 'Errors: input.invalid; auth.forbidden below the role server.';

builder.mutationFields((t) => ({
  checkEmail: t.field({
    type: CheckEmailPayload,
    nullable: true,
    description: `Checks an email address and emits email.intelligence.completed. ${ERRORS}`,
    authScopes: { may: 'email_check.create' },
    args: { input: t.arg({ type: CheckEmailInput, required: true, description: 'The address.' }) },
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
    type: CheckEmailsPayload,
    nullable: true,
    description:
      'Checks up to 1,000 email addresses in the background. Each completed check emits email.intelligence.completed, the ' +
      `completed batch emits email.batch.completed. ${ERRORS}`,
    authScopes: { may: 'email_check.create' },
    args: { input: t.arg({ type: CheckEmailsInput, required: true, description: 'The addresses.' }) },
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
