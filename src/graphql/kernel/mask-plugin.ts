import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { MaskKind } from '@vouchgraph/persons/masking';
import type { GraphQLFieldResolver } from 'graphql';
import type { GraphQLContext } from './context.ts';
import { needsMask, type TypeFacts } from './declared-facts.ts';
import { maskShown, noteParent } from './masked-fields.ts';

/** Name of the plugin that masks personal data. */
export const MASK_PLUGIN = 'mask';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      mask: MaskPlugin<Types>;
    }
  }
}

/**
 * Masks the values of fields for persons alone (masked-fields.ts). Fields without personal data are not wrapped, so that they cost
 * nobody anything.
 */
class MaskPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    // Fields of an interface are wrapped for each type that has them. Root fields return objects.
    const type = this.buildCache.getTypeConfig(config.parentType);
    if (type.kind !== 'Object') return resolve;
    const facts = type.pothosOptions as Partial<TypeFacts>;
    if (returnsObjects(config)) {
      return (parent, args, context, info) => {
        const shown = context as GraphQLContext;
        if (shown.viewer.kind === 'person') noteParent(info.path, facts, parent);
        return resolve(parent, args, context, info);
      };
    }
    const kind = this.#kindOf(config, facts);
    if (kind === 'none') return resolve;
    return (parent, args, context, info) => {
      const value = resolve(parent, args, context, info);
      const shown = context as GraphQLContext;
      return shown.viewer.kind === 'person' ? maskShown(value, kind, { facts, parent, info }, shown) : value;
    };
  }

  /** The declared mask. A text without one is hidden: a schema with such a field is not built. */
  #kindOf(config: PothosOutputFieldConfig<Types>, facts: Partial<TypeFacts>): MaskKind {
    const { mask } = config.pothosOptions as { mask?: MaskKind };
    if (mask !== undefined) return mask;
    const { kind, ref } = namedTypeOf(config);
    if (kind !== 'Scalar') return 'none';
    const { name } = this.buildCache.getTypeConfig(ref);
    return needsMask(name) ? (facts.mask ?? 'text') : 'none';
  }
}

function namedTypeOf<Types extends SchemaTypes>({ type }: PothosOutputFieldConfig<Types>) {
  let inner = type;
  while (inner.kind === 'List') inner = inner.type;
  return inner;
}

function returnsObjects<Types extends SchemaTypes>(config: PothosOutputFieldConfig<Types>): boolean {
  return ['Object', 'Interface', 'Union'].includes(namedTypeOf(config).kind);
}

SchemaBuilder.registerPlugin(MASK_PLUGIN, MaskPlugin);
