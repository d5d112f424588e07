import { z } from 'zod';
import { ID_NUMBER_TYPES } from '../../domain/identifiers/id-number.ts';
import { addSessionFactsShape, createSessionShape } from '../../domain/sessions/session-input.ts';
import { birthDateProblem } from '../../platform/birth-date.ts';
import { countryCodeHint, isCountryCode } from '../../platform/countries.ts';
import { LIMITS } from '../../platform/limits.ts';
import { tooManyText } from '../../platform/wording.ts';
import { bodyFrom } from './body-from.ts';

/*
 * Request bodies as REST clients send them: snake_case, null like absent, unknown keys ignored. The schema behind
 * them checks again; what is checked here is told under the names that the client used, and shown by openapi.json.
 */

const text = (max: number, description: string) =>
  z.string().max(max, `must be at most ${max} characters`).nullish().describe(description);

/** A part of a body that openapi.json has as a component of this name. Unknown keys are ignored. */
export const body = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

/** Code of a country in any case. */
export const country = z
  .string('must be text')
  .transform((code) => code.toUpperCase())
  .superRefine((code, context) => {
    if (isCountryCode(code)) return;
    const hint = countryCodeHint(code);
    context.addIssue({
      code: 'custom',
      message: `must be an ISO 3166-1 alpha-2 country code${hint ? `: ${hint}` : ''}`,
    });
  })
  .meta({ type: 'string', minLength: 2, maxLength: 2 });

/** Some languages serialise an empty map as an empty array. */
const jsonObject = z
  .preprocess(
    (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
    z.record(z.string(), z.unknown()),
  )
  .nullish();

/** Messages never quote the value. */
const idNumber = body('IdNumberInput', {
  type: z.enum(ID_NUMBER_TYPES, `must be one of ${ID_NUMBER_TYPES.join(', ')}`),
  value: z
    .string('must be text')
    .max(LIMITS.idNumberLength, `must be at most ${LIMITS.idNumberLength} characters`)
    .describe(
      'The number: at least 3 letters or digits; case, spaces and punctuation are ignored. One that is unique within a ' +
        'state only starts with the state: "CA D1234567".',
    ),
  country: country
    .or(z.literal(''))
    .nullish()
    .describe('Issuing country as ISO 3166-1 alpha-2. Absent or empty: unknown, which matches unknown only.'),
});

const accountFields = {
  email: text(LIMITS.emailLength, 'Email. An invalid one is stored and described as such; empty clears it.'),
  phone: text(LIMITS.phoneLength, 'Phone, E.164 preferred; empty clears it.'),
  first_name: text(LIMITS.nameLength, 'First name; empty clears it.'),
  last_name: text(LIMITS.nameLength, 'Last name; empty clears it.'),
  username: text(LIMITS.usernameLength, 'Username; empty clears it.'),
  expected_countries: z
    .array(country)
    .max(LIMITS.expectedCountries)
    .nullish()
    .describe('ISO 3166-1 alpha-2 codes. A non-empty list replaces the stored one; an empty one leaves it.'),
  metadata: jsonObject.describe('Your own data, merged key by key: 16 KB and 8 levels at most.'),
  group: text(LIMITS.groupLength, 'Links stay inside a group. Absent: unchanged.'),
  date_of_birth: z
    .string('must be a date as YYYY-MM-DD')
    .superRefine((value, context) => {
      const problem = value === '' ? null : birthDateProblem(value);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    })
    .nullish()
    .describe(
      'Date of birth as YYYY-MM-DD, from 1900-01-01 to 2099-12-31. Absent or null: unchanged; empty removes it.',
    ),
  identifiers: z
    .array(idNumber)
    .max(LIMITS.idNumbers, tooManyText(LIMITS.idNumbers))
    .nullish()
    .describe(
      'Government and other id numbers, stored as keyed hashes only and never answered. Replaces those that were given ' +
        'before. Absent or null: unchanged; an empty list removes them.',
    ),
};

/** What the reference shows as a body to try. */
const SESSION_EXAMPLE = '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61';
const ACCOUNT_EXAMPLE = {
  email: 'ada@example.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR'],
  metadata: { plan: 'free' },
};

