import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure, AuthScopeFailureType } from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { forbidden, invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { tooManyText } from '@vouchgraph/platform/wording';
import { type Action, accessOf } from '../../domain/projects/actions.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import type { PrismaClient } from '../../storage/generated/prisma/client.ts';
import type PrismaTypes from '../generated/pothos-prisma.ts';
import { getDatamodel } from '../generated/pothos-prisma.ts';
import type { GraphQLContext } from './context.ts';
import { MASK_PLUGIN } from './mask-plugin.ts';
import { globalIdOf, readGlobalId } from './node-id.ts';
import { costliestField } from './query-cost.ts';
import { LIST_MULTIPLIER, MAX_COMPLEXITY, tooBroad, tooDeep, tooExpensive } from './query-limits.ts';
import { type FieldRule, mayRefetch, ruleOf } from './token-fields.ts';
import { TOKEN_SCOPES_PLUGIN } from './token-plugin.ts';

/**
 * Number of objects of a connection, counted up to one more than the shown maximum; or a number with a flag whether it is
 * exact.
 */
export type Counted = number | { readonly value: number; readonly isExact: boolean };

/*
 * The schema builder: plugins and scalar types, without definitions. Each type has a separate file, with the queries and
 * mutations that return it.
 */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  Connection: { total: () => Promise<Counted> };
  AuthScopes: { may: Action };
  Scalars: {
    Date: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date | string };
    UUID: { Input: string; Output: string };
    CountryCode: { Input: string; Output: string };
    IdNumberValue: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> };
  };
}>({
  plugins: [
    TOKEN_SCOPES_PLUGIN,
    MASK_PLUGIN,
    ScopeAuthPlugin,
    ValidationPlugin,
    RelayPlugin,
    PrismaPlugin,
    DataloaderPlugin,
    ComplexityPlugin,
  ],
  defaultFieldNullability: false,
  scopeAuth: {
    // Services decide (assert-may.ts). Asked here too, an error comes before arguments are read.
    authScopes: ({ viewer }) => ({ may: (action) => refusalOf(viewer, action) === null }),
    unauthorizedError: (_parent, { viewer }, _info, { failure }) => {
      const actions = refusedActions(failure);
      // Of several actions, the message names one that some key may do.
      const action = actions.find((each) => accessOf(each).role !== null) ?? actions[0];
      const refusal = action && refusalOf(viewer, action);
      return refusal ?? forbidden('This key does not allow this operation');
    },
    treatErrorsAsUnauthorized: false,
    authorizeOnSubscribe: true,
  },
  validation: {
    validationError: (failure) => {
      const issue = failure.issues[0]!;
      const path = (issue.path ?? []).map(
        (part) => (typeof part === 'object' ? part.key : part) as string | number,
      );
      return invalidInput(`${path.join('.')}: ${issue.message}`, path);
    },
  },
  complexity: {
    defaultComplexity: 1,
    defaultListMultiplier: LIST_MULTIPLIER,
    limit: (context) => (context.isTrustedDocument ? {} : MAX_COMPLEXITY),
    complexityError: (kind, result, info) => {
      if (kind === 'Depth') return tooDeep(result.depth);
      if (kind === 'Breadth') return tooBroad(result.breadth);
      return tooExpensive(result.complexity, costliestField(info));
    },
  },
  relay: {
    // A malformed id is answered like an unknown one: every loader returns null for it.
    encodeGlobalID: (typename, id) => globalIdOf(typename, String(id)),
    decodeGlobalID: (globalId, { viewer }) => {
      const read = readNodeId(String(globalId));
      return read && mayRefetch(viewer, idRuleOf(read.typename)) ? read : { typename: 'Account', id: '' };
    },
    nodesQueryOptions: {
      description:
        'Objects by their global ids, in the order of the ids, at most 100. Null for an id of an object ' +
        'that does not exist or that the viewer may not read. Errors: `auth.forbidden`, `input.invalid`.',
      nullable: { items: true, list: true },
      args: { ids: { description: 'Global ids.' } },
      complexity: ({ ids }) => ({ field: 1, multiplier: ids.length }),
      authScopes: { may: 'node.read' },
      resolve: (_root, { ids }, _context, _info, resolveNodes) => {
        if (ids.length > LIMITS.pageSize) throw invalidInput(`ids: ${tooManyText(LIMITS.pageSize)}`, ['ids']);
        return resolveNodes(ids);
      },
    },
    nodeQueryOptions: {
      description: 'Object by its global id. Null if it does not exist or the viewer may not read it.',
      args: { id: { description: 'Global id.' } },
      authScopes: { may: 'node.read' },
    },
    nodeTypeOptions: { description: 'Object with a global id.' },
    pageInfoTypeOptions: {
      tokenScopes: 'any',
      subjects: 'none',
      mask: 'none',
      description: 'Position of a page in its connection.',
    },
    // A page leads to objects that are checked themselves.
    defaultConnectionTypeOptions: { tokenScopes: 'any', subjects: 'wide', mask: 'none' },
    defaultEdgeTypeOptions: { tokenScopes: 'any', subjects: 'wide', mask: 'none' },
    idFieldOptions: { description: 'Global id.' },
    edgesFieldOptions: {
      description: 'Entries of the page, one per object.',
      nullable: false,
      complexity: { field: 0, multiplier: 1 },
    },
    pageInfoFieldOptions: { description: 'Position of the page.' },
    nodeFieldOptions: { description: 'Object.' },
    cursorFieldOptions: {
      description: 'Cursor of the entry. Passed as after, it starts the next page after the entry.',
    },
    hasNextPageFieldOptions: { description: 'Whether objects follow after the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether objects precede the page.' },
    startCursorFieldOptions: {
      description: 'Cursor of the first entry of the page. Null if the page is empty.',
    },
    endCursorFieldOptions: {
      rest: { unknown: 'null' },
      description: 'Cursor of the last entry of the page. Null if the page is empty.',
    },
    clientMutationId: 'omit',
    cursorType: 'String',
  },
  prisma: {
    // The plugin calls methods of models alone.
    client: ({ viewer }) => viewer.project.database.prisma as PrismaClient,
    dmmf: getDatamodel(),
    onUnusedQuery: 'error',
  },
});

/** The actions that a field asked for, in its order. */
function refusedActions(failure: AuthFailure): Action[] {
  if (failure.kind === AuthScopeFailureType.AuthScope) return [failure.parameter as Action];
  return 'failures' in failure ? failure.failures.flatMap(refusedActions) : [];
}

/** Type and key of a global id of a node; null for every other text. */
function readNodeId(globalId: string): { typename: string; id: string } | null {
  const read = readGlobalId(globalId);
  const type = read && builder.configStore.typeConfigs.get(read.typename);
  const isNode =
    type?.kind === 'Object' && (type.interfaces as unknown[]).includes(builder.nodeInterfaceRef());
  return isNode ? read : null;
}

/** Which browser tokens read the global ids of a type of nodes. */
function idRuleOf(typename: string): FieldRule {
  const { pothosOptions } = builder.configStore.getTypeConfig(typename, 'Object');
  const id = builder.configStore.getFields(typename, 'Object').get('id');
  return ruleOf(id?.pothosOptions.tokenScopes, pothosOptions.tokenScopes);
}

builder.queryType({
  description:
    'Queries. Each field requires a key with the role read, or a browser token with a scope of the field.',
});
builder.mutationType({
  description: 'Mutations. Each field has one input and returns a payload with the changed object.',
});
