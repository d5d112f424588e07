import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { GraphQLContext } from './context.ts';
import { assertTokenReads, type CheckedField, ruleOf } from './token-fields.ts';

/** Name of the plugin that checks fields for browser tokens. */
export const TOKEN_SCOPES_PLUGIN = 'tokenScopes';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      tokenScopes: TokenScopesPlugin<Types>;
    }
  }
}

/** Checks each field of an object before it is resolved, for browser tokens alone (token-fields.ts). */
class TokenScopesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { parentType, name, pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    // Fields of an interface are wrapped for each type that has them.
    const type = this.buildCache.getTypeConfig(parentType);
    if (type.kind !== 'Object') return resolve;
    const field: CheckedField = {
      name: `${parentType}.${name}`,
      rule: ruleOf(pothosOptions.tokenScopes, type.pothosOptions.tokenScopes),
      namesAccount: pothosOptions.namesAccount === true,
    };
    return (parent, args, context, info) => {
      const { viewer } = context as GraphQLContext;
      if (viewer.kind === 'browser_token') assertTokenReads(viewer, field, parent);
      return resolve(parent, args, context, info);
    };
  }
}

SchemaBuilder.registerPlugin(TOKEN_SCOPES_PLUGIN, TokenScopesPlugin);