const accountId = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(LIMITS.accountIdLength, `must be at most ${LIMITS.accountIdLength} characters`);

export const authenticateBody = z
  .object({
    session_id: z.string().describe('Id of the session.'),
    account: body('AccountInput', {
      id: accountId.describe('Your own id of the account.'),
      ...accountFields,
      lists: z
        .array(z.string())
        .max(LIMITS.listsPerRequest)
        .nullish()
        .describe('Names of lists to add the account to; unknown ones are created.'),
    }),
  })
  .meta({ example: { session_id: SESSION_EXAMPLE, account: { id: 'ada', ...ACCOUNT_EXAMPLE } } });

export const sessionBody = z
  .object({ session_id: z.string().describe('Id of the session.') })
  .meta({ example: { session_id: SESSION_EXAMPLE } });

export const verifyBody = z
  .object({ session_id: z.string().describe('Id of the verification session.') })
  .meta({ id: 'VerifyBody', example: { session_id: SESSION_EXAMPLE } });

export const identityBody = z
  .object({
    session_id: z.string().describe('Id of the verification session.'),
    account_id: accountId.describe('Your own id of the account.'),
  })
  .meta({ id: 'VerifyAccountBody', example: { session_id: SESSION_EXAMPLE, account_id: 'user-42' } });

export const updateAccountBody = z
  .object({
    id: accountId.nullish().describe('Repeats the id of the path.'),
    ...accountFields,
  })
  .meta({ example: ACCOUNT_EXAMPLE });

export const listBody = z
  .object({ list_description: text(LIMITS.listDescriptionLength, 'What the list is for.') })
  .meta({ example: { list_description: 'Customers that we know in person' } });

/** `description` is the name that the list is answered with. */
export const updateListBody = z
  .object({
    list_description: text(LIMITS.listDescriptionLength, 'What the list is for. Absent: unchanged.'),
    description: text(
      LIMITS.listDescriptionLength,
      'The same under the name that answers use. When both are given they have to be equal.',
    ),
  })
  .superRefine(({ list_description, description }, context) => {
    if (list_description == null || description == null || list_description === description) return;
    const message = 'must equal list_description when both are given';
    context.addIssue({ code: 'custom', path: ['description'], message });
  })
  .meta({ example: { list_description: 'Customers that we know in person' } });

export const moveAccountsBody = z
  .object({
    account_ids: z
      .array(accountId)
      .min(1)
      .max(LIMITS.accountsPerListCall)
      .describe('Your own ids of the accounts.'),
    target_list: z.string().describe('Name of the list that they go to.'),
  })
  .meta({ example: { account_ids: ['ada', 'grace'], target_list: 'allow' } });

const projectId = z.string().nullish().describe('Public id of the project; needed without a key.');

export const createSessionBody = bodyFrom(createSessionShape, {
  groups: { facts: '', simulated: 'Sandbox with a key only. ' },
  extra: {
    project_id: projectId,
    browser_token: z
      .string('must be text')
      .max(512)
      .nullish()
      .describe(
        "The browser's signed id, as an earlier answer gave it; a page keeps it where the cookie is refused.",
      ),
  },
  example: { ip_address: '90.54.1.1', browser: { language: 'fr-FR' }, device: { cpu_cores: 8 } },
});

export const addFactsBody = bodyFrom(addSessionFactsShape, {
  omit: ['sessionId'],
  groups: { facts: '' },
  extra: { project_id: projectId },
  example: { bot: { mouse_num_events: 12 } },
});

export type AccountFieldsBody = z.infer<typeof updateAccountBody>;

/** The fields of an account as the schema takes them. */
export function accountInput(body: Omit<AccountFieldsBody, 'id'>) {
  return {
    email: body.email,
    phone: body.phone,
    firstName: body.first_name,
    lastName: body.last_name,
    username: body.username,
    expectedCountries: body.expected_countries,
    metadata: body.metadata,
    group: body.group,
    dateOfBirth: body.date_of_birth,
    identifiers: body.identifiers,
  };
}
