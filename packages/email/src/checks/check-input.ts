import { countryCodeShape } from '@vouchgraph/platform/country-code-shape';
import { invalidInput } from '@vouchgraph/platform/errors';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { numberBetween, tooFewText, tooManyText } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import type { EmailClaims } from '../email-evidence.ts';
import type { EmailCheckInput } from './email-check.ts';

/*
 * Inputs of checks. Text that is not an email address is accepted: the result of its check is that it is invalid.
 */

const text = (max: number, description: string) =>
  z.string().max(max, `must be at most ${max} characters`).nullish().describe(description);

const claimedNameShape = inputShape('EmailClaimedNameInput', 'Claimed name.', {
  first: text(LIMITS.nameLength, 'First name, at most 256 characters.'),
  last: text(LIMITS.nameLength, 'Last name, at most 256 characters.'),
});

const countryOfClaim = countryCodeShape.meta({ description: 'ISO 3166-1 alpha-2 code.' });

const claimsShape = inputShape(
  'EmailClaimsInput',
  'Claims about the owner of the address. Absent, null and empty values are no claims.',
  {
    name: claimedNameShape.nullish().describe('Claimed name.'),
    phone: text(LIMITS.phoneLength, 'Claimed phone number, at most 32 characters, preferably E.164.'),
    country: z
      .preprocess((value) => (value === '' ? null : value), countryOfClaim.nullish())
      .meta({ description: 'Claimed country.', maxLength: 2 }),
  },
);

const entryFields = {
  email: z
    .string()
    .max(LIMITS.emailLength, `must be at most ${LIMITS.emailLength} characters`)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .describe(
      'Email address, at most 320 characters. An invalid address is checked and reported as invalid.',
    ),
  claims: claimsShape.nullish().describe('Claims about the owner of the address.'),
};

const commonFields = {
  identityIntelligence: z
    .boolean()
    .nullish()
    .describe(
      'Whether the result contains identity intelligence: connected names, phone numbers and online ' +
        'profiles, and their comparison with the claims. False by default.',
    ),
  waitSeconds: numberBetween(0, LIMITS.emailWaitSeconds)
    .nullish()
    .describe('Time to wait for the result in seconds, 0 to 10. 0 by default.'),
};

export const checkEmailShape = inputShape('CheckEmailInput', 'Email address to check.', {
  ...entryFields,
  ...commonFields,
});

const emailEntryShape = inputShape('EmailEntryInput', 'Email address of a batch.', entryFields);

export const checkEmailsShape = inputShape('CheckEmailsInput', 'Email addresses to check in a batch.', {
  emails: z
    .array(emailEntryShape)
    .min(1, tooFewText(1))
    .max(LIMITS.emailsPerBatch, tooManyText(LIMITS.emailsPerBatch))
    .describe('Email addresses, 1 to 1,000. A repeated address is checked each time.'),
  batchName: text(LIMITS.emailBatchNameLength, 'Name of the batch, at most 256 characters.'),
  ...commonFields,
});

/** One address as a client sends it. */
export type SentEmail = z.infer<typeof emailEntryShape>;

/** The claims of a client; null when nothing is claimed. */
function readClaims(sent: SentEmail['claims']): EmailClaims | null {
  const claims = {
    firstName: sent?.name?.first?.trim() ?? '',
    lastName: sent?.name?.last?.trim() ?? '',
    phone: sent?.phone?.trim() ?? '',
    country: sent?.country?.toUpperCase() ?? '',
  };
  return Object.values(claims).some((claim) => claim !== '') ? claims : null;
}

/** Stored input of a check of one address. */
export function readCheckInput(sent: SentEmail, identityIntelligence: boolean): EmailCheckInput {
  return { email: sent.email, claims: readClaims(sent.claims), identityIntelligence };
}

/** Throws `input.invalid` for a number of addresses that a batch cannot have. */
export function checkBatchSize(count: number): void {
  if (count < 1) throw invalidInput(`emails: ${tooFewText(1)}`, ['emails']);
  if (count > LIMITS.emailsPerBatch) {
    throw invalidInput(`emails: ${tooManyText(LIMITS.emailsPerBatch)}`, ['emails']);
  }
}
