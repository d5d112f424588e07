import { checkEmailShape, checkEmailsShape } from '@vouchgraph/email/checks';
import { bodyFrom } from '@vouchgraph/rest';
import { z } from 'zod';

const isAbsent = (value: unknown) => value == null || (typeof value === 'string' && value.trim() === '');

/** Required keys of a body: one address, or a list whose entries each have one. */
function requireAddresses(sent: unknown, context: { addIssue(message: string): void }): unknown {
  const { email: single, emails } = sent as Record<string, unknown>;
  if (isAbsent(single) && emails == null) context.addIssue('email is required');
  if (!isAbsent(single) && emails != null) context.addIssue('email and emails cannot be sent together');
  const entries: unknown[] = Array.isArray(emails) ? emails : [];
  const hasEmail = (entry: unknown) => !isAbsent((entry as { email?: unknown } | null)?.email);
  if (!entries.every(hasEmail)) context.addIssue('each entry in emails must have an email field');
  return isAbsent(single) ? { ...(sent as object), email: null } : sent;
}

const { email, claims, identityIntelligence } = checkEmailShape.shape;
const { emails, batchName } = checkEmailsShape.shape;

/** The input of either mutation. */
const eitherInput = z.object({
  email: email.nullish().describe(email.description!),
  claims,
  emails: emails.nullish().describe('Addresses of a batch, instead of email.'),
  batchName,
  identityIntelligence,
});

/** Names of components that are not those of the inputs. */
const COMPONENTS: Readonly<Record<string, string>> = {
  EmailClaimedNameInput: 'ClaimedNameInput',
  EmailEntryInput: 'EmailInput',
};

export const emailBody = z
  .preprocess(
    requireAddresses,
    bodyFrom(eitherInput, { emptyArrays: true, component: (id) => COMPONENTS[id] ?? id }),
  )
  .meta({
    example: {
      email: 'ada@example.com',
      claims: { name: { first: 'Ada', last: 'Lovelace' }, phone: '+14155552671', country: 'FR' },
      identity_intelligence: true,
    },
  });
