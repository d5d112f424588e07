import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { AccountSelection } from '../../domain/accounts/account-service.ts';
import { firstLinks } from '../../domain/linking/link-page.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { argumentsOf, fieldsOf } from '../kernel/selected-fields.ts';
import { type LinkPageArgs, maxLinkPage } from '../links/link.ts';

/*
 * A query of an account usually selects its links or its latest session. In simple documents they are read by the statement
 * of the account and put into the loaders of their fields. Conditions, several pages and later pages are resolved by those
 * fields.
 */

/** Objects that the query selects besides the account's row; null if there is nothing to read with it. */
export function accountSelection(info: GraphQLResolveInfo, context: GraphQLContext): AccountSelection | null {
  const links = firstPageOf(argumentsOf(info, 'linkedAccounts'), context);
  if (links === null) return null;
  const { columns, session } = columnsOf(info);
  return { links, session: fieldsOf(info, 'lastSession').length > 0 ? session : 'none', columns };
}

/**
 * Fields by the columns that they read. A field that is not listed reads all columns. A test selects each field and
 * compares its values.
 */
const OF_MAIN_COLUMNS: ReadonlySet<string> = new Set([
  ...[
    '__typename',
    'id',
    'accountId',
    'email',
    'firstName',
    'lastName',
    'username',
    'dateOfBirth',
    'idNumbers',
  ],
  ...[
    'metadata',
    'numSessions',
    'lastSeen',
    'lastSession',
    'lastSessionId',
    'country',
    'lists',
    'keptOffLists',
  ],
  ...['accountsLinked', 'sessions', 'sessionIds', 'linkedAccounts'],
]);
const OF_DETAIL_COLUMNS: ReadonlySet<string> = new Set([
  ...['phone', 'expectedCountries', 'group', 'createdAt', 'updatedAt', 'firstSeen', 'countries'],
  ...['uniqueDevices', 'uniqueNetworks'],
]);
const OF_SESSION_SUMMARY: ReadonlySet<string> = new Set([
  ...['__typename', 'id', 'sessionId', 'requestId', 'startTime', 'expiresAt', 'completedAt', 'simulated'],
  ...['trueCountryCode', 'deviceId', 'source', 'sourceVersion'],
]);

type Columns = { columns: AccountSelection['columns']; session: 'summary' | 'whole' };

const known = new WeakMap<OperationDefinitionNode, Columns>();

/** By all fields of the document, since objects that one field reads are shared with others through the loaders. */
function columnsOf({ operation, fragments, schema }: GraphQLResolveInfo): Columns {
  let columns = known.get(operation);
  if (!columns) {
    columns = { columns: 'main', session: 'summary' };
    for (const node of [operation, ...Object.values(fragments)]) noteFields(node, schema, columns);
    known.set(operation, columns);
  }
  return columns;
}

function noteFields(
  definition: OperationDefinitionNode | FragmentDefinitionNode,
  schema: GraphQLSchema,
  found: Columns,
): void {
  const types = new TypeInfo(schema);
  const Field = ({ name: { value: name } }: FieldNode) => {
    const parent = types.getParentType()?.name;
    if (parent === 'Session' && !OF_SESSION_SUMMARY.has(name)) found.session = 'whole';
    // The evidence of a link is written from the phone of the account.
    if (parent === 'LinkedAccountEdge' && name === 'evidence' && found.columns === 'main')
      found.columns = 'details';
    if (parent !== 'Account' || OF_MAIN_COLUMNS.has(name) || found.columns === 'all') return;
    found.columns = OF_DETAIL_COLUMNS.has(name) ? 'details' : 'all';
  };
  visit(definition, visitWithTypeInfo(types, { Field }));
}

/** How many links to read: one more than the page; null when it is not one first page of an allowed size. */
function firstPageOf(args: LinkPageArgs | null, context: GraphQLContext): number | null {
  if (!args) return null;
  const { first, after, last, before, matchTypes, minScore, orderBy } = args;
  const size = first ?? 20;
  const isUnfiltered = matchTypes == null && minScore == null && orderBy == null;
  const isPlain =
    isUnfiltered &&
    after == null &&
    last == null &&
    before == null &&
    typeof size === 'number' &&
    size >= 0 &&
    size <= maxLinkPage(context);
  return isPlain ? size + 1 : null;
}

/** The loader of the page that was read along. */
export function firstLinkPage({ loaders }: GraphQLContext, { links }: AccountSelection) {
  return loaders.linkPage(firstLinks(links));
}
