import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from './context.ts';

/** What the nodes of a connection select of relations, for a query of Prisma; columns are read anyway. */
export function nodesQuery(context: GraphQLContext, info: GraphQLResolveInfo): { include?: object } {
  return queryFromInfo({ context, info, path: ['edges', 'node'] });
}
