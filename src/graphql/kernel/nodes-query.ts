import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from './context.ts';

/** Relations selected in the nodes of a connection, for a query of Prisma. Columns are always read. */
export function nodesQuery(context: GraphQLContext, info: GraphQLResolveInfo): { include?: object } {
  return queryFromInfo({ context, info, path: ['edges', 'node'] });
}

/** The same for nodes of which a query reads only the selected columns; `select` contains the columns that are always read. */
export function selectedNodes<const Select extends Readonly<Record<string, true>>>(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  select: Select,
  path: string[] = ['edges', 'node'],
): { select: Select } {
  return queryFromInfo({ context, info, select, path }) as { select: Select };
}
