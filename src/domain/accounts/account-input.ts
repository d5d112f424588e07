import { listNameShape } from '@vouchgraph/decisions';
import { ID_NUMBER_TYPES, idNumberDigits } from '@vouchgraph/persons';
import { birthDateProblem, isFutureBirthDate } from '@vouchgraph/platform/birth-date';
import { countryCodeShape } from '@vouchgraph/platform/country-code-shape';
import { invalidInput } from '@vouchgraph/platform/errors';
import { exactJson } from '@vouchgraph/platform/exact-json';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { jsonObjectShape } from '@vouchgraph/platform/json-object-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { jsonDepth } from '@vouchgraph/platform/text';
import { FUTURE_TEXT } from '@vouchgraph/platform/timestamp';
import { tooManyText } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import { accountIdShape, knownAccountIdShape } from '../model/account-id.ts';

/** Free-form data of the client: an object, or the empty array to which some languages serialize an empty map. */
const metadataShape = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  jsonObjectShape({ read: exactJson, problemOf: metadataProblem }),
);

function metadataProblem(value: Record<string, unknown>): string | null {
  if (jsonDepth(value, LIMITS.metadataDepth + 1) > LIMITS.metadataDepth) {
    return `must not be nested deeper than ${LIMITS.metadataDepth} levels`;
  }
  return metadataTooLarge(value) ? `must be at most ${LIMITS.metadataBytes / 1024} KB of JSON` : null;
}

export function metadataTooLarge(value: Record<string, unknown>): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > LIMITS.metadataBytes;
}

const text = (max: number, description: string) =>
  z.string().max(max, `must be at most ${max} characters`).nullish().describe(description);

