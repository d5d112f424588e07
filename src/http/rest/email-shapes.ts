import { z } from 'zod';
import { countryCodeShape } from '../../platform/country-code-shape.ts';
import { LIMITS } from '../../platform/limits.ts';
import { tooFewText, tooManyText } from '../../platform/wording.ts';
import { body } from './shapes.ts';

const text = (max: number, description: string) => z.string().max(max).nullish().describe(description);

/** Some languages serialise an empty map as an empty array. */
const emptyMap = (value: unknown) => (Array.isArray(value) && value.length === 0 ? {} : value);

const claims = z
  .preprocess(
    emptyMap,
    body('EmailClaimsInput', {
      name: z
        .preprocess(
          emptyMap,
          body('ClaimedNameInput', {
            first: text(LIMITS.nameLength, 'First name.'),
            last: text(LIMITS.nameLength, 'Last name.'),
          }),
        )
        .nullish(),
      phone: text(LIMITS.phoneLength, 'Phone, E.164 preferred.'),
      country: z
        .preprocess((value) => (value === '' ? null : value), countryCodeShape.nullish())
        .meta({ type: 'string', minLength: 2, maxLength: 2, description: 'ISO 3166-1 alpha-2 code.' }),
    }),
  )
  .nullish()
  .describe('Claims about the owner of the address, which are compared with what is known of it.');

const email = z
  .string()
  .max(LIMITS.emailLength)
  .describe('Address. An invalid one is checked, and reported as invalid.');

const isAbsent = (value: unknown) => value == null || (typeof value === 'string' && value.trim() === '');

/** What a body must name: one address, or a list whose entries each have one. */
function requireAddresses(sent: unknown, context: { addIssue(message: string): void }): unknown {
  const { email: single, emails } = sent as Record<string, unknown>;
  if (isAbsent(single) && emails == null) context.addIssue('email is required');
  if (!isAbsent(single) && emails != null) context.addIssue('email and emails cannot be sent together');
  const entries: unknown[] = Array.isArray(emails) ? emails : [];
  const hasEmail = (entry: unknown) => !isAbsent((entry as { email?: unknown } | null)?.email);
  if (!entries.every(hasEmail)) context.addIssue('each entry in emails must have an email field');
  return isAbsent(single) ? { ...(sent as object), email: null } : sent;
}

export const emailBody = z
  .preprocess(
    requireAddresses,
    z.object({
      email: email.nullish(),
      claims,
      emails: z
        .array(body('EmailInput', { email, claims }))
        .min(1, tooFewText(1))
        .max(LIMITS.emailsPerBatch, tooManyText(LIMITS.emailsPerBatch))
        .nullish()
        .describe('Addresses of a batch, instead of email.'),
      batch_name: text(LIMITS.emailBatchNameLength, 'Name of the batch.'),
      identity_intelligence: z
        .boolean()
        .nullish()
        .describe('Whether results contain identity_intelligence; false by default.'),
    }),
  )
  .meta({
    example: {
      email: 'ada@example.com',
      claims: { name: { first: 'Ada', last: 'Lovelace' }, phone: '+14155552671', country: 'FR' },
      identity_intelligence: true,
    },
  });
