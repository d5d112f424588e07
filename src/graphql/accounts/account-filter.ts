import { contactValues, IDENTIFIER_KINDS, type IdentifierKind } from '@vouchgraph/linking';
import { idNumberKey } from '@vouchgraph/persons';
import { invalidInput } from '@vouchgraph/platform/errors';
import { betweenText } from '@vouchgraph/platform/wording';
import type { AccountFilter as StoredFilter } from '../../domain/accounts/account-read-service.ts';
import { searchIdentifiers } from '../../domain/linking/search-text.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { DecisionType } from '../kernel/risk.ts';
import { IdNumberInput } from './id-number.ts';

/** How old score and decision of accounts can be, where accounts are filtered and ordered by them. */
export const STANDING_AGE =
  'Includes changes of other accounts and of lists within 5 seconds. Includes changes of thresholds and ' +
  'email domains after all accounts are recalculated.';

export const AccountFilter = builder.inputType('AccountFilter', {
  description: 'Conditions on accounts. An account must meet all of them.',
  fields: (t) => ({
    email: t.string({ description: 'Email address, equal after normalizing.' }),
    phone: t.string({ description: 'Phone number with calling code, equal after normalizing.' }),
    username: t.string({ description: 'Username, equal after normalizing.' }),
    idNumber: t.field({
      type: IdNumberInput,
      description:
        'Id number of equal type and country, and normalized value: a number that the client sent, or that of a bound ' +
        'document. Placeholders such as 000000000 match no account. Errors: `input.invalid`.',
    }),
    search: t.string({
      description:
        'Text that equals, after normalizing, one of these: email, phone number with country code, ' +
        'username, account id, or first and last name in either order. Parts of words and id numbers do ' +
        'not match. Surrounding white space is ignored. Empty text: no condition.',
    }),
    countryCode: t.field({ type: 'CountryCode', description: 'Country of the latest session.' }),
    group: t.string({ description: 'Group of the account. Empty: accounts without a group.' }),
    list: t.string({ description: 'Name of a list that contains the account.' }),
    lastSeenAfter: t.field({ type: 'DateTime', description: 'Earliest lastSeen, inclusive.' }),
    lastSeenBefore: t.field({ type: 'DateTime', description: 'Latest lastSeen, exclusive.' }),
    decision: t.field({ type: DecisionType, description: `Current decision. ${STANDING_AGE}` }),
    minScore: t.float({
      description: `Minimum accountScore, 0 to 1. ${STANDING_AGE} Errors: \`input.invalid\`.`,
    }),
    maxScore: t.float({
      description: `Maximum accountScore, 0 to 1. ${STANDING_AGE} Errors: \`input.invalid\`.`,
    }),
  }),
});

export type AccountFilterInput = (typeof AccountFilter)['$inferInput'];

/** The conditions of a filter, with keyed hashes for personal data. Throws `input.invalid`. */
export function conditionsOf(
  context: GraphQLContext,
  filter: AccountFilterInput,
): Omit<StoredFilter, 'order'> {
  const { countryCode: country, group, list, lastSeenAfter, lastSeenBefore, decision } = filter;
  return {
    ...{ country, group, list: list?.normalize('NFC'), lastSeenAfter, lastSeenBefore, decision },
    minScore: scoreOf('minScore', filter),
    maxScore: scoreOf('maxScore', filter),
    identifiers: searchedIdentifiers(context, filter),
    search: searchOf(context, filter.search?.trim() ?? ''),
  };
}

function scoreOf(name: 'minScore' | 'maxScore', filter: AccountFilterInput): number | null {
  const score = filter[name] ?? null;
  if (score !== null && !(score >= 0 && score <= 1))
    throw invalidInput(`filter.${name}: ${betweenText(0, 1)}`, ['filter', name]);
  return score;
}

function searchOf({ viewer }: GraphQLContext, text: string): StoredFilter['search'] {
  if (text === '') return null;
  const { cipher } = viewer.project;
  const identifiers = searchIdentifiers(text, (kind, value) => cipher.blindIndex(kind, value));
  return { identifiers, accountId: text };
}

function searchedIdentifiers(context: GraphQLContext, filter: AccountFilterInput) {
  const { cipher } = context.viewer.project;
  const fields = {
    email: filter.email ?? '',
    phone: filter.phone ?? '',
    username: filter.username ?? '',
    firstName: '',
    lastName: '',
  };
  const values = contactValues(fields, []);
  const byField = (['email', 'phone', 'username'] as const)
    .filter((field) => fields[field] !== '')
    .map((field) => {
      // A value without a normal form is found nowhere.
      const kind = KINDS_OF_FIELD[field].find((each) => values.get(each)!.length > 0) ?? field;
      const [value = ''] = values.get(kind)!;
      return { kind: IDENTIFIER_KINDS[kind], hash: cipher.blindIndex(kind, value) };
    });
  return filter.idNumber ? [...byField, searchedIdNumber(context, filter.idNumber)] : byField;
}

/** The hash of a placeholder is the one of no number. */
function searchedIdNumber({ viewer }: GraphQLContext, number: (typeof IdNumberInput)['$inferInput']) {
  const hash = viewer.project.cipher.blindIndex('id_number', idNumberKey(number));
  return { kind: IDENTIFIER_KINDS.id_number, hash };
}

/** The kinds that a field is stored as; a value is stored as one of them. */
const KINDS_OF_FIELD: Record<'email' | 'phone' | 'username', readonly IdentifierKind[]> = {
  email: ['email', 'role_email', 'placeholder_email'],
  phone: ['phone', 'placeholder_phone'],
  username: ['username', 'placeholder_username'],
};
