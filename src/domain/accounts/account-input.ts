import { z } from 'zod';
import { birthDateProblem } from '../../platform/birth-date.ts';
import { countryCodeShape } from '../../platform/country-code-shape.ts';
import { LIMITS } from '../../platform/limits.ts';
import { jsonDepth } from '../../platform/text.ts';
import { tooManyText } from '../../platform/wording.ts';
import { ID_NUMBER_TYPES, idNumberDigits } from '../identifiers/id-number.ts';
import { accountIdShape } from '../model/account-id.ts';
import { listNameShape } from '../model/list-name.ts';

/** Free-form data of the client: an object, or the empty array to which some languages serialize an empty map. */
const metadataShape = z.unknown().transform((value, context): Record<string, unknown> => {
  const problem = metadataProblem(value);
  if (problem) {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
  return Array.isArray(value) ? {} : (value as Record<string, unknown>);
});

function metadataProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'must be an object';
  if (Array.isArray(value)) return value.length > 0 ? 'must be an object, not an array' : null;
  if (jsonDepth(value, LIMITS.metadataDepth + 1) > LIMITS.metadataDepth) {
    return `must not be nested deeper than ${LIMITS.metadataDepth} levels`;
  }
  return metadataTooLarge(value as Record<string, unknown>)
    ? `must be at most ${LIMITS.metadataBytes / 1024} KB of JSON`
    : null;
}

export function metadataTooLarge(value: Record<string, unknown>): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > LIMITS.metadataBytes;
}

const text = (max: number) => z.string().max(max, `must be at most ${max} characters`).nullish();

/** YYYY-MM-DD; '' removes the date, null keeps it. */
const dateOfBirthShape = z
  .string('must be a date as YYYY-MM-DD')
  .superRefine((text, context) => {
    const problem = text === '' ? null : birthDateProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .nullish();

/** Issuing country; '' and null: unknown. */
const issuerShape = z
  .string('must be text')
  .superRefine((code, context) => {
    const problem = code === '' ? undefined : countryCodeShape.safeParse(code).error;
    if (problem) context.addIssue({ code: 'custom', message: problem.issues[0]!.message });
  })
  .nullish();

/** An id number from a client. Error messages never contain the value. */
export const idNumberShape = z.object({
  type: z.enum(ID_NUMBER_TYPES, `must be one of ${ID_NUMBER_TYPES.join(', ')}`),
  value: z
    .string('must be text')
    .max(LIMITS.idNumberLength, `must be at most ${LIMITS.idNumberLength} characters`)
    .refine(
      (text) => idNumberDigits(text).length >= LIMITS.minIdNumberDigits,
      `must have at least ${LIMITS.minIdNumberDigits} letters or digits`,
    ),
  country: issuerShape,
});

/** The fields of an account that a client can set. Null and absent keep the stored value, '' clears a text. */
const accountFields = {
  email: text(LIMITS.emailLength),
  phone: text(LIMITS.phoneLength),
  firstName: text(LIMITS.nameLength),
  lastName: text(LIMITS.nameLength),
  username: text(LIMITS.usernameLength),
  expectedCountries: z.array(countryCodeShape).max(LIMITS.expectedCountries).nullish(),
  metadata: metadataShape.nullish(),
  group: text(LIMITS.groupLength),
  dateOfBirth: dateOfBirthShape,
  /** Replaces all id numbers of earlier requests. */
  identifiers: z.array(idNumberShape).max(LIMITS.idNumbers, tooManyText(LIMITS.idNumbers)).nullish(),
};

export const updateAccountShape = z.object(accountFields);
export type AccountChanges = z.infer<typeof updateAccountShape>;

export const authenticateAccountShape = z.object({
  ...accountFields,
  id: accountIdShape,
  lists: z.array(listNameShape).max(LIMITS.listsPerRequest, tooManyText(LIMITS.listsPerRequest)).nullish(),
});
/** The same shape with the names of the GraphQL schema. */
export const accountInputShape = authenticateAccountShape
  .omit({ id: true })
  .extend({ accountId: accountIdShape });
export type AuthenticateAccount = z.infer<typeof authenticateAccountShape>;