/** YYYY-MM-DD; '' removes the date, null keeps it. `rejectFutureBirth` compares it with the clock, which a shape does not have. */
const dateOfBirthShape = z
  .string('must be a date in the format YYYY-MM-DD')
  .superRefine((text, context) => {
    const problem = text === '' ? null : birthDateProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .nullish()
  .describe(
    'Date of birth as YYYY-MM-DD, from 1900-01-01, not in the future. Null or absent: unchanged. Empty: removed. ' +
      'Errors: `input.invalid`.',
  );

/** Throws if the date of birth of a request is in the future. `path`: its place in the input. */
export function rejectFutureBirth(
  { dateOfBirth }: Pick<AccountChanges, 'dateOfBirth'>,
  now: Date,
  path: readonly string[],
): void {
  if (dateOfBirth && isFutureBirthDate(dateOfBirth, now))
    throw invalidInput(`${path.join('.')}: ${FUTURE_TEXT}`, path);
}

/** Issuing country; '' and null: unknown. */
const issuerShape = z
  .string('must be text')
  .superRefine((code, context) => {
    const problem = code === '' ? undefined : countryCodeShape.safeParse(code).error;
    if (problem) context.addIssue({ code: 'custom', message: problem.issues[0]!.message });
  })
  .meta({ maxLength: 2 })
  .nullish()
  .describe(
    'Issuing country as ISO 3166-1 alpha-2. Null or empty: unknown. An unknown issuer matches an ' +
      'unknown issuer only.',
  );

export const idNumberTypeShape = z.enum(ID_NUMBER_TYPES, `must be one of ${ID_NUMBER_TYPES.join(', ')}`);

/** Error messages never contain the value. */
export const idNumberValueShape = z
  .string('must be text')
  .max(LIMITS.idNumberLength, `must be at most ${LIMITS.idNumberLength} characters`)
  .refine(
    (text) => idNumberDigits(text).length >= LIMITS.minIdNumberDigits,
    `must have at least ${LIMITS.minIdNumberDigits} letters or digits`,
  );

/** An id number from a client. */
export const idNumberShape = inputShape('IdNumberInput', 'Government or other id number.', {
  type: idNumberTypeShape.describe('Type of the number.'),
  value: idNumberValueShape.describe(
    'Value, at most 64 characters, with at least 3 letters or digits. Case, spaces and punctuation are ' +
      'ignored. Only a keyed hash is stored. Errors do not quote the value. A number that is unique only ' +
      'within a state must start with the state: "CA D1234567".',
  ),
  country: issuerShape,
});

const UNCHANGED = 'Null or absent: unchanged. Empty: removed.';

/** The fields of an account that a client can set. Null and absent keep the stored value, '' clears a text. */
const accountFields = {
  email: text(
    LIMITS.emailLength,
    `Email address, at most 320 characters. An invalid address is stored and marked as invalid. ${UNCHANGED}`,
  ),
  phone: text(LIMITS.phoneLength, `Phone number, at most 32 characters, preferably E.164. ${UNCHANGED}`),
  firstName: text(LIMITS.nameLength, `First name, at most 256 characters. ${UNCHANGED}`),
  lastName: text(LIMITS.nameLength, `Last name, at most 256 characters. ${UNCHANGED}`),
  username: text(LIMITS.usernameLength, `Username, at most 256 characters. ${UNCHANGED}`),
  expectedCountries: z
    .array(countryCodeShape.meta({ description: 'ISO 3166-1 alpha-2 code.', minLength: 2, maxLength: 2 }))
    .max(LIMITS.expectedCountries)
    .nullish()
    .describe('Expected countries, replacing the stored ones. Null, absent or empty: unchanged.'),
  metadata: metadataShape
    .nullish()
    .describe(
      'Data of the client, at most 16 KB and 8 levels, merged key by key. Null or absent: unchanged.',
    ),
  group: text(
    LIMITS.groupLength,
    'Group of the account. Only accounts of the same group are linked. A changed group links the ' +
      `account again. ${UNCHANGED}`,
  ),
  dateOfBirth: dateOfBirthShape,
  identifiers: z
    .array(idNumberShape)
    .max(LIMITS.idNumbers, tooManyText(LIMITS.idNumbers))
    .nullish()
    .describe(
      'Government and other id numbers, at most 10, replacing the stored ones. Null or absent: ' +
        'unchanged. Empty: removed. Errors: `input.invalid`.',
    ),
};

const lists = z
  .array(listNameShape)
  .max(LIMITS.listsPerRequest, tooManyText(LIMITS.listsPerRequest))
  .nullish()
  .describe(
    'Names of lists that the account is added to. A list that does not exist is created. The lists block, allow and ' +
      'main_account exclude each other: the account is removed from the other two. Its further lists do not change.',
  );

const knownAccountId = knownAccountIdShape.describe('Id of the account, assigned by the client.');

export const updateAccountShape = inputShape(
  'UpdateAccountInput',
  'Changes of a known account. Null and absent fields leave stored data unchanged.',
  { accountId: knownAccountId, ...accountFields },
);
export type AccountChanges = Omit<z.infer<typeof updateAccountShape>, 'accountId'>;

export const deleteAccountShape = inputShape('DeleteAccountInput', 'Account to erase.', {
  accountId: knownAccountId,
});

/** An account as a record of an import has it. */
export const authenticateAccountShape = z.object({ ...accountFields, id: accountIdShape, lists });
export type AuthenticateAccount = z.infer<typeof authenticateAccountShape>;

const accountInputShape = inputShape(
  'AccountInput',
  'Data of a new or known account. Null and absent fields leave stored data unchanged.',
  {
    accountId: accountIdShape.describe(
      'Id of the account, assigned by the client, 1 to 256 characters, except `.` and `..`.',
    ),
    ...accountFields,
    lists,
  },
);

export const authenticateSessionShape = inputShape(
  'AuthenticateSessionInput',
  'Session, and the account to bind it to.',
  {
    sessionId: objectIdShape.describe(
      'Id of a session: of the browser script, or a simulated one (`POST /session`, `createSimulatedSession`).',
    ),
    account: accountInputShape.describe('New or known account.'),
  },
);
