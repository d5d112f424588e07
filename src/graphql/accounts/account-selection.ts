import {
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
import { declaredOf } from '../kernel/declared-facts.ts';
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
  const Field = () => {
    const parent = types.getParentType()?.name;
    const field = types.getFieldDef();
    // Every row has what a global id and a type name are made of.
    if (!field || field.name === 'id' || field.name.startsWith('__')) return;
    const { columns = 'all' } = declaredOf(field);
    if (parent === 'Session' && columns !== 'summary') found.session = 'whole';
    if (parent === 'LinkedAccountEdge' && columns === 'details' && found.columns === 'main')
      found.columns = columns;
    if (parent !== 'Account' || columns === 'main' || columns === 'summary' || found.columns === 'all')
      return;
    found.columns = columns;
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
