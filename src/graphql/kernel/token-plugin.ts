import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { GraphQLContext } from './context.ts';
import { assertTokenReads } from './token-fields.ts';

/** Name of the plugin that checks fields for browser tokens. */
export const TOKEN_SCOPES_PLUGIN = 'tokenScopes';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      tokenScopes: TokenScopesPlugin<Types>;
    }
  }
}

const ROOTS = new Set(['Query', 'Mutation', 'Subscription']);

/** Checks each field of an object before it is resolved, for browser tokens alone (token-fields.ts). */
class TokenScopesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { parentType }: { parentType: string },
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (ROOTS.has(parentType)) return resolve;
    return (parent, args, context, info) => {
      const { viewer } = context as GraphQLContext;
      if (viewer.kind === 'browser_token')
        assertTokenReads(viewer, info.parentType.name, info.fieldName, parent);
      return resolve(parent, args, context, info);
    };
  }
}

SchemaBuilder.registerPlugin(TOKEN_SCOPES_PLUGIN, TokenScopesPlugin);
