import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from './context.ts';

/** Relations selected in the nodes of a connection, for a query of Prisma. Columns are always read. */
export function nodesQuery(context: GraphQLContext, info: GraphQLResolveInfo): { include?: object } {
  return queryFromInfo({ context, info, path: ['edges', 'node'] });
}
