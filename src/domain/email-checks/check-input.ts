import { z } from 'zod';
import { countryCodeShape } from '../../platform/country-code-shape.ts';
import { invalidInput } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import { betweenText, tooFewText, tooManyText } from '../../platform/wording.ts';
import type { EmailClaims } from '../email/email-evidence.ts';
import type { EmailCheckInput } from './email-check.ts';

/*
 * What a client may ask. A text that is no email address is accepted: its check answers that it is invalid.
 */

const text = (max: number) => z.string().max(max, `must be at most ${max} characters`).nullish();

/** '' claims nothing. */
const country = z.preprocess((value) => (value === '' ? null : value), countryCodeShape.nullish());

const claimsShape = z.object({
  name: z.object({ first: text(LIMITS.nameLength), last: text(LIMITS.nameLength) }).nullish(),
  phone: text(LIMITS.phoneLength),
  country,
});

const email = z
  .string()
  .max(LIMITS.emailLength, `must be at most ${LIMITS.emailLength} characters`)
  .refine((value) => value.trim() !== '', 'must not be empty');

const entryFields = { email, claims: claimsShape.nullish() };

const waitSecondsShape = z
  .number()
  .min(0, betweenText(0, LIMITS.emailWaitSeconds))
  .max(LIMITS.emailWaitSeconds, betweenText(0, LIMITS.emailWaitSeconds))
  .nullish();

export const checkEmailShape = z.object({
  ...entryFields,
  identityIntelligence: z.boolean().nullish(),
  waitSeconds: waitSecondsShape,
});

export const checkEmailsShape = z.object({
  emails: z
    .array(z.object(entryFields))
    .min(1, tooFewText(1))
    .max(LIMITS.emailsPerBatch, tooManyText(LIMITS.emailsPerBatch)),
  batchName: text(LIMITS.emailBatchNameLength),
  identityIntelligence: z.boolean().nullish(),
  waitSeconds: waitSecondsShape,
});

type SentClaims = {
  readonly name?: { readonly first?: string | null; readonly last?: string | null } | null;
  readonly phone?: string | null;
  readonly country?: string | null;
};

/** One address as a client sends it. */
export type SentEmail = { readonly email: string; readonly claims?: SentClaims | null };

/** The claims of a client; null when nothing is claimed. */
function readClaims(sent: SentClaims | null | undefined): EmailClaims | null {
  const claims = {
    firstName: sent?.name?.first?.trim() ?? '',
    lastName: sent?.name?.last?.trim() ?? '',
    phone: sent?.phone?.trim() ?? '',
    country: sent?.country?.toUpperCase() ?? '',
  };
  return Object.values(claims).some((claim) => claim !== '') ? claims : null;
}

/** What a check of one address is stored with. */
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
